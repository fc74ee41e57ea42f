import KettleModel
import Testing

@testable import KettleScheduler

/// Several sources of one transfer, as scripts of events.
struct MirrorScriptTests {
  private static let total: Int64 = 64 << 20
  private let mirrors = ["http://b.example/a.iso", "http://c.example/a.iso"]

  private func wanted(_ change: (inout TransferSpec) -> Void = { _ in }) -> TransferSpec {
    var wanted = spec()
    wanted.options.mirrors = mirrors.map { url($0) }
    change(&wanted)
    return wanted
  }

  private func plans(_ script: SchedulerScript) -> [AttemptPlan] {
    script.actions.compactMap { if case .beginAttempt(_, let plan) = $0 { plan } else { nil } }
  }

  private func plans(_ script: SchedulerScript, at host: String) -> [AttemptPlan] {
    plans(script).filter { $0.url.host == host }
  }

  private func isCancelled(_ attempt: AttemptID, in script: SchedulerScript) -> Bool {
    script.actions.contains { if case .cancelAttempt(attempt) = $0 { true } else { false } }
  }

  private func part(
    _ script: inout SchedulerScript, _ plan: AttemptPlan, entityTag: String? = "\"other\"",
    total: Int64 = Self.total, from reach: NetworkReach = .world
  ) throws {
    let asked = try #require(plan.requested)
    var headers = [
      "Content-Range": "bytes \(asked.lower)-\((asked.upper ?? total) - 1)/\(total)"
    ]
    headers["ETag"] = entityTag
    script.head(plan.attempt, 206, headers, from: reach)
  }

  /// A transfer whose primary connection has delivered a mebibyte.
  private func running(
    _ script: inout SchedulerScript, headers: [String: String] = [:],
    _ change: (inout TransferSpec) -> Void = { _ in }
  ) throws -> TransferID {
    let id = script.add(wanted(change))
    let primary = try #require(script.attempt)
    let head = ["Content-Length": "\(Self.total)", "ETag": "\"v1\""]
    script.head(primary, 200, head.merging(headers) { $1 })
    script.opened(primary, partial(total: Self.total))
    progress(&script, id, [primary: 1 << 20])
    return id
  }

  private func progress(
    _ script: inout SchedulerScript, _ id: TransferID, _ upTo: [AttemptID: Int64],
    milliseconds: Int64 = 250
  ) {
    script.advance(milliseconds: milliseconds)
    script.handle(.body(id, .progressed(upTo)))
  }

  /// A transfer whose first mirror has shown the right sample.
  private func proved(
    _ script: inout SchedulerScript, entityTag: String? = "\"other\""
  ) throws -> TransferID {
    let id = try running(&script)
    let sample = try #require(plans(script, at: "b.example").first)
    try part(&script, sample, entityTag: entityTag)
    script.ended(sample.attempt, .complete, upTo: sample.requested?.upper)
    return id
  }

  // MARK: Samples

  // Fault 21
  @Test func `a mirror first repeats bytes that are present`() throws {
    var script = SchedulerScript()
    _ = try running(&script)
    let samples = plans(script).dropFirst()
    #expect(samples.map(\.url.text) == mirrors)
    let requested = RequestedRange(
      lower: (1 << 20) - (64 << 10), upper: 1 << 20,
      proof: .mirror(comparedUpTo: 1 << 20, validator: nil))
    #expect(samples.allSatisfy { $0.requested == requested })
  }

  @Test func `no mirror is asked before there are bytes to compare`() throws {
    var script = SchedulerScript()
    let id = script.add(wanted())
    let primary = try #require(script.attempt)
    script.head(primary, 200, ["Content-Length": "\(Self.total)", "ETag": "\"v1\""])
    script.opened(primary, partial(total: Self.total))
    progress(&script, id, [primary: 60_000])
    #expect(plans(script).count == 1, "the first source does not get all connections meanwhile")
    progress(&script, id, [primary: 65_536])
    #expect(plans(script).dropFirst().map(\.url.text) == mirrors)
  }

  @Test func `after its sample a mirror fetches a part under its own validator`() throws {
    var script = SchedulerScript()
    _ = try proved(&script)
    let second = try #require(plans(script, at: "b.example").dropFirst().first)
    let requested = try #require(second.requested)
    #expect(requested.lower > 1 << 20)
    #expect(requested.headers.contains(HeaderField(received: "If-Range", "\"other\"")))
  }

