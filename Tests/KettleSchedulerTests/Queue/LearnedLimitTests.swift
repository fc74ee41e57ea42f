import KettleModel
import Testing

@testable import KettleScheduler

/// What refusals show about a host, and for how long.
struct LearnedLimitTests {
  private let origin = url("http://files.example/").origin
  private let start = SchedulerScript().now

  private func moment(_ seconds: Int64) -> Moment {
    Moment(
      monotonic: start.monotonic.advanced(byMilliseconds: seconds * 1000),
      wall: start.wall.advanced(byMilliseconds: seconds * 1000))
  }

  private func hint(_ connectionsMax: Int) -> HostLimitHint {
    HostLimitHint(origin: origin, connectionsMax: connectionsMax, status: 503)
  }

  @Test(arguments: [1, 2, 8, 23])
  func `one refusal is over within two minutes`(others: Int) {
    var hosts = HostTable()
    hosts.learn(hint(others), at: start)
    #expect(hosts.connectionsMax(at: origin, start.monotonic) == others)
    #expect(hosts.connectionsMax(at: origin, moment(119).monotonic) == nil)
  }

  @Test func `the limit rises by one every half minute up to what was tried`() {
    var hosts = HostTable()
    hosts.learn(hint(8), at: start)
    for count in [7, 6, 5, 4, 3, 2] { hosts.learn(hint(count), at: start) }
    let limit = hosts.limit(at: origin, start.monotonic)
    #expect(limit?.triedCount == 9)
    #expect(limit?.status == 503)
    #expect(limit?.since == start.wall)
    let rises = stride(from: Int64(0), through: 240, by: 30).map {
      hosts.connectionsMax(at: origin, moment($0).monotonic)
    }
    #expect(rises == [2, 3, 4, 5, 6, 7, 8, 9, nil])
  }

  @Test func `a refusal on the way up begins again from there`() {
    var hosts = HostTable()
    hosts.learn(hint(4), at: start)
    hosts.learn(hint(2), at: start)
    hosts.learn(hint(3), at: moment(65))
    #expect(hosts.connectionsMax(at: origin, moment(65).monotonic) == 3)
    #expect(hosts.connectionsMax(at: origin, moment(94).monotonic) == 3)
    #expect(hosts.connectionsMax(at: origin, moment(96).monotonic) == 4)
    #expect(hosts.limit(at: origin, moment(96).monotonic)?.since == start.wall)
  }

  @Test func `each rise is an alarm, and a reset ends it`() {
    var hosts = HostTable()
    hosts.learn(hint(2), at: start)
    #expect(hosts.nextOpening == moment(30).monotonic)
    // It is due until it is handled.
    hosts.forget(at: moment(29).monotonic)
    #expect(hosts.nextOpening == moment(30).monotonic)
    hosts.forget(at: moment(30).monotonic)
    #expect(hosts.nextOpening == moment(60).monotonic)
    let (first, second) = (hosts.reset(origin), hosts.reset(origin))
    #expect(first && !second)
    #expect(hosts.connectionsMax(at: origin, start.monotonic) == nil)
  }

  @Test func `a 503 without other connections limits nothing`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 503)
    script.settled(attempt, .cancelled)
    #expect(script.record(id)?.reason == .retry)
    #expect(script.scheduler.hosts.limit(at: origin, script.now.monotonic) == nil)
  }

  @Test func `a 503 beside another connection limits the host for a minute`() throws {
    var script = SchedulerScript()
    script.add(spec("http://files.example/0"))
    script.head(try #require(script.attempt), 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    let id = script.add(spec("http://files.example/1"))
    let attempt = try #require(script.attempt)
    script.head(attempt, 503)
    script.settled(attempt, .cancelled)
    #expect(script.state(id) == .queued)
    #expect(script.scheduler.hosts.limit(at: origin, script.now.monotonic)?.status == 503)
    let heldBack = script.scheduler.census(at: script.now).heldBack(
      .init(origin: origin, session: .kettle, priority: .normal))
    #expect(heldBack.cause == .hostLimit)
    #expect(heldBack.status == 503)
    #expect(heldBack.limitedSince == script.now.wall)
    #expect(heldBack.until == script.now.wall.advanced(byMilliseconds: 30_000))
    script.advance(milliseconds: 30_000)
    // The engine calls `timePassed` only if this time has come.
    #expect(try #require(script.scheduler.nextWakeUp(at: script.now)) <= script.now.monotonic)
    script.timePasses()
    #expect(script.state(id) == .running)
  }
}
