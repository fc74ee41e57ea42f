import KettleModel
import Testing

@testable import KettleScheduler

/// Undoing what discards nothing: start, pause, limit, priority and order.
struct ControlLogTests {
  private struct World {
    var script = SchedulerScript()

    mutating func add(_ beginning: TransferSpec.Beginning, _ count: Int = 1) -> [TransferID] {
      (1...count).map { number in
        var spec = spec("http://files.example/\(number)")
        spec.beginning = beginning
        return script.add(spec)
      }
    }

    mutating func control(_ control: TransferScheduler.Control, _ ids: [TransferID]) {
      let action = script.scheduler.openBinAction(for: control, at: script.now)
      script.run(script.scheduler.control(control, ids, into: action, at: script.now).1)
      script.settledAll()
    }

    /// Undoes the latest action. Returns the reverted transfers.
    mutating func undo() -> [TransferID] {
      guard let action = script.scheduler.undoable(nil, at: script.now).first,
        let entry = script.scheduler.takeLogged(action)
      else { return [] }
      var reverted: [TransferID] = []
      switch entry.content {
      case .rows(let groups):
        for (reversal, ranges) in groups {
          let ids = ranges.parts(countMax: 2).flatMap(\.self)
          let (changed, output) = script.scheduler.revert(reversal, of: ids, at: script.now)
          script.run(output)
          reverted += changed
        }
      case .order(let places):
        let (changed, output) = script.scheduler.revert(places, at: script.now)
        script.run(output)
        reverted = changed
      case .totalLimit(let before, let after):
        let output = script.scheduler.revertTotalLimit(
          before: before, after: after, at: script.now)
        if let output { script.run(output) }
      }
      script.settledAll()
      return reverted.sorted()
    }

    func positions(_ ids: [TransferID]) -> [Int64?] {
      ids.map { script.record($0)?.queuePosition }
    }
  }

  @Test func `a pause is undone for what it paused`() throws {
    var world = World()
    let ids = world.add(.queued, 2) + world.add(.paused)
    world.control(.pause, ids)
    #expect(ids.map { world.script.state($0) } == [.paused, .paused, .paused])
    #expect(world.undo() == Array(ids.prefix(2)))
    #expect(world.script.state(ids[2]) == .paused)
    #expect(world.undo().isEmpty)
  }

