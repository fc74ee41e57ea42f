import KettleModel
import KettleScheduler
import Testing

struct ClearTests {
  private func record(
    _ id: Int64, _ state: TransferState = .completed, finishNumber: Int64? = nil
  ) -> TransferRecord {
    var record = TransferRecord(
      id: TransferID(rawValue: id), taskIdentifier: id, spec: spec(),
      createdAt: WallTime(millisecondsSince1970: 0), queuePosition: id, state: state)
    record.finishNumber = finishNumber
    return record
  }

  private func scheduler(_ records: [TransferRecord], clearedUpTo: Int64? = nil) -> SchedulerScript
  {
    var script = SchedulerScript()
    script.scheduler = TransferScheduler(lastID: TransferID(rawValue: 100))
    script.run(script.scheduler.recover(records, clearedUpTo: clearedUpTo, at: script.now))
    return script
  }

  private func cleared(_ script: SchedulerScript) -> [Int64] {
    script.scheduler.machines.values.map(\.record).filter(script.scheduler.isCleared)
      .map(\.id.rawValue).sorted()
  }

  @Test func `nothing is cleared without a request`() {
    let script = scheduler([record(1), record(2, finishNumber: 3)])
    #expect(cleared(script).isEmpty)
  }

  @Test func `clearing hides finished transfers and records one number`() throws {
    var script = scheduler([
      record(1), record(2, finishNumber: 3), record(3, .paused), record(4, .failed),
    ])
    let (count, output) = script.scheduler.clearFinished(at: script.now)
    #expect(count == 2)
    let action = try #require(script.scheduler.bin.actions.last)
    #expect(output.changes == [.bin(.putAction(action)), .clearFinished(upTo: 3)])
    #expect(output.changed.isEmpty)
    #expect(cleared(script) == [1, 2])
    #expect(script.scheduler.clearFinished(at: script.now).count == 0)
    #expect(script.scheduler.clearFinished(at: script.now).1.changes.isEmpty)
  }

  @Test func `clearing survives a restart, and transfers finished later stay visible`() {
    var script = scheduler(
      [record(1, finishNumber: 3), record(2, finishNumber: 4)], clearedUpTo: 3)
    #expect(cleared(script) == [1])
    let id = finish(in: &script)
    #expect(script.record(id)?.finishNumber == 5)
    #expect(cleared(script) == [1])
    #expect(script.scheduler.clearFinished(at: script.now).count == 2)
    #expect(cleared(script) == [1, 2, id.rawValue])
  }

  @Test func `finish numbers continue after cleared transfers that were removed`() {
    var script = scheduler([], clearedUpTo: 9)
    let id = finish(in: &script)
    #expect(script.record(id)?.finishNumber == 10)
    #expect(cleared(script).isEmpty)
  }

  @Test func `a reset transfer is visible again`() {
    var script = scheduler([record(1, finishNumber: 1)], clearedUpTo: 1)
    let id = TransferID(rawValue: 1)
    script.control(.reset, id)
    #expect(script.state(id) == .idle)
    #expect(script.record(id)?.finishNumber == nil)
    #expect(cleared(script).isEmpty)
  }

  /// Adds a transfer and completes it.
  private func finish(in script: inout SchedulerScript) -> TransferID {
    let id = script.add(spec("http://files.example/whole.iso"))
    guard let attempt = script.attempt else { return id }
    script.head(attempt, 200, ["Content-Length": "10"])
    script.opened(attempt, partial(total: 10))
    script.settled(attempt, .complete, durable: 10)
    for case .placeFile(id, let operation, _, _) in script.actions {
      script.handle(
        .file(
          id,
          .placed(
            .success(FinishedFile(path: "/downloads/whole.iso", identity: nil)), by: operation)))
    }
    #expect(script.state(id) == .completed)
    return id
  }
}