  @Test func `a mirror without any validator fetches only parts behind present bytes`() throws {
    var script = SchedulerScript()
    _ = try proved(&script, entityTag: nil)
    #expect(plans(script, at: "b.example").count == 1)
  }

  // Fault 21
  @Test func `a mirror whose sample differs is dropped, and the bytes stay`() throws {
    var script = SchedulerScript()
    let id = try running(&script)
    let sample = try #require(plans(script, at: "b.example").first)
    try part(&script, sample)
    let other = TransferFailure(.otherVersion, on: "a.iso")
    script.ended(sample.attempt, .failed(other), upTo: sample.requested?.lower)
    #expect(script.state(id) == .running)
    #expect(script.record(id)?.freshStart == nil)
    for _ in 0..<100 { progress(&script, id, [:], milliseconds: 1000) }
    #expect(plans(script, at: "b.example").count == 1)
  }

  // Fault 21
  @Test func `a mirror with another length is dropped`() throws {
    var script = SchedulerScript()
    let id = try running(&script)
    let sample = try #require(plans(script, at: "b.example").first)
    try part(&script, sample, total: Self.total + 1)
    #expect(isCancelled(sample.attempt, in: script))
    script.ended(sample.attempt, .cancelled)
    #expect(script.state(id) == .running)
    #expect(
      script.scheduler.machines[id]?.facts.mirrors[.init(rawValue: 1)]?.standing == .lied)
  }

  // Fault 21
  @Test func `a mirror that changes its validator is dropped`() throws {
    var script = SchedulerScript()
    let id = try proved(&script)
    let second = try #require(plans(script, at: "b.example").last)
    try part(&script, second, entityTag: "\"third\"")
    #expect(isCancelled(second.attempt, in: script))
    script.ended(second.attempt, .cancelled)
    #expect(script.state(id) == .running)
    #expect(script.record(id)?.freshStart == nil)
  }

  @Test(arguments: [404, 403, 500, 416, 200])
  func `a status of a mirror changes nothing for the others`(status: Int) throws {
    var script = SchedulerScript()
    let id = try running(&script)
    let sample = try #require(plans(script, at: "b.example").first)
    script.head(sample.attempt, status, ["Content-Length": "\(Self.total)"])
    #expect(isCancelled(sample.attempt, in: script))
    script.ended(sample.attempt, .cancelled)
    #expect(script.state(id) == .running)
    progress(&script, id, [:], milliseconds: 1000)
    #expect(plans(script, at: "b.example").count == 1)
  }

  @Test func `a redirect of a mirror is followed`() throws {
    var script = SchedulerScript()
    let id = try running(&script)
    let sample = try #require(plans(script, at: "b.example").first)
    script.head(sample.attempt, 302, ["Location": "http://near.example/x"], from: .world)
    script.ended(sample.attempt, .cancelled)
    progress(&script, id, [:])
    let target = try #require(plans(script, at: "near.example").first)
    #expect(target.minimumReach == .world)
  }

  // Fault 21
  @Test func `a mirror that lies after it has delivered costs a fresh start`() throws {
    var script = SchedulerScript()
    let id = try proved(&script)
    let second = try #require(plans(script, at: "b.example").last)
    let lower = try #require(second.requested?.lower)
    try part(&script, second)
    progress(&script, id, [second.attempt: lower + (2 << 20)])
    let other = TransferFailure(.otherVersion, on: "a.iso")
    script.ended(second.attempt, .failed(other), upTo: lower + (1 << 20))
    for attempt in script.scheduler.machines[id]?.state.attemptsForTest ?? [] {
      script.ended(attempt, .cancelled)
    }
    script.closed(durable: ByteRangeSet(prefix: 1 << 20))
    #expect(script.record(id)?.freshStart == .resourceChanged)
    #expect(script.plan?.url.text == spec().url.text)
    #expect(script.plan?.requested == nil)
  }

  // Fault 41
  @Test func `the user's URL is not asked again before its Retry-After`() throws {
    var script = SchedulerScript()
    let id = script.add(wanted())
    let user = try #require(script.attempt)
    script.head(user, 503, ["Retry-After": "600"])
    script.settled(user, .cancelled)
    for mirror in mirrors {
      let plan = try #require(script.plan)
      #expect(plan.url.text == mirror)
      script.settled(plan.attempt, .failed(TransferFailure(.connectionLost, on: "a mirror")))
    }
    #expect(script.plan?.url.text == mirrors.last)
    #expect(script.state(id) == .waiting)
  }

  // MARK: The size of the file

  /// A transfer whose URL was busy once, so that its first mirror has opened the file.
  private func openedByMirror(
    _ script: inout SchedulerScript
  ) throws -> (TransferID, AttemptID) {
    let id = script.add(
      wanted { $0.options.mirrors.append(url("http://d.example/a.iso")) })
    let user = try #require(script.attempt)
    script.head(user, 503, ["Retry-After": "1"])
    script.settled(user, .cancelled)
    let opener = try #require(script.plan)
    #expect(opener.url.text == mirrors[0])
    script.head(
      opener.attempt, 200, ["Content-Length": "\(Self.total - 1)", "ETag": "\"short\""])
    script.opened(opener.attempt, partial(total: Self.total - 1, entityTag: "\"short\""))
    progress(&script, id, [opener.attempt: 1 << 20])
    return (id, opener.attempt)
  }

  // Fault 140
  @Test func `a mirror that contradicts two others does not decide what the file is`() throws {
    var script = SchedulerScript()
    let (id, _) = try openedByMirror(&script)
    let samples = plans(script).filter { ["c.example", "d.example"].contains($0.url.host) }
    #expect(samples.count == 2)
    try part(&script, samples[0])
    #expect(script.record(id)?.freshStart == nil, "one against one")
    try part(&script, samples[1])
    #expect(script.record(id)?.freshStart == .otherSources)
    for attempt in script.scheduler.machines[id]?.state.attemptsForTest ?? [] {
      script.ended(attempt, .cancelled)
    }
    script.closed(durable: ByteRangeSet(prefix: 1 << 20))
    #expect(script.plan?.url.text == mirrors[1])
    #expect(script.plan?.requested == nil)
    #expect(
      script.scheduler.machines[id]?.facts.mirrors[.init(rawValue: 1)]?.standing == .lied)
  }

  @Test func `mirrors do not overrule the user's URL`() throws {
    var script = SchedulerScript()
    let id = try running(&script)
    for sample in plans(script).dropFirst() { try part(&script, sample, total: Self.total + 1) }
    #expect(script.state(id) == .running)
    #expect(script.record(id)?.freshStart == nil)
  }

  // MARK: Credentials

  @Test func `headers and login of the user go to the origin of the URL only`() throws {
    var script = SchedulerScript()
    _ = try running(&script) {
      $0.headers = [HeaderField(received: "X-Key", "secret")]
      $0.login = Login(user: "anna", password: "secret")
      $0.options.mirrors.append(url("http://files.example/again.iso"))
    }
    let samples = plans(script).filter { $0.url.host != "files.example" }
    #expect(samples.count == 2)
    #expect(samples.allSatisfy { $0.login == nil })
    #expect(samples.allSatisfy { !$0.headers.contains { $0.name == "X-Key" } })
    #expect(plans(script).first?.login != nil)
  }

  // MARK: The first source fails

  @Test func `the next mirror opens the file if the URL has none`() throws {
    var script = SchedulerScript()
    let id = script.add(wanted())
    script.head(try #require(script.attempt), 404)
    script.settled(try #require(script.attempt), .cancelled)
    #expect(script.plan?.url.text == mirrors[0])
    script.settled(
      try #require(script.attempt), .failed(TransferFailure(.connectionRefused, on: "b.example")))
    let third = try #require(script.plan)
    #expect(third.url.text == mirrors[1])
    #expect(third.requested == nil)
    script.head(third.attempt, 200, ["Content-Length": "\(Self.total)", "ETag": "\"c\""])
    script.opened(third.attempt, partial(total: Self.total, entityTag: "\"c\""))
    #expect(script.state(id) == .running)
    #expect(script.record(id)?.resumeData?.validatorURL == mirrors[1])
  }

  @Test func `when all sources have failed, the transfer fails as with one`() throws {
    var script = SchedulerScript()
    let id = script.add(wanted())
    for _ in 0..<4 {
      let attempt = try #require(script.attempt)
      script.head(attempt, 404)
      script.settled(attempt, .cancelled)
    }
    #expect(
      plans(script).map(\.url.text) == [spec().url.text] + mirrors + [spec().url.text])
    #expect(script.state(id) == .failed)
    #expect(script.record(id)?.failure?.subject == spec().url.text)
  }

  @Test func `a mirror that may return keeps the transfer waiting`() throws {
    var script = SchedulerScript()
    let id = script.add(wanted())
    for status in [404, 503, 404, 404] {
      let attempt = try #require(script.attempt)
      script.head(attempt, status)
      script.settled(attempt, .cancelled)
    }
    #expect(script.state(id) == .waiting)
    #expect(script.record(id)?.reason == .retry)
  }

  @Test func `present bytes of one source are compared with the bytes of the next`() throws {
    var script = SchedulerScript()
    var record = MachineFixture.record {
      $0.spec = wanted()
      $0.state = .running
      $0.resumeData = partial(durable: 2 << 20, total: Self.total)
    }
    record.resumeData?.lastWriteNanoseconds = 5
    script.run(script.scheduler.recover([record], at: script.now))
    let first = try #require(script.plan)
    #expect(first.requested?.proof == .ifRange("\"v1\""))
    script.head(first.attempt, 404)
    script.settled(first.attempt, .cancelled)
    let second = try #require(script.plan)
    #expect(second.url.text == mirrors[0])
    #expect(second.requested?.proof == .overlap(suspect: nil))
    #expect(second.requested?.lower == (2 << 20) - (64 << 10))
    try part(&script, second)
    guard case .goOn? = script.bodyPlan else {
      Issue.record("It does not continue: \(String(describing: script.lastAction))")
      return
    }
  }

  @Test func `a recovered transfer begins with the source of its validator`() throws {
    var script = SchedulerScript()
    let record = MachineFixture.record {
      $0.spec = wanted()
      $0.state = .running
      $0.resumeData = partial(durable: 2 << 20, total: Self.total, entityTag: "\"c\"")
      $0.resumeData?.validatorURL = mirrors[1]
    }
    script.run(script.scheduler.recover([record], at: script.now))
    #expect(script.plan?.url.text == mirrors[1])
    #expect(script.plan?.requested?.proof == .ifRange("\"c\""))
  }

  @Test func `a source that is lost while the file is open is replaced`() throws {
    var script = SchedulerScript()
    let id = try proved(&script)
    let primary = try #require(plans(script).first)
    for plan in plans(script, at: "c.example") { script.ended(plan.attempt, .cancelled) }
    let lost = TransferFailure(.connectionLost, on: "files.example")
    script.ended(primary.attempt, .failed(lost), upTo: 1 << 20)
    let second = try #require(plans(script, at: "b.example").last)
    script.ended(second.attempt, .failed(lost))
    #expect(script.state(id) == .running || script.state(id) == .queued)
    #expect(script.record(id)?.reason == nil)
  }

  // MARK: Links of the server

  @Test func `the copies that a response names are used for that run`() throws {
    var script = SchedulerScript()
    let link = "<http://d.example/a.iso>; rel=duplicate; pri=1"
    _ = try running(&script, headers: ["Link": link]) { $0.options.mirrors = [] }
    let sample = try #require(plans(script, at: "d.example").first)
    #expect(sample.minimumReach == .world)
  }

  @Test func `a program's task does not use them`() throws {
    var script = SchedulerScript()
    var task = spec("http://files.example/a.iso")
    task.session = SessionID(rawValue: "app")
    task.task = TaskOptions(kind: .download)
    task.connections = 4
    let id = script.add(task)
    let primary = try #require(script.attempt)
    script.head(
      primary, 200,
      [
        "Content-Length": "\(Self.total)", "ETag": "\"v1\"",
        "Link": "<http://d.example/a.iso>; rel=duplicate",
      ])
    script.opened(primary, partial(total: Self.total))
    progress(&script, id, [primary: 1 << 20])
    #expect(plans(script).count > 1)
    #expect(plans(script, at: "d.example").isEmpty)
  }

  // MARK: Checksum

  // Fault 21
  @Test func `a checksum that does not match names the mirrors`() {
    var facts = MachineFixture.facts { $0.spec = wanted() }
    #expect(facts.sourcesOfMismatch == "; it was fetched with mirrors")
    facts.mirrors = MirrorTable(facts.spec)
    facts.mirrors.recordDelivery(of: .init(rawValue: 1))
    #expect(facts.sourcesOfMismatch == "; it was fetched with mirrors, among them b.example")
    #expect(MachineFixture.facts().sourcesOfMismatch == "")
  }
}

extension TransferMachine.State {
  /// The attempts whose ends are pending.
  fileprivate var attemptsForTest: [AttemptID] {
    if case .ending(.attempts(let attempts), _) = self {
      return attempts.sorted { $0.rawValue < $1.rawValue }
    }
    return []
  }
}
