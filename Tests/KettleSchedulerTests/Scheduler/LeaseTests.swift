import KettleModel
import Testing

@testable import KettleScheduler

/// Sessions whose right to make requests to a host ends: what a lost lease of a fleet does.
struct LeaseTests {
  private let origin = Origin(scheme: .http, host: "files.example", port: 80)

  private func fleetSpec(_ name: String) -> TransferSpec {
    var one = spec("http://files.example/\(name)")
    one.session = .fleet
    return one
  }

  private func grant(_ script: inout SchedulerScript, milliseconds: Int64) {
    var policy = SessionPolicy()
    policy.openUntil =
      milliseconds > 0 ? [origin: script.now.monotonic.advanced(byMilliseconds: milliseconds)] : [:]
    script.run(script.scheduler.setPolicy(of: .fleet, policy, at: script.now))
  }

  @Test func `nothing is requested without a lease, and everything else is`() {
    var script = SchedulerScript()
    grant(&script, milliseconds: 0)
    let held = script.add(fleetSpec("a"))
    let own = script.add(spec("http://files.example/b"))
    #expect(script.state(held) == .queued)
    #expect(script.state(own) == .running)
    grant(&script, milliseconds: 60_000)
    #expect(script.state(held) == .running)
  }

  @Test func `a response that runs is finished after the lease, and nothing more is requested`()
    throws
  {
    var script = SchedulerScript()
    grant(&script, milliseconds: 60_000)
    let id = script.add(fleetSpec("a"))
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(attempt, partial())
    let second = script.add(fleetSpec("b"))
    #expect(script.state(second) == .running)
    script.advance(milliseconds: 60_001)
    script.timePasses()
    #expect(script.state(id) == .running)
    let third = script.add(fleetSpec("c"))
    #expect(script.state(third) == .queued)
    // It breaks off: its next request waits for a lease.
    script.settled(
      attempt, .failed(TransferFailure(.connectionLost, on: "files.example")), durable: 400)
    script.advance(milliseconds: 30_000)
    script.timePasses()
    let begun = script.actions.count { if case .beginAttempt(id, _) = $0 { true } else { false } }
    #expect(begun == 1)
    grant(&script, milliseconds: 60_000)
    script.timePasses()
    let again = script.actions.count { if case .beginAttempt(id, _) = $0 { true } else { false } }
    #expect(again == 2)
  }
}
