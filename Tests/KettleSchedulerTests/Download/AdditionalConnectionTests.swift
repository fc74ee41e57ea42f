import Glibc
import KettleModel
import Testing

@testable import KettleScheduler

/// Several connections of one transfer, as scripts of events.
struct AdditionalConnectionTests {
  private static let total: Int64 = 16 << 20

  /// A transfer whose primary connection is receiving; the script has the additional attempts.
  private func running(
    _ script: inout SchedulerScript, connections: Int = 4, entityTag: String = "\"v1\""
  ) throws -> TransferID {
    var wanted = spec()
    wanted.connections = connections
    let id = script.add(wanted)
    let primary = try #require(script.attempt)
    script.head(primary, 200, ["Content-Length": "\(Self.total)", "ETag": entityTag])
    script.opened(primary, partial(total: Self.total, entityTag: entityTag))
    script.advance(milliseconds: DivisionPolicy().speedMilliseconds)
    script.timePasses()
    return id
  }

  private func plans(_ script: SchedulerScript) -> [AttemptPlan] {
    script.actions.compactMap { if case .beginAttempt(_, let plan) = $0 { plan } else { nil } }
  }

  private func part(_ script: inout SchedulerScript, _ plan: AttemptPlan, _ entityTag: String)
    throws
  {
    let asked = try #require(plan.requested)
    script.head(
      plan.attempt, 206,
      [
        "Content-Range": "bytes \(asked.lower)-\((asked.upper ?? Self.total) - 1)/\(Self.total)",
        "ETag": entityTag,
      ])
  }

  @Test func `connections join in equal parts once the speed of the first is known`() throws {
    var script = SchedulerScript()
    _ = try running(&script)
    let joined = plans(script).dropFirst()
    #expect(joined.count == 3)
    #expect(joined.map { $0.requested?.lower } == [12 << 20, 8 << 20, 4 << 20])
    #expect(joined.allSatisfy { $0.requested?.proof == .ifRange("\"v1\"") })
  }

  /// How a part is framed whose bytes count only at its end.
  enum Framing: CaseIterable {
    case chunks
    /// The end of the connection. The part may be in chunks that the head does not announce.
    case none

    var headers: [String: String] {
      switch self {
      case .chunks: ["Transfer-Encoding": "chunked"]
      case .none: [:]
      }
    }
  }

  // Faults 5 and 11
  @Test(arguments: Framing.allCases)
  func `a range without a length is not written alongside other connections`(
    _ framing: Framing
  ) throws {
    var script = SchedulerScript()
    _ = try running(&script)
    let joining = try #require(plans(script).last)
    let asked = try #require(joining.requested)
    let last = (asked.upper ?? Self.total) - 1
    let headers = [
      "Content-Range": "bytes \(asked.lower)-\(last)/\(Self.total)", "ETag": "\"v1\"",
    ]
    script.head(
      joining.attempt, 206, headers.merging(framing.headers) { $1 }, statesLength: false)
    let isCancelled = script.actions.contains { action in
      if case .cancelAttempt(joining.attempt) = action { true } else { false }
    }
    #expect(isCancelled)
    script.ended(joining.attempt, .cancelled)
    script.advance(milliseconds: 10_000)
    script.timePasses()
    #expect(plans(script).count == 4, "nobody is begun in its place")
  }