  @Test func `what has changed since stays`() throws {
    var world = World()
    let ids = world.add(.queued, 3)
    world.control(.pause, ids)
    world.control(.start, [ids[1]])
    world.script.control(.stop, ids[2])
    _ = world.script.scheduler.takeLogged(
      try #require(world.script.scheduler.undoable(nil, at: world.script.now).first))
    #expect(world.undo() == [ids[0]])
  }

  @Test func `what a paused transfer asked for is asked again`() throws {
    var world = World()
    let id = world.add(.queued)[0]
    let attempt = try #require(world.script.attempt)
    world.script.head(attempt, 401, ["WWW-Authenticate": "Basic realm=\"x\""])
    world.script.settled(attempt, .cancelled)
    #expect(world.script.record(id)?.reason == .needsLogin)
    let failure = world.script.record(id)?.failure
    world.control(.pause, [id])
    #expect(world.script.state(id) == .paused)
    #expect(world.undo() == [id])
    #expect(world.script.record(id)?.reason == .needsLogin)
    #expect(world.script.record(id)?.failure == failure)
  }

  @Test func `the undo of a start pauses, and leaves what never began idle`() throws {
    var world = World()
    let ids = world.add(.paused) + world.add(.idle)
    world.control(.start, ids)
    #expect(world.undo() == ids)
    #expect(ids.map { world.script.state($0) } == [.paused, .idle])
  }

  @Test func `limits and priorities are as before, the latest first`() throws {
    var world = World()
    let ids = world.add(.paused, 2)
    world.control(.limit(500), [ids[0]])
    world.control(.limit(900), ids)
    world.control(.prioritize(.high), ids)
    world.control(.limit(7), [ids[1]])
    #expect(world.undo() == [ids[1]])
    #expect(world.undo() == ids)
    #expect(world.script.scheduler.machines[ids[0]]?.spec.priority == .normal)
    #expect(world.undo() == ids)
    #expect(world.script.scheduler.machines[ids[0]]?.spec.limitBytesPerSecond == 500)
    #expect(world.script.scheduler.machines[ids[1]]?.spec.limitBytesPerSecond == nil)
  }

  @Test func `the order is as before, unless something was moved since`() throws {
    var world = World()
    let ids = world.add(.paused, 4)
    let before = world.positions(ids)
    world.script.run(world.script.scheduler.move([ids[2]], .toTop, at: world.script.now).1)
    world.script.run(world.script.scheduler.move([ids[3]], .up, at: world.script.now).1)
    #expect(!world.undo().isEmpty)
    #expect(world.undo() == [ids[2]])
    #expect(world.positions(ids) == before)
    world.script.run(world.script.scheduler.move([ids[0]], .down, at: world.script.now).1)
    world.script.run(
      world.script.scheduler.arrange([ids[1], ids[0], ids[2]], at: world.script.now))
    world.script.run(world.script.scheduler.arrange(ids, at: world.script.now))
    #expect(world.undo().isEmpty)
  }

  @Test func `the limit for everything is as before`() {
    var world = World()
    world.script.run(world.script.scheduler.limitAll(toBytesPerSecond: 100, at: world.script.now))
    world.script.run(world.script.scheduler.limitAll(toBytesPerSecond: 200, at: world.script.now))
    #expect(world.undo().isEmpty)
    #expect(world.script.scheduler.limitBytesPerSecond == 100)
    #expect(world.undo().isEmpty)
    #expect(world.script.scheduler.limitBytesPerSecond == nil)
    #expect(world.script.scheduler.undoable(nil, at: world.script.now).isEmpty)
  }

  @Test func `a control can be undone for ten minutes`() {
    var world = World()
    world.control(.limit(5), world.add(.paused))
    world.script.advance(milliseconds: BinAction.keptMilliseconds)
    #expect(world.undo().isEmpty)
  }

  @Test func `a program's own controls are not undone`() {
    var world = World()
    var task = spec()
    task.task = TaskOptions(kind: .download)
    world.control(.pause, [world.script.add(task)])
    #expect(world.undo().isEmpty)
  }

  @Test func `many transfers need little memory, and too many are undone in part`() throws {
    let at = WallTime(millisecondsSince1970: 1)
    var log = ControlLog()
    let first = BinAction(number: 1, kind: .pause, at: at)
    for id in 1...200_000 { log.note(.start, of: TransferID(rawValue: Int64(id)), in: first) }
    let entry = try #require(log.entries.first)
    guard case .rows(let groups) = entry.content else {
      Issue.record("It is \(entry.content)")
      return
    }
    #expect(groups[.start]?.ranges.count == 1)
    #expect(groups[.start]?.count == 200_000)
    let second = BinAction(number: 2, kind: .pause, at: at)
    for id in 1...200_000 { log.note(.start, of: TransferID(rawValue: Int64(2 * id)), in: second) }
    #expect(log.entries.map(\.action.number) == [2])
    guard case .rows(let others)? = log.take(2)?.content else { return }
    #expect(others[.start]?.count == ControlLog.valueCountMax)
    #expect(log.entries.isEmpty)
  }

  @Test func `ids come in parts`() {
    var ranges = IDRanges()
    for id: Int64 in [1, 2, 3, 7, 9, 10] { ranges.append(TransferID(rawValue: id)) }
    #expect(ranges.ranges.count == 3)
    #expect(ranges.count == 6)
    #expect(
      ranges.parts(countMax: 4).map { $0.map(\.rawValue) } == [[1, 2, 3, 7], [9, 10]])
    #expect(IDRanges().parts(countMax: 4).map(\.count).isEmpty)
  }
}
