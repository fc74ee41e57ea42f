import KettleModel

/// Lists the user's queues, with how many of their transfers run and wait.
package enum ListQueues: ControlMethod {
  package static let name = "queues.list"
  package typealias Params = Nothing

  package struct Result: Codable, Hashable, Sendable {
    /// `default` first, the others by name.
    package var queues: [QueueSnapshot]

    package init(queues: [QueueSnapshot]) { self.queues = queues }
  }
}

/// Moves transfers to one of the user's queues. A running one continues if that queue is open, and
/// otherwise waits there with its bytes kept.
package enum AssignTransfers: ControlMethod {
  package static let name = "transfers.assign"

  package struct Params: Codable, Hashable, Sendable {
    package var selection: TransferSelection
    package var queue: QueueName

    package init(selection: TransferSelection, queue: QueueName) {
      self.selection = selection
      self.queue = queue
    }
  }

  package typealias Result = ControlTransfers.Result
}
