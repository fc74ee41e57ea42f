import KettleModel
import Testing

@testable import KettleScheduler

/// The transfers that are on their way to the store.
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

  @Test func `a task that gave its bytes away is returned with the one that took them`() {
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
