import KettleModel
import Testing

@testable import KettleScheduler

/// Refusals of links that have served bytes, and of hosts that are full, as scripts of events.
struct RefusedLinkTests {
  /// Begins a download, and interrupts it with bytes present.
  private func interrupted(
    _ script: inout SchedulerScript, durable: Int64 = 70, entityTag: String? = "\"v1\""
  ) throws -> TransferID {
    let id = script.add(spec())
    let attempt = try #require(script.attempt)
    var headers = ["Content-Length": "1000"]
    headers["ETag"] = entityTag
    script.head(attempt, 200, headers)
    script.opened(attempt, partial(entityTag: entityTag))
    script.settled(
      attempt, .failed(TransferFailure(.connectionLost, on: "files.example")), durable: durable)
    script.advance(milliseconds: 1000)
    script.timePasses()
    return id
  }

  /// Answers the last request with a status. Returns whether another one follows at once.
  private func refuse(
    _ status: Int, _ script: inout SchedulerScript
  ) throws -> Bool {
    let attempt = try #require(script.attempt)
    script.head(attempt, status)
    script.settled(attempt, .cancelled)
    return script.attempt != attempt
  }

  private func range(_ script: SchedulerScript) -> String? {
    script.plan?.headers.first { $0.name == "Range" }?.value
  }

  // Fault 141
  // Fault 44
  @Test(arguments: [403, 404, 410])
  func `a missing file is requested again, then without a range, before a link is needed`(
    status: Int
  ) throws {
    var script = SchedulerScript()
    let id = try interrupted(&script)
    #expect(range(script) == "bytes=70-")
    #expect(try refuse(status, &script) == false)
    #expect(script.record(id)?.reason == .retry)
    script.advance(milliseconds: 2000)
    script.timePasses()
    #expect(range(script) == "bytes=70-")
    #expect(try refuse(status, &script))
    #expect(script.plan?.requested == nil)
    #expect(try refuse(status, &script) == false)
    #expect(script.record(id)?.reason == .retry)
    script.advance(milliseconds: 8000)
    script.timePasses()
    #expect(try refuse(status, &script) == false)
    let record = try #require(script.record(id))
    #expect(record.reason == .needsLink)
    #expect(record.failure?.code == .linkExpired)
    #expect(record.failure?.detail == "\(status)")
    #expect(record.resumeData?.durable.byteCount == 70)
  }

  // Fault 141
  @Test(arguments: [400, 405, 412, 501])
  func `a refused form of request is followed by the other one`(status: Int) throws {
    var script = SchedulerScript()
    let id = try interrupted(&script)
    #expect(try refuse(status, &script))
    #expect(script.plan?.requested == nil)
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    guard case .goOn(let resumeData)? = script.bodyPlan else {
      Issue.record("\(String(describing: script.bodyPlan))")
      return
    }
    #expect(resumeData.durable.byteCount == 70)
    #expect(script.record(id)?.freshStart == .rangeIgnored)
  }

  // Fault 141
  @Test(arguments: [400, 403, 404, 410, 304, 405, 412, 451, 501, 505, 204, 300])
  func `however a server refuses, the requests are few and no byte is lost`(status: Int) throws {
    for entityTag in ["\"v1\"", nil] {
      var script = SchedulerScript()
      let id = try interrupted(&script, entityTag: entityTag)
      var count = 0
      while script.state(id) == .running || script.record(id)?.reason == .retry, count < 50 {
        if script.state(id) == .running {
          _ = try refuse(status, &script)
          count += 1
        }
        script.advance(milliseconds: 100_000)
        script.timePasses()
      }
      #expect(count == RefusalRemedy.refusalCountMax)
      let record = try #require(script.record(id))
      #expect(record.resumeData?.durable.byteCount == 70)
      if [400, 403, 404, 410].contains(status) {
        #expect(record.reason == .needsLink)
      } else {
        #expect(record.state == .failed)
        #expect(record.failure?.code == .httpStatus)
      }
    }
  }

