import KettleModel
import Testing

@testable import KettleScheduler

/// Connections that deliver nothing, and who delivers in their place.
struct SilenceTests {
  private static let total: Int64 = 64 << 20

  /// A download with so many connections, all of which have delivered something.
  private struct World {
    var script = SchedulerScript()
    let id: TransferID
    var upTo: [AttemptID: Int64] = [:]

    init(connections: Int) throws {
      var wanted = spec()
      wanted.connections = connections
      id = script.add(wanted)
      let primary = try #require(script.attempt)
      script.head(primary, 200, ["Content-Length": "\(total)", "ETag": "\"v1\""])
      script.opened(primary, partial(total: total))
      script.advance(milliseconds: 100)
      script.timePasses()
      for plan in plans.dropFirst() { try answer(plan) }
      for plan in plans { upTo[plan.attempt] = (plan.requested?.lower ?? 0) + 4096 }
      tick()
    }

    var plans: [AttemptPlan] {
      script.actions.compactMap { if case .beginAttempt(_, let plan) = $0 { plan } else { nil } }
    }

    var cancelled: [AttemptID] {
      script.actions.compactMap { if case .cancelAttempt(let one) = $0 { one } else { nil } }
    }

    mutating func answer(_ plan: AttemptPlan) throws {
      let asked = try #require(plan.requested)
      script.head(
        plan.attempt, 206,
        [
          "Content-Range": "bytes \(asked.lower)-\((asked.upper ?? total) - 1)/\(total)",
          "ETag": "\"v1\"",
        ])
      script.handle(.body(id, .recorded))
    }

    mutating func tick() {
      script.handle(.body(id, .progressed(upTo)))
    }

    mutating func pass(milliseconds: Int64) {
      for _ in 0..<(milliseconds / 250) {
        script.advance(milliseconds: 250)
        script.timePasses()
        tick()
      }
    }
  }

  // Fault 38
  @Test func `a request without an answer is repeated over a new connection`() throws {
    var world = try World(connections: 2)
    let first = try #require(world.plans.first).attempt
    // The first connection ends, and the one that takes over a part is never answered.
    let end = try #require(
      world.script.scheduler.machines[world.id]?.download?
        .connection(of: first)?.range?.upper)
    world.upTo[first] = nil
    world.script.ended(first, .complete, upTo: end)
    world.pass(milliseconds: 250)
    let unanswered = try #require(world.plans.last)
    let other = try #require(world.plans.dropFirst().first)
    world.upTo[other.attempt] = nil
    let owned = try #require(unanswered.requested)
    world.script.ended(other.attempt, .cancelled, upTo: owned.lower)
    let before = world.plans.count
    world.pass(milliseconds: 2000)
    #expect(world.plans.count == before)
    world.pass(milliseconds: 750)
    #expect(world.plans.count == before + 1)
    let second = try #require(world.plans.last)
    #expect(second.requested?.upper == owned.upper)
    #expect(second.reuse == .none)
    #expect(!world.cancelled.contains(unanswered.attempt))
    world.pass(milliseconds: 1000)
    #expect(world.plans.count == before + 1, "no third connection requests the part")
    try world.answer(second)
    #expect(world.cancelled.contains(unanswered.attempt))
    world.script.ended(unanswered.attempt, .cancelled)
    #expect(
      world.script.scheduler.machines[world.id]?.download?.pacing.failureCount == 0,
      "a silent connection that was replaced is not a failure")
  }

  // Fault 66
  @Test func `after a change of the network a silent connection gets a second one at once`() throws
  {
    var world = try World(connections: 1)
    let first = try #require(world.plans.first).attempt
    world.script.handle(.networkChanged(.absent))
    world.script.advance(milliseconds: 50)
    world.script.handle(.networkChanged(.present))
    #expect(world.plans.count == 1)
    world.pass(milliseconds: 250)
    #expect(world.plans.count == 2)
    #expect(world.cancelled.isEmpty, "the old connection stays until the new one is answered")
    try world.answer(try #require(world.plans.last))
    #expect(world.cancelled == [first])
  }

  // Fault 66
  @Test func `after a change of the network a connection that delivers is left alone`() throws {
    var world = try World(connections: 1)
    let first = try #require(world.plans.first).attempt
    world.script.handle(.networkChanged(.present))
    world.upTo[first]? += 4096
    world.pass(milliseconds: 1000)
    #expect(world.plans.count == 1)
  }

  // Fault 66
  @Test func `while nothing arrives two connections test the network and no other is closed`()
    throws
  {
    var world = try World(connections: 4)
    let old = world.plans.map(\.attempt)
    world.pass(milliseconds: 30_000)
    #expect(world.plans.count == 6)
    #expect(world.cancelled.isEmpty)
    try world.answer(try #require(world.plans.dropFirst(4).first))
    #expect(world.cancelled.count == 1)
    #expect(old.contains(try #require(world.cancelled.first)))
  }

  // Fault 199
  @Test func `tests of the network that fail are followed by others, whatever their number`()
    throws
  {
    var world = try World(connections: 4)
    let silence = TransferFailure(.timedOut, on: "files.example")
    for round in 1...20 {
      world.pass(milliseconds: 30_000)
      let tests = world.plans.suffix(2).map(\.attempt)
      #expect(world.plans.count == 4 + 2 * round)
      for test in tests { world.script.ended(test, .failed(silence)) }
    }
    world.pass(milliseconds: 2000)
    let download = try #require(world.script.scheduler.machines[world.id]?.download)
    #expect(download.pacing.failureCount == 0)
    let test = try #require(world.plans.last)
    try world.answer(test)
    world.upTo[test.attempt] = (test.requested?.lower ?? 0) + 4096
    world.pass(milliseconds: 5000)
    // Of the other three parts, one has a test.
    #expect(world.plans.count == 46)
  }

  // Fault 66
  @Test func `a test of the network is closed when the old connection delivers first`() throws {
    var world = try World(connections: 1)
    let first = try #require(world.plans.first).attempt
    world.pass(milliseconds: 3000)
    let test = try #require(world.plans.last).attempt
    #expect(test != first)
    world.upTo[first]? += 4096
    world.pass(milliseconds: 250)
    #expect(world.cancelled == [test])
  }
}
