import KettleModel
import KettleScheduler
import SeededNumbers
import Testing

/// Any order of controls, responses, retries, completions and crashes ends in a documented state in
/// which file and record agree.
struct RandomOrderTests {
  @Test func `file and record agree after any order of events`() {
    let seed = UInt64.random(in: .min ... .max)
    for round in UInt64(0)..<120 {
      let broken = Self.play(seed: seed &+ round)
      #expect(broken.isEmpty, "seed \(seed &+ round)")
      if !broken.isEmpty { return }
    }
  }

  /// A crash came before the store heard what a check of blocks had found.
  @Test func `what the disk has lost is claimed until it is recorded`() {
    #expect(Self.play(seed: 16_664_200_631_246_748_937).isEmpty)
  }

  /// A requested transfer was removed before the store's full response arrived.
  @Test func `a removal during a read does not mark the queue as completely read`() {
    #expect(Self.play(seed: 13_469_579_825_689_529_703).isEmpty)
  }

  static func play(seed: UInt64) -> [String] {
    var random = SeededGenerator(seed: seed)
    var limits = TransferQueue.Limits()
    limits.runningMax = 3
    limits.connectionsPerHostMax = 4
    limits.connectionsMax = 7
    var scheduler = Self.held(TransferScheduler(limits: limits))
    var world = SimulatedWorld()
    world.server.rotatesTags = seed.isMultiple(of: 4)
    world.server.compresses = seed.isMultiple(of: 3)
    var now = SchedulerScript().now
    for _ in 0..<200 {
      switch Int.random(in: 0...19, using: &random) {
      case 0, 1: add(to: &scheduler, &world, &random, at: now)
      case 2...4: control(on: &scheduler, &world, &random, at: now)
      case 5: TaskOrder.ask(on: &scheduler, &world, &random, at: now)
      case 6:
        now.monotonic = now.monotonic.advanced(byMilliseconds: 90_000)
        now.wall = now.wall.advanced(byMilliseconds: 90_000)
        world.run(scheduler.handle(.timePassed, at: now))
      case 8:
        let state: NetworkState = Bool.random(using: &random) ? .present : .absent
        world.run(scheduler.handle(.networkChanged(state), at: now))
      case 9 where Int.random(in: 0...5, using: &random) == 0:
        world.vanish(Int.random(in: 0...999, using: &random))
      case 7 where Int.random(in: 0...3, using: &random) == 0:
        scheduler = Self.held(world.crash(limits: limits, at: now))
      case 10: world.evict(from: &scheduler)
      case 11: setQueues(of: &scheduler, &world, &random, at: now)
      case 12: assign(on: &scheduler, &world, &random, at: now)
      default: step(on: &scheduler, &world, &random, at: now)
      }
      world.broken += problems(of: scheduler, limits) + closedButRunning(scheduler, world)
    }
    // In some rounds a queue starts nothing, and only its transfers may be left.
    world.queues = seed.isMultiple(of: 2) ? [nightName: .init(transfersMax: 0)] : [:]
    world.run(scheduler.setQueues(world.queues, at: now))
    settle(on: &scheduler, &world, &random, &now)
    world.broken += disagreements(scheduler, world) + TaskOrder.leftovers(scheduler, world)
    return world.broken
  }

  /// Limits memory so that evictions are as frequent as other events.
  private static func held(_ scheduler: TransferScheduler) -> TransferScheduler {
    var scheduler = scheduler
    scheduler.residentLimits.evictableCountMax = 0
    scheduler.residentLimits.queuedPerHostCount = 1
    scheduler.residentLimits.queuedCountMax = 2
    scheduler.residentLimits.readAheadCount = 1
    return scheduler
  }

  private static func add(
    to scheduler: inout TransferScheduler, _ world: inout SimulatedWorld,
    _ random: inout SeededGenerator,
    at now: Moment
  ) {
    let host = "http://h\(Int.random(in: 0...1, using: &random)).example/a.iso"
    var wanted =
      Bool.random(using: &random) ? spec(host) : TaskOrder.spec(host, world.tokens, &random)
    if Bool.random(using: &random) {
      wanted.checksum = Checksum(algorithm: .md5, hex: String(repeating: "a", count: 32))
    }
    wanted.options.queue = queueNames.randomElement(using: &random)
    wanted.options.unpacks = Bool.random(using: &random)
    if Int.random(in: 0...3, using: &random) == 0 {
      wanted.request = RequestContent(method: "POST", body: .bytes(Base64Bytes([1])))
    }
    if Int.random(in: 0...2, using: &random) == 0 {
      wanted.task = TaskOptions(kind: .download)
      wanted.task?.resourceTimeoutMilliseconds = Int64.random(in: 1...40, using: &random) * 60_000
      if Bool.random(using: &random) { wanted.directory = nil }
    }
    world.add([wanted], to: &scheduler, at: now)
  }

  private static let nightName = QueueName("night") ?? .standard
  private static let queueNames = [.standard, nightName] + ["bulk"].compactMap { QueueName($0) }
  /// One minute a week, which no round reaches.
  private static let closed = NamedQueues.Settings(
    hours: WeeklyHours("00:00-00:01", days: [.monday]))

  /// Gives each queue a limit, hours in which it is closed, both or none.
  private static func setQueues(
    of scheduler: inout TransferScheduler, _ world: inout SimulatedWorld,
    _ random: inout SeededGenerator, at now: Moment
  ) {
    world.queues = [:]
    for name in queueNames where Bool.random(using: &random) {
      world.queues[name] = NamedQueues.Settings(
        transfersMax: Bool.random(using: &random) ? 1 : nil,
        hours: Bool.random(using: &random) ? closed.hours : nil)
    }
    world.run(scheduler.setQueues(world.queues, at: now))
  }

