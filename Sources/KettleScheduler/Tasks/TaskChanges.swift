import KettleModel

/// What a program changes in a running task; nil leaves a value unchanged.
package struct TaskChanges: Sendable, Hashable {
  package var programData: String?
  /// An empty title is none.
  package var title: String?
  package var subtitle: String?
  package var priority: TransferPriority?
  package var notBefore: WallTime?
  package var asksBeforeBeginning: Bool?
  package var expectedSendByteCount: Int64?
  package var expectedReceiveByteCount: Int64?
  package var delivered: DeliveredPart?

  package init() {}
}
