import KettleModel

/// What a program changes of a task while it lives; nil leaves it as it is.
package struct TaskChanges: Sendable, Hashable {
  package var programData: String?
  package var priority: TransferPriority?
  package var notBefore: WallTime?
  package var expectedSendByteCount: Int64?
  package var expectedReceiveByteCount: Int64?

  package init() {}
}