  private static func assign(
    on scheduler: inout TransferScheduler, _ world: inout SimulatedWorld,
    _ random: inout SeededGenerator, at now: Moment
  ) {
    let ids = Set(scheduler.machines.keys).union(world.store.keys)
    guard let id = ids.sorted().randomElement(using: &random),
      let name = queueNames.randomElement(using: &random)
    else { return }
    world.load(id, on: &scheduler, at: now)
    world.run(scheduler.assign([id], to: name, at: now).1)
  }

  private static func control(
    on scheduler: inout TransferScheduler, _ world: inout SimulatedWorld,
    _ random: inout SeededGenerator,
    at now: Moment
  ) {
    let ids = Set(scheduler.machines.keys).union(world.store.keys)
    guard let id = ids.sorted().randomElement(using: &random) else { return }
    world.load(id, on: &scheduler, at: now)
    let controls: [TransferScheduler.Control] = [
      .start, .start, .pause, .pause, .stop, .reset, .remove(.stays), .remove(.goes),
      .limit(1000), .relink(url("http://h0.example/b.iso"), nil),
    ]
    guard let one = controls.randomElement(using: &random) else { return }
    let (_, output) = scheduler.control(one, [id], at: now)
    world.run(output)
  }

  /// Ends one of the operations in progress; commits end in order.
  private static func step(
    on scheduler: inout TransferScheduler, _ world: inout SimulatedWorld,
    _ random: inout SeededGenerator,
    at now: Moment
  ) {
    guard let chosen = world.pending.indices.randomElement(using: &random) else { return }
    var index = chosen
    if world.pending[chosen].isCommit {
      index = world.pending.firstIndex(where: \.isCommit) ?? chosen
    }
    let event = world.pending.remove(at: index)
    world.happen(event, on: &scheduler, luck: Int.random(in: 0...999, using: &random), at: now)
  }

  /// Runs without further controls until nothing is pending.
  private static func settle(
    on scheduler: inout TransferScheduler, _ world: inout SimulatedWorld,
    _ random: inout SeededGenerator,
    _ now: inout Moment
  ) {
    for _ in 0..<20_000 {
      if !world.pending.isEmpty {
        step(on: &scheduler, &world, &random, at: now)
      } else if let wakeUp = scheduler.nextWakeUp(at: now) {
        let wait = wakeUp.milliseconds(since: now.monotonic)
        now.monotonic = wakeUp
        now.wall = now.wall.advanced(byMilliseconds: wait)
        world.run(scheduler.handle(.timePassed, at: now))
      } else {
        world.checkForgotten(scheduler)
        for id in world.store.keys.sorted() { world.load(id, on: &scheduler, at: now) }
        while !world.pending.isEmpty { step(on: &scheduler, &world, &random, at: now) }
        return
      }
    }
    world.broken.append("it does not come to rest")
  }

  private static func problems(of scheduler: TransferScheduler, _ limits: TransferQueue.Limits)
    -> [String]
  {
    var problems: [String] = []
    let busy = scheduler.machines.values.filter(\.occupiesSlot)
    if busy.count > limits.runningMax { problems.append("too many run at once") }
    if busy.count != scheduler.queue.runningCount { problems.append("a slot is lost") }
    if scheduler.hosts.connectionCount > limits.connectionsMax {
      problems.append("too many connections at once")
    }
    let isBusy = busy.contains { $0.isFetchingOrEnding }
    if !isBusy, scheduler.hosts.connectionCount > 0 { problems.append("a connection is lost") }
    for machine in scheduler.machines.values {
      let id = machine.record.id
      if (machine.state == .queued) != scheduler.queue.isQueued(id) {
        problems.append("\(id) is \(machine.state) but in line: \(scheduler.queue.isQueued(id))")
      }
    }
    return problems
  }

  private static func closedButRunning(
    _ scheduler: TransferScheduler, _ world: SimulatedWorld
  ) -> [String] {
    scheduler.machines.values.compactMap { machine in
      guard case .running = machine.state,
        let name = machine.record.spec.queue, world.queues[name]?.hours != nil
      else { return nil }
      return "\(machine.record.id) runs and its queue is closed"
    }
  }

  private static func disagreements(_ scheduler: TransferScheduler, _ world: SimulatedWorld)
    -> [String]
  {
    var problems: [String] = []
    for machine in scheduler.machines.values {
      let record = machine.record
      let id = record.id
      if world.store[id] != machine.durableRecord {
        problems.append("the store is behind on \(id)")
      }
      switch machine.visibleState {
      case .completed:
        let inode = record.finishedFile?.identity?.inode ?? 0
        if !world.finished.contains(inode) { problems.append("\(id) is completed without a file") }
      case .idle:
        if record.resumeData != nil { problems.append("\(id) is idle with bytes") }
      case .paused, .waiting, .failed:
        // After a crash between the rename and its commit the file has its final name already.
        if let data = record.resumeData, world.partials[data.inode] == nil,
          !world.vanished.contains(data.inode), !world.finished.contains(data.inode)
        {
          problems.append("\(id) has bytes on record and none on the disk")
        }
      case .scheduled: break
      case .queued where world.mayRest(record): break
      case .queued, .running, .verifying: problems.append("\(id) rests as \(machine.state)")
      }
    }
    return problems
  }
}

extension TransferMachine {
  /// Attempts may be under way.
  fileprivate var isFetchingOrEnding: Bool {
    switch state {
    case .running, .ending(.attempts, _): true
    case .idle, .scheduled, .queued, .ending(.body, _), .waiting, .paused, .verifying,
      .discarding, .placing, .completed, .failed, .removed:
      false
    }
  }
}
