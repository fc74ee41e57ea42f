import KettleModel

/// The position of a transfer in the queue. Smaller is sooner.
struct QueueKey: Sendable, Hashable, Comparable {
  var priority: TransferPriority
  var position: Int64
  var id: TransferID

  init(priority: TransferPriority, position: Int64, id: TransferID) {
    self.priority = priority
    self.position = position
    self.id = id
  }

  init(_ record: TransferRecord) {
    priority = record.spec.priority
    position = record.queuePosition
    id = record.id
  }

  static func < (left: QueueKey, right: QueueKey) -> Bool {
    if left.priority != right.priority { return left.priority > right.priority }
    if left.position != right.position { return left.position < right.position }
    return left.id < right.id
  }
}