  @Test func `every combination of refusal, count and request has a remedy, and both forms occur`()
  {
    for status in [400, 403, 404, 410, 412, 501] {
      var remedies: [RefusalRemedy] = []
      var isOfRange = true
      for count in 1...RefusalRemedy.refusalCountMax {
        let remedy = RefusalRemedy(status, count: count, isOfRange: isOfRange)
        remedies.append(remedy)
        isOfRange = remedy != .wholeFile
        #expect(
          RefusalRemedy(status, count: count, isOfRange: false) != .wholeFile, "it was refused")
      }
      #expect(remedies.contains(.wholeFile))
      #expect(remedies.contains(.sameRequest))
      #expect(remedies.last == RefusalRemedy.none)
    }
  }

  // Fault 142
  @Test func `bytes that arrive make a link good again`() throws {
    var script = SchedulerScript()
    let id = try interrupted(&script)
    for count in Int64(1)...20 {
      #expect(try refuse(404, &script) == false)
      #expect(script.record(id)?.reason == .retry, "\(count)")
      script.advance(milliseconds: 2000)
      script.timePasses()
      let attempt = try #require(script.attempt)
      let lower = 70 + (count - 1) * 10
      script.head(
        attempt, 206, ["Content-Range": "bytes \(lower)-999/1000", "ETag": "\"v1\""])
      script.opened(attempt, partial(durable: lower))
      script.settled(
        attempt, .failed(TransferFailure(.connectionLost, on: "files.example")),
        durable: lower + 10)
      script.advance(milliseconds: 2000)
      script.timePasses()
    }
    #expect(script.state(id) == .running)
  }

  // Fault 142
  @Test(arguments: [404, 410])
  func `a host that serves others is asked once more for a file that it does not have`(
    status: Int
  ) throws {
    var script = SchedulerScript()
    let alone = script.add(spec("http://files.example/none"))
    #expect(try refuse(status, &script) == false)
    #expect(script.state(alone) == .failed)

    let good = script.add(spec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(attempt, partial())
    script.settled(attempt, .complete, durable: 1000)
    #expect(script.state(good) == .verifying)
    let other = script.add(spec("http://files.example/other"))
    #expect(try refuse(status, &script) == false)
    #expect(script.record(other)?.reason == .retry)
    script.advance(milliseconds: 2000)
    script.timePasses()
    #expect(script.state(other) == .running)
    #expect(try refuse(status, &script) == false)
    #expect(script.state(other) == .failed)
    #expect(script.record(other)?.failure?.detail == "\(status)")
  }

  // Fault 142
  @Test(arguments: [403, 429, 503, 509, 529])
  func `a thousand transfers of one rate-limited host wait together`(status: Int) throws {
    var script = SchedulerScript()
    let ids = (0..<1000).map { script.add(spec("http://files.example/\($0)")) }
    func begun(_ script: SchedulerScript) -> [AttemptID] {
      script.actions.compactMap {
        if case .beginAttempt(_, let plan) = $0 { plan.attempt } else { nil }
      }
    }
    let first = begun(script)
    for attempt in first {
      script.head(attempt, status, ["Retry-After": "60"])
      script.settled(attempt, .cancelled)
    }
    script.advance(milliseconds: 59_000)
    script.timePasses()
    #expect(begun(script).count == first.count, "the others are not asked for")
    // The end of the queue may be in the store alone.
    let states = ids.compactMap { script.state($0) }
    #expect(states.allSatisfy { $0 == .waiting || $0 == .queued })
    script.advance(milliseconds: 1000)
    script.timePasses()
    #expect(begun(script).count > first.count)
  }

  // Fault 142
  @Test func `a refusal of one file with Retry-After leaves its host alone`() throws {
    for status in [202, 404, 423] {
      var script = SchedulerScript()
      let id = script.add(spec())
      let attempt = try #require(script.attempt)
      script.head(attempt, status, ["Retry-After": "60"])
      script.settled(attempt, .cancelled)
      #expect(script.record(id)?.reason == .retryAfter)
      let other = script.add(spec("http://files.example/other"))
      #expect(script.state(other) == .running)
    }
  }

  // Fault 144
  @Test func `a network that wants a login is waited for, and its host with all transfers`() throws
  {
    var script = SchedulerScript()
    let id = try interrupted(&script)
    for _ in 0..<30 {
      #expect(try refuse(511, &script) == false)
      let record = try #require(script.record(id))
      #expect(record.reason == .network)
      #expect(record.failure?.asksForNetworkLogin == true)
      let other = script.add(spec("http://files.example/other"))
      #expect(script.state(other) == .queued)
      script.control(.remove(.stays), other)
      script.advance(milliseconds: 10_000)
      script.timePasses()
      #expect(script.state(id) == .running)
    }
    // The network reports a change: perhaps after the login.
    #expect(try refuse(511, &script) == false)
    script.handle(.networkChanged(.present))
    #expect(script.record(id)?.reason != .network)
  }

  // Fault 142
  @Test func `a misdirected request is sent again over another connection`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    #expect(script.plan?.reuse == .permitted)
    #expect(try refuse(421, &script) == false)
    #expect(script.record(id)?.reason == .retry)
    script.advance(milliseconds: 2000)
    script.timePasses()
    #expect(script.plan?.reuse == ConnectionReuse.none)
  }

  // Fault 141
  @Test func `a part that was not requested is followed by a request for all bytes`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let first = try #require(script.attempt)
    let part = ["Content-Range": "bytes 0-399/1000", "Content-Length": "400", "ETag": "\"v1\""]
    script.head(first, 206, part)
    script.settled(first, .cancelled)
    #expect(range(script) == "bytes=0-")
    // A redirect does not change the form of the request.
    let second = try #require(script.attempt)
    script.head(second, 302, ["Location": "/b.iso"])
    script.settled(second, .cancelled)
    #expect(range(script) == "bytes=0-")
    let third = try #require(script.attempt)
    script.head(third, 206, part)
    script.opened(third, partial())
    script.settled(third, .complete, durable: 400)
    #expect(script.state(id) == .running)
    #expect(range(script)?.hasPrefix("bytes=400-") == true)
    #expect(script.plan?.requested?.proof == .ifRange("\"v1\""))
  }
}
