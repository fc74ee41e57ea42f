import KettleModel
import Testing

@testable import KettleScheduler

/// Hosts that cannot be reached while one of the user's queues is closed or full.
struct QueueOutageTests {
  private let night: QueueName
  private let closed: NamedQueues.Settings
  private let isUp = Switch()

  private final class Switch { var isOn = false }

  init() throws {
    night = try #require(QueueName("night"))
    closed = NamedQueues.Settings(hours: WeeklyHours("00:00-00:01", days: [.monday]))
  }

  /// Hosts that refuse until `isUp`.
  private func world(
    _ settings: NamedQueues.Settings = NamedQueues.Settings()
  ) -> OutageScript {
    var limits = TransferQueue.Limits()
    limits.runningMax = 2
    let isUp = isUp
    var world = OutageScript(limits: limits) { plan, _ in
      isUp.isOn || plan.url.host == "up.example" ? nil : OutageScript.refused
    }
    set(settings, in: &world)
    return world
  }

  private func set(_ settings: NamedQueues.Settings, in world: inout OutageScript) {
    world.script.run(world.script.scheduler.setQueues([night: settings], at: world.script.now))
  }

  private func add(
    _ path: String, in queue: QueueName? = nil, to world: inout OutageScript
  ) -> TransferID {
    var wanted = spec("http://files.example/\(path)")
    wanted.options.queue = queue
    return world.script.add(wanted)
  }

  @Test func `a closed queue leaves the probes to others`() {
    var world = world()
    let nightly = add("night", in: night, to: &world)
    let own = add("own", to: &world)
    world.settle()
    #expect(world.script.state(nightly) == .waiting)
    set(closed, in: &world)
    isUp.isOn = true
    world.run(milliseconds: 10_000)
    #expect(world.script.state(own) == .completed)
    #expect(world.script.state(nightly) == .queued)
    set(.init(), in: &world)
    world.settle()
    #expect(world.script.state(nightly) == .completed)
  }

  @Test func `a queue that closes during a probe leaves it to others`() throws {
    var world = world()
    let nightly = add("night", in: night, to: &world)
    let own = add("own", to: &world)
    world.settle()
    world.script.advance(milliseconds: 1000)
    world.script.timePasses()
    #expect(world.script.state(nightly) == .running)
    let probe = try #require(world.script.attempt)
    set(closed, in: &world)
    world.script.settled(probe, .cancelled)
    isUp.isOn = true
    world.run(milliseconds: 10_000)
    #expect(world.script.state(own) == .completed)
    #expect(world.script.state(nightly) == .queued)
  }

  @Test func `a start in a closed queue does not probe`() {
    var world = world()
    let nightly = add("night", in: night, to: &world)
    let own = add("own", to: &world)
    world.settle()
    set(closed, in: &world)
    world.script.control(.start, nightly)
    isUp.isOn = true
    world.run(milliseconds: 10_000)
    #expect(world.script.state(own) == .completed)
    #expect(world.script.state(nightly) == .queued)
  }

  @Test func `when only a closed queue waits for a host its transfers start when it opens`() {
    var world = world()
    let nightly = add("night", in: night, to: &world)
    world.settle()
    set(closed, in: &world)
    world.run(milliseconds: 600_000)
    #expect(world.script.state(nightly) == .queued)
    isUp.isOn = true
    set(.init(), in: &world)
    world.settle()
    #expect(world.script.state(nightly) == .completed)
  }

  @Test func `a full queue leaves the probes to others`() {
    var world = world(.init(transfersMax: 1))
    let nightly = add("night", in: night, to: &world)
    let own = add("own", to: &world)
    world.settle()
    var endless = spec("http://up.example/endless")
    endless.options.queue = night
    // It has no response, so the queue stays full.
    world.script.add(endless)
    world.script.advance(milliseconds: 1000)
    world.script.timePasses()
    #expect(world.script.plan?.url.path == "/own")
    #expect(world.script.state(own) == .running)
    #expect(world.script.state(nightly) == .queued)
  }
}
