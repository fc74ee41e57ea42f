import KettleModel
import KettleScheduler
import Testing

/// Failures, waits and dates, as scripts of events.
struct RetryLifeTests {
  @Test func `a lost connection is retried after one second with its bytes`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(attempt, partial())
    script.settled(
      attempt, .failed(TransferFailure(.connectionLost, on: "files.example")), durable: 250)
    #expect(script.state(id) == .waiting)
    #expect(script.record(id)?.reason == .retry)
    #expect(
      script.scheduler.nextWakeUp(at: script.now)
        == script.now.monotonic.advanced(byMilliseconds: 1000)
    )
    script.advance(milliseconds: 999)
    script.timePasses()
    #expect(script.state(id) == .waiting)
    script.advance(milliseconds: 1)
    script.timePasses()
    #expect(script.state(id) == .running)
    #expect(script.plan?.headers.first?.value == "bytes=250-")
  }

  @Test func `the number of retries without progress is limited`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    var tries = 0
    while script.state(id) != .failed, tries < 50 {
      let attempt = try #require(script.attempt)
      script.settled(attempt, .failed(TransferFailure(.connectionLost, on: "files.example")))
      tries += 1
      script.advance(milliseconds: 100_000)
      script.timePasses()
    }
    #expect(tries == 11)
    #expect(script.record(id)?.failure?.code == .connectionLost)
  }

  @Test func `a name that is not found is given up sooner`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    for _ in 0..<3 {
      let attempt = try #require(script.attempt)
      script.settled(attempt, .failed(TransferFailure(.hostNotFound, on: "files.example")))
      script.advance(milliseconds: 5000)
      script.timePasses()
    }
    #expect(script.state(id) == .failed)
  }

  @Test func `received bytes reset the retry count`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let lost = AttemptOutcome.failed(TransferFailure(.connectionLost, on: "files.example"))
    for count in Int64(1)...30 {
      let attempt = try #require(script.attempt)
      if count == 1 {
        script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
        script.opened(attempt, partial())
      } else {
        script.head(
          attempt, 206,
          ["Content-Range": "bytes \((count - 1) * 10)-999/1000", "ETag": "\"v1\""])
        script.opened(attempt, partial(durable: (count - 1) * 10))
      }
      script.settled(attempt, lost, durable: count * 10)
      #expect(script.state(id) == .waiting)
      script.advance(milliseconds: 1000)
      script.timePasses()
    }
    #expect(script.state(id) == .running)
  }

  @Test func `Retry-After is honoured and does not count as a retry`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    for _ in 0..<20 {
      let attempt = try #require(script.attempt)
      script.head(attempt, 503, ["Retry-After": "120"])
      script.settled(attempt, .cancelled)
      #expect(script.record(id)?.reason == .retryAfter)
      script.advance(milliseconds: 119_999)
      script.timePasses()
      #expect(script.state(id) == .waiting)
      script.advance(milliseconds: 1)
      script.timePasses()
      #expect(script.state(id) == .running)
    }
  }

  @Test func `a Retry-After that answers a cancelled attempt counts`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let attempt = try #require(script.attempt)
    script.control(.pause, id)
    script.head(attempt, 429, ["Retry-After": "100"])
    script.settled(attempt, .cancelled)
    let other = script.add(spec("http://files.example/b.iso"))
    #expect(script.state(other) == .queued)
    script.advance(milliseconds: 100_000)
    script.timePasses()
    #expect(script.state(other) == .running)
  }

  @Test func `a Retry-After of ten years is limited to a day`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 429, ["Retry-After": "315360000"])
    script.settled(attempt, .cancelled)
    script.advance(milliseconds: RetryPolicy.waitMillisecondsMax)
    script.timePasses()
    #expect(script.state(id) == .running)
  }

  @Test func `a 404 fails at once`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 404)
    script.settled(attempt, .cancelled)
    #expect(script.state(id) == .failed)
    #expect(script.record(id)?.failure?.detail == "404")
  }

  @Test func `a transfer that needs a login waits, and a start retries it`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 401)
    script.settled(attempt, .cancelled)
    #expect(script.record(id)?.reason == .needsLogin)
    #expect(script.scheduler.nextWakeUp(at: script.now) == nil)
    script.control(.start, id)
    #expect(script.state(id) == .running)
  }

  @Test func `a transfer waits while the disk is full`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(attempt, partial())
    script.settled(attempt, .failed(TransferFailure(.diskFull, on: "/downloads")), durable: 10)
    #expect(script.record(id)?.reason == .diskSpace)
    script.advance(milliseconds: 10_000)
    script.timePasses()
    #expect(script.state(id) == .running)
  }

  @Test func `a scheduled transfer starts at its date on the wall clock`() throws {
    var script = SchedulerScript()
    var later = spec()
    later.notBefore = script.now.wall.advanced(byMilliseconds: 3_600_000)
    let id = script.add(later)
    #expect(script.state(id) == .scheduled)
    // The wall clock is checked every minute, because it can be set.
    #expect(
      script.scheduler.nextWakeUp(at: script.now)
        == script.now.monotonic.advanced(byMilliseconds: 60_000))
    script.now.wall = script.now.wall.advanced(byMilliseconds: 3_600_000)
    script.timePasses()
    #expect(script.state(id) == .running)
  }

  @Test func `a transfer stays scheduled when the wall clock is set back`() throws {
    var script = SchedulerScript()
    var later = spec()
    later.notBefore = script.now.wall.advanced(byMilliseconds: 1000)
    let id = script.add(later)
    script.now.monotonic = script.now.monotonic.advanced(byMilliseconds: 60_000)
    script.now.wall = script.now.wall.advanced(byMilliseconds: -86_400_000)
    script.timePasses()
    #expect(script.state(id) == .scheduled)
    #expect(script.scheduler.nextWakeUp(at: script.now) != nil)
  }

  @Test func `a body that ends early is truncated`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(attempt, partial())
    script.settled(attempt, .complete, durable: 999)
    #expect(script.state(id) == .waiting)
    #expect(script.record(id)?.failure?.code == .truncated)
  }

  @Test func `without a known size, the file ends with the response`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 200)
    script.opened(attempt, partial(total: nil, entityTag: nil))
    script.settled(attempt, .complete, durable: 777)
    #expect(script.state(id) == .verifying)
    #expect(script.record(id)?.resumeData?.totalByteCount == 777)
  }
}
