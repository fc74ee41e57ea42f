import KettleModel
import SeededNumbers
import Testing

@testable import KettleScheduler

/// When hooks start, and when they are ended.
struct HookQueueTests {
  private static let start = MonotonicTime(milliseconds: 1_000_000)

  private static func time(_ seconds: Int64) -> MonotonicTime {
    start.advanced(byMilliseconds: seconds * 1000)
  }

  private static func ids(_ numbers: ClosedRange<Int64>) -> [HookRunID] {
    numbers.map { HookRunID(rawValue: $0) }
  }

  private static func id(_ number: Int64) -> HookRunID { HookRunID(rawValue: number) }

  private static func queue(runningMax: Int = 2, seconds: Int = 300) -> HookQueue {
    var limits = HookQueue.Limits()
    limits.runningMax = runningMax
    limits.timeLimitSeconds = seconds
    return HookQueue(limits)
  }

  @Test func `hooks start in order, as many as may run at once`() {
    var queue = Self.queue()
    #expect(
      queue.add(Self.ids(1...3)) == [.recordStart(Self.id(1)), .recordStart(Self.id(2))])
    #expect(queue.recorded(Self.id(1), isKept: true, at: Self.time(0)) == [.start(Self.id(1))])
    #expect(queue.recorded(Self.id(2), isKept: true, at: Self.time(0)) == [.start(Self.id(2))])
    #expect(
      queue.ended(Self.id(2), .exited(code: 1), lastLine: "no") == [
        .recordEnd(Self.id(2), .exited(code: 1), lastLine: "no"), .recordStart(Self.id(3)),
      ])
    #expect(
      queue.notStarted(Self.id(1), errno: "ENOENT") == [
        .recordEnd(Self.id(1), .notStarted(errno: "ENOENT"), lastLine: nil)
      ])
    // The third one still runs.
    #expect(queue.add(Self.ids(4...5)) == [.recordStart(Self.id(4))])
  }

  // Fault 114
  @Test func `a program that exceeds its time is asked to end, and then ended`() {
    var queue = Self.queue(seconds: 5)
    _ = queue.add([Self.id(1)])
    #expect(queue.nextWakeUp == nil)
    _ = queue.recorded(Self.id(1), isKept: true, at: Self.time(0))
    #expect(queue.nextWakeUp == Self.time(5))
    #expect(queue.timePassed(at: Self.time(4)).isEmpty)
    #expect(queue.timePassed(at: Self.time(5)) == [.terminate(Self.id(1))])
    #expect(queue.nextWakeUp == Self.time(15))
    #expect(queue.timePassed(at: Self.time(14)).isEmpty)
    #expect(queue.timePassed(at: Self.time(15)) == [.kill(Self.id(1))])
    #expect(queue.nextWakeUp == nil)
    #expect(queue.timePassed(at: Self.time(60)).isEmpty)
    #expect(
      queue.ended(Self.id(1), .killed(signal: 9), lastLine: nil) == [
        .recordEnd(Self.id(1), .timedOut(seconds: 5), lastLine: nil)
      ])
  }

  // Fault 114
  @Test func `a program that ends itself when asked still exceeded its time`() {
    var queue = Self.queue(seconds: 5)
    _ = queue.add([Self.id(1)])
    _ = queue.recorded(Self.id(1), isKept: true, at: Self.time(0))
    _ = queue.timePassed(at: Self.time(5))
    #expect(
      queue.ended(Self.id(1), .exited(code: 0), lastLine: "bye") == [
        .recordEnd(Self.id(1), .timedOut(seconds: 5), lastLine: "bye")
      ])
  }

  @Test func `new limits hold for the programs that start later`() {
    var queue = Self.queue(runningMax: 1, seconds: 5)
    _ = queue.add(Self.ids(1...3))
    _ = queue.recorded(Self.id(1), isKept: true, at: Self.time(0))
    var limits = HookQueue.Limits()
    limits.runningMax = 2
    limits.timeLimitSeconds = 100
    #expect(queue.setLimits(limits) == [.recordStart(Self.id(2))])
    _ = queue.recorded(Self.id(2), isKept: true, at: Self.time(0))
    #expect(queue.timePassed(at: Self.time(5)) == [.terminate(Self.id(1))])
    #expect(queue.nextWakeUp == Self.time(15))
  }

  @Test func `a start that cannot be recorded is repeated later, in the same order`() {
    var queue = Self.queue()
    _ = queue.add(Self.ids(1...4))
    #expect(queue.recorded(Self.id(2), isKept: false, at: Self.time(0)).isEmpty)
    #expect(queue.recorded(Self.id(1), isKept: false, at: Self.time(0)).isEmpty)
    #expect(queue.nextWakeUp == Self.time(60))
    #expect(queue.add([Self.id(5)]).isEmpty)
    #expect(queue.timePassed(at: Self.time(59)).isEmpty)
    #expect(
      queue.timePassed(at: Self.time(60)) == [.recordStart(Self.id(1)), .recordStart(Self.id(2))])
  }

  @Test func `what had started is interrupted, what was pending starts`() {
    var queue = Self.queue(runningMax: 1)
    #expect(
      queue.recover(pending: Self.ids(3...4), started: Self.ids(1...2)) == [
        .recordEnd(Self.id(1), .interrupted, lastLine: nil),
        .recordEnd(Self.id(2), .interrupted, lastLine: nil), .recordStart(Self.id(3)),
      ])
  }

  @Test func `nothing starts once the service is ending`() {
    var queue = Self.queue(runningMax: 1)
    _ = queue.add(Self.ids(1...2))
    queue.close()
    // Its start is in the store, so it must not be left out.
    #expect(queue.recorded(Self.id(1), isKept: true, at: Self.time(0)) == [.start(Self.id(1))])
    #expect(queue.isGone(Self.id(1)).isEmpty)
    #expect(queue.add([Self.id(9)]).isEmpty)
  }

  // MARK: Any order of events

  @Test func `each run starts at most once and ends once, whatever happens`() {
    let seed = UInt64.random(in: .min ... .max)
    for round in UInt64(0)..<200 {
      let broken = Self.play(seed: seed &+ round)
      #expect(broken.isEmpty, "seed \(seed &+ round): \(broken)")
      if !broken.isEmpty { return }
    }
  }

  private enum Stage: Hashable {
    case pending, recording, running, ended
  }

  /// The queue with a store and programs that do what is drawn from a seed.
  private struct World {
    var queue: HookQueue
    var now = HookQueueTests.start
    var stages: [HookRunID: Stage] = [:]
    var startCounts: [HookRunID: Int] = [:]
    var broken: [String] = []
    let runningMax: Int

    func ids(in stage: Stage) -> [HookRunID] {
      stages.filter { $0.value == stage }.map(\.key).sorted()
    }

    mutating func run(_ actions: [HookQueue.Action]) {
      for action in actions {
        switch action {
        case .recordStart(let id): move(id, from: .pending, to: .recording)
        case .start(let id):
          move(id, from: .recording, to: .running)
          startCounts[id, default: 0] += 1
        case .terminate(let id), .kill(let id):
          if stages[id] != .running { broken.append("\(id.rawValue) does not run") }
        case .recordEnd(let id, _, _):
          if stages[id] == .ended { broken.append("\(id.rawValue) ended twice") }
          stages[id] = .ended
        }
      }
      let active = ids(in: .recording).count + ids(in: .running).count
      if active > runningMax { broken.append("\(active) run at once") }
    }

    private mutating func move(_ id: HookRunID, from: Stage, to stage: Stage) {
      if stages[id] != from { broken.append("\(id.rawValue) is not \(from)") }
      stages[id] = stage
    }

    mutating func answer(_ id: HookRunID, isKept: Bool) {
      if !isKept { stages[id] = .pending }
      run(queue.recorded(id, isKept: isKept, at: now))
    }

    /// The service ends; what runs goes on without it.
    mutating func restart() {
      queue.close()
      let (pending, started) = (ids(in: .pending) + ids(in: .recording), ids(in: .running))
      for id in pending { stages[id] = .pending }
      queue = HookQueueTests.queue(runningMax: runningMax)
      run(queue.recover(pending: pending.sorted(), started: started))
    }
  }

  private static func play(seed: UInt64) -> [String] {
    var random = SeededGenerator(seed: seed)
    let runningMax = Int.random(in: 1...4, using: &random)
    var world = World(queue: queue(runningMax: runningMax), runningMax: runningMax)
    var last: Int64 = 0
    for _ in 0..<150 {
      switch Int.random(in: 0...9, using: &random) {
      case 0...2:
        let new = ids(last + 1...last + Int64.random(in: 1...3, using: &random))
        last += Int64(new.count)
        for id in new { world.stages[id] = .pending }
        world.run(world.queue.add(new))
      case 3...5:
        if let id = world.ids(in: .recording).randomElement(using: &random) {
          world.answer(id, isKept: Int.random(in: 0...5, using: &random) > 0)
        }
      case 6, 7:
        if let id = world.ids(in: .running).randomElement(using: &random) {
          world.run(world.queue.ended(id, .exited(code: 0), lastLine: nil))
        }
      case 8:
        let step = Int64.random(in: 1...400, using: &random) * 1000
        world.now = world.now.advanced(byMilliseconds: step)
        world.run(world.queue.timePassed(at: world.now))
      default: if Int.random(in: 0...4, using: &random) == 0 { world.restart() }
      }
    }
    settle(&world)
    if world.ids(in: .ended).count != Int(last) { world.broken.append("not all ended") }
    if let twice = world.startCounts.first(where: { $0.value > 1 }) {
      world.broken.append("\(twice.key.rawValue) started twice")
    }
    return world.broken
  }

  /// Lets everything succeed until nothing is left to do.
  private static func settle(_ world: inout World) {
    for _ in 0..<2000 {
      if let id = world.ids(in: .recording).first {
        world.answer(id, isKept: true)
      } else if let id = world.ids(in: .running).first {
        world.run(world.queue.ended(id, .exited(code: 0), lastLine: nil))
      } else if let time = world.queue.nextWakeUp {
        world.now = max(world.now, time)
        world.run(world.queue.timePassed(at: world.now))
      } else {
        return
      }
    }
  }
}
