/// The number and total size of the transfers in one state.
package struct StateTally: Sendable, Hashable {
  package var count: Int
  /// Transfers of unknown size, which the byte counts omit.
  package var unknownSizeCount: Int
  package var bytesReceived: Int64
  package var bytesExpected: Int64

  package init(
    count: Int = 0, unknownSizeCount: Int = 0, bytesReceived: Int64 = 0, bytesExpected: Int64 = 0
  ) {
    self.count = count
    self.unknownSizeCount = unknownSizeCount
    self.bytesReceived = bytesReceived
    self.bytesExpected = bytesExpected
  }
}

/// The number and total size of the dormant transfers, by state.
package struct EvictedTally: Sendable, Hashable {
  package var states: [TransferState: StateTally]
  /// Completed transfers that were cleared from view.
  package var clearedCount: Int

  package init(states: [TransferState: StateTally] = [:], clearedCount: Int = 0) {
    self.states = states
    self.clearedCount = clearedCount
  }
}
