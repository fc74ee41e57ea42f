import KettleModel
import Testing

@testable import KettleScheduler

/// Proxies and logins that are tried by one transfer before the others follow.
struct TrialTests {
  private func throughProxy(
    _ failure: @escaping (AttemptPlan, Moment) -> TransferFailure?
  ) -> OutageScript {
    var world = OutageScript(failure)
    world.script.scheduler.setProxies { _ in "proxy:3128" }
    return world
  }

  private static let rejected = TransferFailure(
    .proxyLoginNeeded, on: "proxy:3128", detail: "rejected the login")

  @Test func `a proxy that rejects the login is asked once for ten transfers`() {
    var world = throughProxy { _, _ in Self.rejected }
    for index in 0..<10 { world.script.add(spec("http://h\(index).example/a")) }
    world.settle()
    #expect(world.attempts.count == 1)
    let records = world.script.scheduler.machines.values.map(\.record)
    #expect(records.allSatisfy { $0.state == .waiting && $0.reason == .proxy })
    #expect(records.allSatisfy { $0.failure == Self.rejected && $0.retryCount == 0 })
    world.run(milliseconds: 1_100_000)
    #expect(world.times == [0, 60_000, 180_000, 480_000, 1_080_000])
  }

  @Test func `when the proxy accepts, all continue`() {
    let start = SchedulerScript().now.monotonic
    var world = throughProxy { _, now in
      now.monotonic.milliseconds(since: start) < 100_000 ? Self.rejected : nil
    }
    for index in 0..<10 { world.script.add(spec("http://h\(index).example/a")) }
    world.run(milliseconds: 200_000)
    #expect(world.count(.completed) == 10)
  }

  @Test func `an unreachable proxy is probed like a host, without an end`() {
    let down = TransferFailure(.proxyUnreachable, on: "proxy:3128", detail: "Connection refused")
    var world = throughProxy { _, _ in down }
    for index in 0..<10 { world.script.add(spec("http://h\(index).example/a")) }
    world.run(milliseconds: 3_600_000)
    #expect(world.count(.failed) == 0)
    #expect(world.times.prefix(4) == [0, 1000, 3000, 7000])
  }

  @Test func `a proxy that works delays nothing but the first answer`() {
    var world = throughProxy { _, _ in nil }
    for index in 0..<50 { world.script.add(spec("http://h\(index).example/a")) }
    world.settle()
    #expect(world.count(.completed) == 50)
  }

  private func withLogin(_ path: String) -> TransferSpec {
    var spec = spec("http://files.example/\(path)")
    spec.login = Login(user: "me", password: "wrong")
    return spec
  }

  @Test func `a rejected login is not sent by the other transfers of the host`() throws {
    var script = SchedulerScript()
    let ids = (0..<10).map { script.add(withLogin("\($0)")) }
    let other = script.add(spec("http://other.example/a"))
    let attempt = try #require(
      script.actions.compactMap { action -> AttemptID? in
        if case .beginAttempt(ids[0], let plan) = action { plan.attempt } else { nil }
      }.first)
    script.head(attempt, 401)
    script.settled(attempt, .cancelled)
    for id in ids {
      #expect(script.record(id)?.reason == .needsLogin)
      #expect(script.record(id)?.failure?.code == .loginNeeded)
    }
    let begun = script.actions.count { if case .beginAttempt = $0 { true } else { false } }
    #expect(begun == 2)
    #expect(script.state(other) == .running)
  }

  @Test func `a start tries a rejected login again`() throws {
    var script = SchedulerScript()
    let ids = (0..<3).map { script.add(withLogin("\($0)")) }
    let first = try #require(script.attempt)
    script.head(first, 401)
    script.settled(first, .cancelled)
    script.control(.start, ids[1])
    let second = try #require(script.attempt)
    #expect(second != first)
    script.head(second, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.control(.start, ids[2])
    #expect(script.state(ids[2]) == .running)
  }

  @Test func `a login that was accepted is not given up for one path`() throws {
    var script = SchedulerScript()
    script.add(withLogin("0"))
    script.head(try #require(script.attempt), 200, ["Content-Length": "1000"])
    let refused = script.add(withLogin("secret"))
    let attempt = try #require(script.attempt)
    script.head(attempt, 401)
    script.settled(attempt, .cancelled)
    #expect(script.record(refused)?.reason == .needsLogin)
    let next = script.add(withLogin("2"))
    #expect(script.state(next) == .running)
  }
}
