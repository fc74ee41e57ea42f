import KettleModel
import KettleScheduler
import Testing

/// Limits that servers announce, and pauses that follow from them.
struct RateLimitTests {
  private func pause(_ headers: [String: String]) -> Int64? {
    RetryAfter(SchedulerScript.head(429, headers), at: SchedulerScript().now)?.milliseconds
  }

  @Test(arguments: [
    (#""api";r=0;t=55"#, 55_000), (#""pages";r=3;t=9, "api";r=0;t=7, "more";r=0;t=8"#, 8000),
    (#""odd, ;r=1 name";r=0;t=5"#, 5000), (#""api" ; r = 0 ; t = 5"#, 5000),
    (#""api";r=0;t=9223372036854775807"#, .max),
    (#""api";r=1;t=55"#, nil), (#""api";t=55"#, nil), (#""api";r=0"#, nil), ("", nil),
    (#""api";r=0;t=-5"#, nil), (#""api";r=0;t=0"#, nil), (#""open;r=0;t=5"#, nil), (",;=", nil),
  ])
  func `a limit without requests left is a pause`(value: String, milliseconds: Int64?) {
    #expect(pause(["RateLimit": value]) == milliseconds)
  }

  @Test(arguments: ["RateLimit", "X-RateLimit"])
  func `the older fields say the same, with seconds or with a time`(name: String) {
    func pause(_ remaining: String, _ reset: String) -> Int64? {
      self.pause(["\(name)-Remaining": remaining, "\(name)-Reset": reset])
    }
    #expect(pause("0", "30") == 30_000)
    #expect(pause("0", "1700000090") == 90_000)
    #expect(pause("0", "1600000000") == nil)
    #expect(pause("1", "30") == nil)
    #expect(pause("0;w=21600", "30") == nil)
  }

  @Test func `what Retry-After says comes first`() {
    #expect(pause(["Retry-After": "2", "RateLimit": #""api";r=0;t=55"#]) == 2000)
  }

  @Test func `a host that names a shorter time in Retry-After is asked then`() throws {
    var script = SchedulerScript()
    script.add(spec())
    script.head(
      try #require(script.attempt), 429,
      ["Retry-After": "2", "RateLimit": #""files";r=0;t=55"#])
    let until = try #require(script.scheduler.hosts(at: script.now).first?.closedUntil)
    #expect(until.millisecondsSince1970 - script.now.wall.millisecondsSince1970 <= 2000)
  }

  @Test func `a host that has answered the last permitted request is left alone`() throws {
    var script = SchedulerScript()
    script.add(spec())
    script.head(
      try #require(script.attempt), 200,
      ["Content-Length": "1000", "RateLimit": #""files";r=0;t=60"#])
    let next = script.add(spec())
    #expect(script.state(next) == .queued)
    #expect(script.scheduler.hosts(at: script.now).first?.closedUntil != nil)
    script.advance(milliseconds: 60_001)
    script.handle(.timePassed)
    #expect(script.state(next) == .running)
  }
}
