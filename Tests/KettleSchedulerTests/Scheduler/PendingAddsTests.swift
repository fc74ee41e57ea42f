import KettleModel
import Testing

@testable import KettleScheduler

/// Added transfers that are not committed yet.
struct PendingAddsTests {
  private func changes(_ ids: ClosedRange<Int64>) -> [JournalChange] {
    ids.map { number in
      .put(
        TransferRecord(
          id: TransferID(rawValue: number), taskIdentifier: number, spec: spec(),
          createdAt: MachineFixture.now.wall, queuePosition: number, state: .queued))
    }
  }

  @Test func `transfers are pending from their addition to their commit`() {
    var pending = PendingAdds()
    pending.insert(changes(3...5))
    pending.insert(changes(6...6))
    #expect(pending.contains(TransferID(rawValue: 4)))
    #expect(!pending.contains(TransferID(rawValue: 7)))
    let adopted = pending.remove(changes(3...5))
    #expect(adopted.isEmpty)
    #expect(!pending.contains(TransferID(rawValue: 4)))
    #expect(pending.contains(TransferID(rawValue: 6)))
  }

  @Test func `a task whose bytes were taken over is returned with its successor`() {
    var pending = PendingAdds()
    pending.insert(changes(3...3))
    let old = TransferMachine(MachineFixture.record(), state: .paused)
    pending.recordAdoption(by: TransferID(rawValue: 3), of: old)
    let adopted = pending.remove(changes(3...3))
    #expect(adopted.map(\.id) == [old.id])
    let again = pending.remove(changes(3...3))
    #expect(again.isEmpty)
  }
}
