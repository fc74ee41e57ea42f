/// What transfers in one state come to.
package struct StateTally: Sendable, Hashable {
  package var count: Int
  /// Those whose size is not known, of which no byte is added up.
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

/// What the dormant transfers come to.
package struct EvictedTally: Sendable, Hashable {
  package var states: [TransferState: StateTally]
  /// Completed ones that were cleared from view.
  package var clearedCount: Int

  package init(states: [TransferState: StateTally] = [:], clearedCount: Int = 0) {
    self.states = states
    self.clearedCount = clearedCount
  }
}
