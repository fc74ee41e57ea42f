import KettleModel
import Testing

@testable import KettleScheduler

/// What is known in memory about the transfers that exist only in the store.
struct EvictedTransfersTests {
  private func record(_ state: TransferState) -> TransferRecord {
    MachineFixture.record { $0.state = state }
  }

  @Test func `evicted transfers are counted by state until they are loaded again`() {
    var evicted = EvictedTransfers()
    evicted.insert(record(.queued), isCleared: false)
    evicted.insert(record(.queued), isCleared: false)
    evicted.insert(record(.paused), isCleared: false)
    #expect(evicted.queuedCount == 2)
    evicted.remove(record(.queued), isCleared: false)
    #expect(evicted.queuedCount == 1)
  }

  @Test func `completed transfers are visible until they are cleared`() {
    var evicted = EvictedTransfers()
    evicted.insert(record(.completed), isCleared: true)
    evicted.insert(record(.completed), isCleared: false)
    #expect(evicted.completedInViewCount == 1)
    evicted.clearCompleted()
    #expect(evicted.completedInViewCount == 0)
  }

  @Test func `an eviction waits for enough transfers and for the pending read`() {
    var evicted = EvictedTransfers()
    evicted.limits.evictableCountMax = 10
    evicted.loadedCountAfterEviction = 5
    #expect(!evicted.isWorthwhile(loadedCount: 15))
    #expect(evicted.isWorthwhile(loadedCount: 16))
    evicted.pendingRead = .elsewhere(than: [], countMax: 1)
    #expect(!evicted.isWorthwhile(loadedCount: 16))
  }
}
