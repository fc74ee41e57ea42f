import KettleModel
import KettleScheduler
import Testing

/// Programs that add a task at every start and exit; the task finishes immediately.
@Suite struct LaunchPaceTests {
  private var world = SessionWorld()
  private var taskCount: Int64 = 0

  /// The program connects, adds a task, reports completion and exits; then the task finishes.
  private mutating func run(processID: Int64, processSession: Int64) {
    taskCount += 1
    world.attach(UInt64(taskCount), processID: processID, processSession: processSession)
    world.task(taskCount, .queued)
    world.perform(world.table.finishEvents(of: SessionWorld.app))
    world.detach(UInt64(taskCount))
    world.task(taskCount, .completed)
  }

  /// Runs the program at every launch during this time, and returns the times of the launches.
  private mutating func loop(for milliseconds: Int64) -> [Int64] {
    let began = world.now.monotonic
    var launchedAt: [Int64] = []
    var known = world.launches.count - 1
    while world.now.monotonic.milliseconds(since: began) < milliseconds {
      while known < world.launches.count {
        launchedAt.append(world.now.monotonic.milliseconds(since: began))
        let launch = world.launches[known]
        known += 1
        let processID = Int64(1000 + known)
        world.perform(
          world.table.launchStarted(of: SessionWorld.app, launch, processID: processID))
        run(processID: processID, processSession: processID)
        world.perform(
          world.table.launchEnded(of: SessionWorld.app, launch, how: "exit 0", at: world.now))
      }
      world.pass(500)
    }
    return launchedAt
  }

  @Test mutating func `a program that adds a task at every launch is launched less and less often`()
  {
    run(processID: 5, processSession: 5)
    let launchedAt = loop(for: 6_000_000)
    let pauses = zip(launchedAt, launchedAt.dropFirst()).map { $1 - $0 }
    #expect(
      pauses.prefix(12) == [
        1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 600_000, 600_000,
      ])
    #expect(pauses.allSatisfy { $0 <= 600_000 })
  }

  @Test mutating func `a start by the user ends the pauses between launches`() {
    run(processID: 5, processSession: 5)
    let before = loop(for: 100_000).count
    #expect(before > 5)
    let count = world.launches.count
    run(processID: 6, processSession: 6)
    #expect(world.launches.count == count + 1)
  }

  @Test mutating func `a leftover process of a launched program is not mistaken for the user`() {
    run(processID: 5, processSession: 5)
    _ = loop(for: 100_000)
    let count = world.launches.count
    run(processID: 6, processSession: Int64(1000 + count))
    #expect(world.launches.count == count)
  }

  @Test mutating func `an hour without a launch resets the pauses`() {
    run(processID: 5, processSession: 5)
    _ = loop(for: 100_000)
    // The last task causes a launch, and the program acknowledges it.
    world.pass(600_000)
    world.attach(100, processID: 7, processSession: nil)
    for id in 1...taskCount { world.acknowledge(id) }
    world.detach(100)
    world.pass(3_600_000)
    taskCount += 1
    world.task(taskCount, .queued)
    world.task(taskCount, .completed)
    let launchedAt = loop(for: 10_000)
    #expect(launchedAt.prefix(4) == [0, 1000, 3000, 7000])
  }
}