  // Faults 5 and 11
  @Test(arguments: Framing.allCases)
  func `no connection joins a range without a length`(_ framing: Framing) throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let first = try #require(script.attempt)
    script.head(first, 200, ["Content-Length": "\(Self.total)", "ETag": "\"v1\""])
    script.opened(first, partial(total: Self.total))
    script.settled(
      first, .failed(TransferFailure(.connectionLost, on: "files.example")), durable: 500)
    script.advance(milliseconds: 2000)
    script.timePasses()
    let second = try #require(script.attempt)
    let headers = [
      "Content-Range": "bytes 500-\(Self.total - 1)/\(Self.total)", "ETag": "\"v1\"",
    ]
    script.head(second, 206, headers.merging(framing.headers) { $1 }, statesLength: false)
    script.opened(second, partial(durable: 500, total: Self.total))
    script.advance(milliseconds: 10_000)
    script.timePasses()
    #expect(script.state(id) == .running)
    #expect(script.attempt == second)
  }

  // Fault 26
  @Test func `bytes without a length are compared again when the comparison was cut`() throws {
    var script = SchedulerScript()
    _ = script.add(spec())
    let first = try #require(script.attempt)
    script.head(first, 200, ["ETag": "\"v1\""])
    script.opened(first, partial(total: nil))
    let lost = TransferFailure(.connectionLost, on: "files.example")
    script.settled(first, .failed(lost), durable: 2 << 20)
    script.advance(milliseconds: 2000)
    script.timePasses()
    let second = try #require(script.attempt)
    let lower = Int64(2 << 20) - 65536
    #expect(
      plans(script).last?.requested
        == RequestedRange(lower: lower, upper: nil, proof: .ifRange("\"v1\"")))
    script.head(
      second, 206,
      ["Content-Range": "bytes \(lower)-\(Self.total - 1)/\(Self.total)", "ETag": "\"v1\""])
    let plan = try #require(
      script.actions.compactMap { action -> BodyPlan? in
        if case .openBody(_, second, let plan) = action { plan } else { nil }
      }.last)
    guard case .goOn(let resumeData) = plan else {
      Issue.record("the file is begun again")
      return
    }
    script.opened(second, resumeData)
    script.settled(second, .failed(lost), durable: 2 << 20)
    script.advance(milliseconds: 4000)
    script.timePasses()
    #expect(
      plans(script).last?.requested
        == RequestedRange(lower: lower, upper: nil, proof: .overlap(suspect: nil)))
  }

  @Test func `no connection joins before the speed of the first is known`() throws {
    var script = SchedulerScript()
    var wanted = spec()
    wanted.connections = 4
    let id = script.add(wanted)
    let primary = try #require(script.attempt)
    script.head(primary, 200, ["Content-Length": "\(Self.total)", "ETag": "\"v1\""])
    script.opened(primary, partial(total: Self.total))
    let wakeUp = try #require(script.scheduler.nextWakeUp(at: script.now))
    #expect(wakeUp == script.now.monotonic.advanced(byMilliseconds: 100))
    script.advance(milliseconds: 99)
    script.timePasses()
    script.handle(.body(id, .progressed([primary: 100])))
    #expect(plans(script).count == 1)
    script.advance(milliseconds: 1)
    script.timePasses()
    #expect(plans(script).count > 1)
    #expect(script.scheduler.nextWakeUp(at: script.now) == nil)
  }

  @Test func `no connection joins before the partial file is recorded`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let primary = try #require(script.attempt)
    script.head(primary, 200, ["Content-Length": "\(Self.total)", "ETag": "\"v1\""])
    script.handle(.body(id, .opened(partial(total: Self.total), by: primary)))
    script.handle(.body(id, .progressed([primary: 100])))
    #expect(plans(script).count == 1)
  }

  // Fault 13
  @Test func `without a strong validator no connection joins`() throws {
    var script = SchedulerScript()
    _ = try running(&script, entityTag: "W/\"v1\"")
    #expect(plans(script).count == 1)
  }

  @Test func `the primary connection is shortened only after the other one has responded`() throws {
    var script = SchedulerScript()
    let id = try running(&script)
    let primary = plans(script)[0].attempt
    #expect(!script.actions.contains { if case .shortenAttempt = $0 { true } else { false } })
    try part(&script, plans(script)[1], "\"v1\"")
    #expect(script.actions.contains(.shortenAttempt(id, primary, to: 12 << 20)))
  }

  // Fault 2
  @Test func `a full response to a range request is not written, and the others continue`() throws {
    var script = SchedulerScript()
    let id = try running(&script)
    let joining = plans(script)[1].attempt
    script.head(joining, 200, ["Content-Length": "\(Self.total)", "ETag": "\"v1\""])
    #expect(script.lastAction == .cancelAttempt(joining))
    script.ended(joining, .cancelled)
    // It is requested again without If-Range, after a moment.
    script.advance(milliseconds: ActiveDownload.leavingMillisecondsMin)
    script.timePasses()
    let again = try #require(script.plan)
    #expect(again.requested?.proof == .sameValidator)
    #expect(script.state(id) == .running)
  }

  // Fault 12
  @Test func `a different entity tag for a range stops all connections`() throws {
    var script = SchedulerScript()
    let id = try running(&script)
    let all = plans(script)
    try part(&script, all[1], "\"v2\"")
    let cancelled = script.actions.compactMap { action -> AttemptID? in
      if case .cancelAttempt(let attempt) = action { attempt } else { nil }
    }
    #expect(Set(cancelled) == Set(all.map(\.attempt)))
    for plan in all {
      script.ended(plan.attempt, .cancelled, upTo: plan.requested?.lower ?? 1 << 20)
    }
    script.closed(durable: ByteRangeSet(prefix: 1 << 20))
    #expect(script.state(id) == .running)
    #expect(script.plan?.requested?.proof == .overlap(suspect: "\"v2\""))
    #expect(script.plan?.requested?.lower == (1 << 20) - (64 << 10))
  }

  @Test func `other connections take over a lost range after a delay`() throws {
    var script = SchedulerScript()
    let id = try running(&script)
    let joining = plans(script)[1]
    try part(&script, joining, "\"v1\"")
    let lost = TransferFailure(.connectionLost, on: "files.example")
    script.ended(joining.attempt, .failed(lost), upTo: 13 << 20)
    #expect(script.state(id) == .running)
    #expect(plans(script).count == 4)
    script.advance(milliseconds: 1000)
    script.handle(.body(id, .progressed([:])))
    #expect(script.plan?.requested?.lower == 13 << 20)
    #expect(script.plan?.requested?.upper == 16 << 20)
  }

  @Test func `pause ends all connections and keeps the bytes of each`() throws {
    var script = SchedulerScript()
    let id = try running(&script)
    let all = plans(script)
    for plan in all.dropFirst() { try part(&script, plan, "\"v1\"") }
    script.control(.pause, id)
    var durable = ByteRangeSet()
    for plan in all {
      let lower = plan.requested?.lower ?? 0
      if let range = ByteRange(lower: lower, upper: lower + 1000) { durable.insert(range) }
      script.ended(plan.attempt, .cancelled, upTo: lower + 1000)
    }
    script.closed(durable: durable)
    #expect(script.record(id)?.resumeData?.durable.byteCount == 4000)
    script.control(.start, id)
    #expect(script.plan?.requested?.lower == 1000)
    #expect(script.plan?.requested?.upper == 4 << 20)
  }

  @Test func `a waiting transfer gets a connection from a transfer that has several`() throws {
    var limits = TransferQueue.Limits()
    limits.connectionsPerHostMax = 4
    var script = SchedulerScript(limits: limits)
    let id = try running(&script)
    let all = plans(script)
    for plan in all.dropFirst() { try part(&script, plan, "\"v1\"") }
    let other = script.add(spec("http://files.example/b.iso"))
    #expect(script.state(other) == .queued)
    guard case .cancelAttempt(let shed)? = script.lastAction else {
      Issue.record("no connection was given up")
      return
    }
    #expect(shed == all[3].attempt)
    script.ended(shed, .cancelled, upTo: all[3].requested?.lower)
    #expect(script.state(other) == .running)
    #expect(script.state(id) == .running)
    #expect(script.scheduler.hosts.connectionCount == 4)
  }

  @Test func `a waiting transfer gets a connection to another host when all are in use`() throws {
    var limits = TransferQueue.Limits()
    limits.connectionsMax = 4
    var script = SchedulerScript(limits: limits)
    let id = try running(&script)
    let all = plans(script)
    for plan in all.dropFirst() { try part(&script, plan, "\"v1\"") }
    let others = ["b", "c"].map { script.add(spec("http://\($0).example/b.iso")) }
    #expect(others.map { script.state($0) } == [.queued, .queued])
    var shed = all[3].attempt
    for (index, other) in others.enumerated() {
      // One at a time: the place of a closing connection is free soon.
      #expect(cancelled(script) == Set(all.suffix(index + 1).map(\.attempt)))
      script.ended(shed, .cancelled, upTo: all[3 - index].requested?.lower)
      #expect(script.state(other) == .running)
      shed = all[2].attempt
    }
    #expect(script.state(id) == .running)
    #expect(script.scheduler.hosts.connectionCount == 4)
  }

  @Test func `a transfer that waits in the store gets a connection when all are in use`() throws {
    var limits = TransferQueue.Limits()
    limits.connectionsMax = 4
    var script = SchedulerScript(limits: limits)
    script.scheduler.residentLimits.evictableCountMax = 0
    script.scheduler.residentLimits.queuedCountMax = 0
    let id = try running(&script)
    let all = plans(script)
    for plan in all.dropFirst() { try part(&script, plan, "\"v1\"") }
    let (ids, adding) = script.scheduler.add([spec("http://b.example/b.iso")], at: script.now)
    let (evicted, output) = script.scheduler.admit(adding.changes, at: script.now)
    script.run(output)
    #expect(evicted == ids)
    let request = try #require(script.queueReads.last)
    let waiting = adding.changes.compactMap { change -> TransferRecord? in
      if case .put(let record) = change { record } else { nil }
    }
    script.run(script.scheduler.queueRead(request, waiting, at: script.now).1)
    #expect(cancelled(script) == [all[3].attempt])
    script.ended(all[3].attempt, .cancelled, upTo: all[3].requested?.lower)
    #expect(script.state(ids[0]) == .running)
    #expect(script.state(id) == .running)
  }

  private func cancelled(_ script: SchedulerScript) -> Set<AttemptID> {
    Set(
      script.actions.compactMap {
        if case .cancelAttempt(let attempt) = $0 { attempt } else { nil }
      })
  }

  /// Nanoseconds of the processor for a round in which `count` running transfers want connections
  /// that they cannot have.
  private func costOfRound(_ count: Int) throws -> Int64 {
    var limits = TransferQueue.Limits()
    limits.runningMax = count
    limits.connectionsPerHostMax = count
    limits.connectionsMax = count
    var script = SchedulerScript(limits: limits)
    for _ in 0..<count { _ = try running(&script) }
    #expect(script.scheduler.hosts.connectionCount == count)
    func now() -> Int64 {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
    let begin = now()
    for _ in 0..<10 { script.timePasses() }
    return now() - begin
  }

  @Test func `a round costs as much as there are running transfers, and not their square`() throws {
    let (few, many) = (try costOfRound(40), try costOfRound(400))
    #expect(many < 30 * few, "\(few) ns for 40 transfers, \(many) for 400")
  }

  @Test func `the last byte cancels the other connections and starts verification`() throws {
    var script = SchedulerScript()
    let id = try running(&script, connections: 2)
    let all = plans(script)
    try part(&script, all[1], "\"v1\"")
    script.ended(all[1].attempt, .complete, upTo: Self.total)
    // The primary connection received more than its range, including bytes of the other one.
    script.ended(all[0].attempt, .complete, upTo: 9 << 20)
    let rest = plans(script).dropFirst(2)
    script.closed(durable: ByteRangeSet(prefix: Self.total))
    for plan in rest { script.ended(plan.attempt, .cancelled) }
    script.closed(durable: ByteRangeSet(prefix: Self.total))
    #expect(script.state(id) == .verifying)
  }

  /// A transfer with two gaps whose primary connection has filled the first; its next connection is
  /// the only one.
  private func withSecondGap(_ script: inout SchedulerScript) throws -> (TransferID, AttemptPlan) {
    var record = TransferRecord(
      id: TransferID(rawValue: 3), taskIdentifier: 1, spec: spec(),
      createdAt: WallTime(millisecondsSince1970: 0), queuePosition: 9, state: .running)
    record.spec.connections = 1
    var resumeData = partial(durable: 1 << 20, total: 4 << 20)
    if let second = ByteRange(lower: 2 << 20, upper: 3 << 20) { resumeData.durable.insert(second) }
    record.resumeData = resumeData
    script.run(script.scheduler.recover([record], at: script.now))
    let primary = try #require(script.plan)
    #expect(primary.requested?.upper == 2 << 20)
    script.head(
      primary.attempt, 206,
      ["Content-Range": "bytes \(1 << 20)-\((2 << 20) - 1)/\(4 << 20)", "ETag": "\"v1\""])
    script.opened(primary.attempt, resumeData)
    script.ended(primary.attempt, .complete, upTo: 2 << 20)
    let next = try #require(script.plan)
    #expect(next.requested?.lower == 3 << 20)
    return (record.id, next)
  }

  // Fault 41
  @Test func `a transfer whose only connection is refused waits without storming the host`() throws
  {
    var script = SchedulerScript()
    let (id, joining) = try withSecondGap(&script)
    let before = plans(script).count
    script.head(joining.attempt, 429)
    script.ended(joining.attempt, .cancelled)
    script.closed(durable: ByteRangeSet(prefix: 3 << 20))
    #expect(script.state(id) == .waiting)
    #expect(plans(script).count == before)
  }

  // Fault 38
  @Test func `silent connections are replaced a limited number of times`() throws {
    var script = SchedulerScript()
    let (id, first) = try withSecondGap(&script)
    let before = plans(script).count
    var joining = first
    for _ in 0..<20 {
      script.head(
        joining.attempt, 206,
        ["Content-Range": "bytes \(3 << 20)-\((4 << 20) - 1)/\(4 << 20)", "ETag": "\"v1\""])
      script.advance(milliseconds: 16_000)
      script.handle(.body(id, .progressed([joining.attempt: 3 << 20])))
      guard script.actions.contains(.cancelAttempt(joining.attempt)) else { break }
      script.ended(joining.attempt, .cancelled, upTo: 3 << 20)
      joining = try #require(script.plan)
    }
    #expect(plans(script).count - before <= 6)
    // From here on the transport detects the silence.
    script.ended(joining.attempt, .failed(TransferFailure(.timedOut, on: "files.example")))
    script.closed(durable: ByteRangeSet(prefix: 3 << 20))
    #expect(script.state(id) == .waiting)
  }

  @Test func `a connection held back by our own disk is not silent`() throws {
    var script = SchedulerScript()
    let (id, joining) = try withSecondGap(&script)
    script.head(
      joining.attempt, 206,
      ["Content-Range": "bytes \(3 << 20)-\((4 << 20) - 1)/\(4 << 20)", "ETag": "\"v1\""])
    let before = script.actions.count
    script.advance(milliseconds: 60_000)
    script.handle(
      .body(id, .progressed([joining.attempt: 3 << 20], waitingForDisk: [joining.attempt])))
    #expect(script.actions.count == before)
  }

  // Fault 66
  @Test
  func `without a network a transfer waits without counting retries, and then resumes`()
    throws
  {
    var script = SchedulerScript()
    let id = script.add(spec())
    script.handle(.networkChanged(.absent))
    for _ in 0..<50 {
      let attempt = try #require(script.attempt)
      script.settled(attempt, .failed(TransferFailure(.hostNotFound, on: "files.example")))
      #expect(script.record(id)?.reason == .network)
      script.handle(.networkChanged(.present))
      #expect(script.state(id) == .running)
      script.handle(.networkChanged(.absent))
    }
    #expect(script.record(id)?.retryCount == 0)
  }

  // Fault 45
  @Test func `a new link keeps every byte and sends no custom headers to another origin`() throws {
    var script = SchedulerScript()
    var wanted = spec()
    wanted.headers = [HeaderField(received: "X-Token", "secret")]
    let id = script.add(wanted)
    let first = try #require(script.attempt)
    script.head(first, 200, ["Content-Length": "\(Self.total)", "ETag": "\"v1\""])
    script.opened(first, partial(total: Self.total))
    script.control(.pause, id)
    for plan in plans(script) { script.ended(plan.attempt, .cancelled, upTo: nil) }
    script.closed(durable: ByteRangeSet(prefix: 2 << 20))
    script.control(.relink(url("http://other.example/x?sig=2"), nil), id)
    let plan = try #require(script.plan)
    #expect(plan.url.text == "http://other.example/x?sig=2")
    // A tag belongs to one URL, so the bytes must prove the file.
    let overlap = RequestedRange(
      lower: (2 << 20) - (64 << 10), upper: nil, proof: .overlap(suspect: nil))
    #expect(plan.requested == overlap)
    #expect(!plan.headers.contains { $0.name == "X-Token" })
    #expect(script.record(id)?.resumeData?.durable.byteCount == 2 << 20)
  }
}
