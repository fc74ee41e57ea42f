import KettleModel
import KettleScheduler
import SeededNumbers
import Testing

struct MoveTests {
  /// Transfers 1 to `count`, paused so that only their order matters.
  private func script(_ count: Int) -> SchedulerScript {
    var script = SchedulerScript()
    for _ in 0..<count {
      var wanted = spec()
      wanted.beginning = .paused
      script.add(wanted)
    }
    script.changes = []
    return script
  }

  private func order(_ script: SchedulerScript) -> [Int64] {
    script.scheduler.machines.values.map(\.record)
      .sorted { ($0.queuePosition, $0.id.rawValue) < ($1.queuePosition, $1.id.rawValue) }
      .map(\.id.rawValue)
  }

  private func ids(_ numbers: [Int64]) -> [TransferID] { numbers.map(TransferID.init) }

  @Test(arguments: [
    (QueueMove.up, [Int64(3)], [Int64(1), 3, 2, 4, 5], 2),
    (.up, [1], [1, 2, 3, 4, 5], 0),
    (.up, [1, 2], [1, 2, 3, 4, 5], 0),
    (.up, [5, 2, 3], [2, 3, 1, 5, 4], 5),
    (.down, [3], [1, 2, 4, 3, 5], 2),
    (.down, [5, 3], [1, 2, 4, 3, 5], 2),
    (.down, [1, 2], [3, 1, 2, 4, 5], 3),
    (.toTop, [4, 2], [2, 4, 1, 3, 5], 2),
    (.toTop, [2, 1], [1, 2, 3, 4, 5], 0),
    (.toBottom, [1, 3], [2, 4, 5, 1, 3], 2),
    (.toBottom, [4, 5], [1, 2, 3, 4, 5], 0),
    (.toTop, [1, 2, 3, 4, 5], [1, 2, 3, 4, 5], 0),
    (.down, [1, 2, 3, 4, 5], [1, 2, 3, 4, 5], 0),
  ])
  func `a move produces the expected order and number of records`(
    move: QueueMove, moving: [Int64], expected: [Int64], writeCount: Int
  ) {
    var script = script(5)
    let (results, output) = script.scheduler.move(ids(moving), move, at: script.now)
    #expect(results == moving.map { _ in .applied })
    #expect(order(script) == expected)
    #expect(output.changes.count == writeCount)
    #expect(output.changed.count == writeCount)
  }

  @Test func `repeating a move to the top or bottom changes nothing`() {
    var script = script(4)
    for move in [QueueMove.toTop, .toBottom] {
      script.run(script.scheduler.move(ids([3, 2]), move, at: script.now).1)
      #expect(script.scheduler.move(ids([3, 2]), move, at: script.now).1.changes.isEmpty)
    }
    #expect(order(script) == [1, 4, 2, 3])
  }

  @Test func `an unknown transfer is refused and the others still move`() {
    var script = script(2)
    let (results, _) = script.scheduler.move(ids([9, 2]), .up, at: script.now)
    #expect(results == [.refused(.unknown), .applied])
    #expect(order(script) == [2, 1])
  }

  @Test func `a transfer that is not yet stored is neither moved nor displaced`() {
    var script = script(2)
    let (added, adding) = script.scheduler.add([spec()], at: script.now)
    for (id, move) in [(Int64(2), QueueMove.down), (3, .up), (3, .toTop)] {
      let output = script.scheduler.move(ids([id]), move, at: script.now).1
      #expect(output.changes.isEmpty)
    }
    script.run(script.scheduler.admit(adding.changes, at: script.now).1)
    script.run(script.scheduler.move(added, .up, at: script.now).1)
    #expect(order(script) == [1, 3, 2])
    script.scheduler.withdraw(script.scheduler.add([spec()], at: script.now).1.changes)
    script.run(script.scheduler.move(added, .down, at: script.now).1)
    script.run(script.scheduler.move(added, .down, at: script.now).1)
    #expect(order(script) == [1, 2, 3])
  }

  @Test func `a new transfer is placed after one moved to the bottom`() {
    var script = script(3)
    script.run(script.scheduler.move(ids([1]), .toBottom, at: script.now).1)
    script.add(spec())
    #expect(order(script) == [2, 3, 1, 4])
  }

  @Test func `a transfer moved to the top starts next`() {
    var limits = TransferQueue.Limits()
    limits.runningMax = 1
    var script = SchedulerScript(limits: limits)
    let all = (0..<4).map { _ in script.add(spec()) }
    script.run(script.scheduler.move([all[3]], .toTop, at: script.now).1)
    script.control(.pause, all[0])
    script.settled(AttemptID(rawValue: 1), .cancelled)
    #expect(script.state(all[3]) == .running)
    #expect(script.state(all[1]) == .queued)
  }

  @Test func `a transfer with a raised priority starts next, and the priority is recorded`() {
    var limits = TransferQueue.Limits()
    limits.runningMax = 1
    var script = SchedulerScript(limits: limits)
    let all = (0..<3).map { _ in script.add(spec()) }
    #expect(script.control(.prioritize(.high), all[2]) == .applied)
    guard case .put(let record)? = script.changes.last else {
      Issue.record("expected the record with its priority")
      return
    }
    #expect(record.spec.priority == .high)
    script.control(.pause, all[0])
    script.settled(AttemptID(rawValue: 1), .cancelled)
    #expect(script.state(all[2]) == .running)
  }

  @Test func `any sequence of moves gives the order of a list and survives a restart`() {
    let seed = UInt64.random(in: .min ... .max)
    print("moves seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var script = script(12)
    var model = (Int64(1)...12).map { $0 }
    for _ in 0..<300 {
      let moving = model.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random))
      let move = QueueMove.allCases.randomElement(using: &random) ?? .up
      script.run(script.scheduler.move(ids(Array(moving)), move, at: script.now).1)
      Self.move(Set(moving), move, in: &model)
      #expect(order(script) == model, "seed \(seed)")
    }
    var kept: [TransferID: TransferRecord] = [:]
    for record in script.scheduler.machines.values.map(\.record) { kept[record.id] = record }
    for case .put(let record) in script.changes { kept[record.id] = record }
    var restarted = SchedulerScript()
    let output = restarted.scheduler.recover(
      kept.values.sorted { $0.id < $1.id }, at: restarted.now)
    #expect(output.changes.isEmpty)
    #expect(order(restarted) == model)
  }

  private static func move(
    _ moving: Set<Int64>, _ move: QueueMove, in list: inout [Int64]
  ) {
    switch move {
    case .toTop: list = list.filter(moving.contains) + list.filter { !moving.contains($0) }
    case .toBottom: list = list.filter { !moving.contains($0) } + list.filter(moving.contains)
    case .up:
      for index in list.indices.dropFirst()
      where moving.contains(list[index]) && !moving.contains(list[index - 1]) {
        list.swapAt(index, index - 1)
      }
    case .down:
      for index in list.indices.dropLast().reversed()
      where moving.contains(list[index]) && !moving.contains(list[index + 1]) {
        list.swapAt(index, index + 1)
      }
    }
  }
}
