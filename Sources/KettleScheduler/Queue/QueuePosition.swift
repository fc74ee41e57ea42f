import KettleModel

/// The position of a transfer in the user's list. Smaller is further up.
package struct QueuePosition: Sendable, Hashable, Comparable {
  package var position: Int64
  package var id: TransferID

  package init(position: Int64, id: TransferID) {
    self.position = position
    self.id = id
  }

  package init(_ record: TransferRecord) {
    self.init(position: record.queuePosition, id: record.id)
  }

  package init(_ machine: TransferMachine) {
    self.init(position: machine.queuePosition, id: machine.id)
  }

  package static func < (left: QueuePosition, right: QueuePosition) -> Bool {
    left.position == right.position ? left.id < right.id : left.position < right.position
  }
}
