import KettleModel
import KettleScheduler
import TestSupport
import Testing

@testable import KettleEngine

/// How often all running transfers are looked at.
@Suite(.timeLimit(.minutes(5)))
struct TurnPaceTests {
  private let now = MonotonicTime(milliseconds: 5000)

  private func later(_ milliseconds: Int64) -> MonotonicTime {
    now.advanced(byMilliseconds: milliseconds)
  }

  @Test(arguments: [
    (ProgressCadence.quiet, 1, Int64(250)), (.quiet, 250, 250), (.quiet, 400, 400),
    (.quiet, 5000, 1000), (.live, 1, 100), (.live, 400, 100), (.live, 1000, 250),
  ])
  func `ticks are rarer the more transfers run`(
    cadence: ProgressCadence, runningCount: Int, milliseconds: Int64
  ) {
    var pace = TurnPace()
    pace.cadence = cadence
    #expect(pace.nextTick(runningCount: runningCount, at: now) == later(milliseconds))
  }

  @Test func `few transfers have exact wake-ups`() {
    var pace = TurnPace()
    #expect(pace.wakeUp(wanted: later(1), runningCount: 1000) == later(1))
    pace.woken(at: now)
    #expect(pace.wakeUp(wanted: later(1), runningCount: 32) == later(1))
    #expect(pace.wakeUp(wanted: later(1), runningCount: 100) == later(50))
    #expect(pace.wakeUp(wanted: later(60), runningCount: 100) == later(60))
  }

  @Test func `the wake-ups of many transfers coincide`() async throws {
    let count = 64
    let world = try await EngineWorld {
      $0.limits.runningMax = count
      $0.limits.connectionsMax = count
    }
    let specs = (1...count).map { EngineWorld.spec("http://h\($0).example/\($0).iso") }
    _ = try await world.engine.add(specs)
    for number in 1...count {
      let attempt = await world.transport.request(number).id
      world.transport.head(attempt, 200, ["Content-Length": "1048576", "ETag": "\"v1\""])
      await world.transport.called { $0.contains(.accept(attempt)) }
      await world.advance(milliseconds: 1)
    }
    var wakeUpCount = 0
    let end = world.clock.now().monotonic.advanced(byMilliseconds: 1000)
    while let deadline = world.clock.deadline, deadline < end {
      await world.advance(
        milliseconds: deadline.milliseconds(since: world.clock.now().monotonic))
      await world.engine.turn()
      wakeUpCount += 1
    }
    // One every 32 ms, and the ticks. With wake-ups of their own, the transfers would cause more.
    #expect(wakeUpCount <= 40)
  }
}
