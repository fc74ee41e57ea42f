import KettleModel

/// The queued transfers that only the store has, in the order of the queue, as far as an estimate
/// needs them.
///
/// It is made once for each reading of the store and used for many outlooks. The transfers of one
/// host, session and user's queue share a group, so that an outlook neither compares nor hashes the
/// names of each transfer again.
package struct StoredQueue: Sendable {
  /// What makes transfers interchangeable, apart from their sizes.
  struct Group: Hashable, Sendable {
    var origin: Origin
    var session: SessionID
    /// The user's queue; nil for a task.
    var queue: QueueName?

    init(_ entry: QueueEntry) {
      origin = entry.origin
      session = entry.session
      queue = entry.queue
    }
  }

  struct Item: Sendable {
    var key: QueueKey
    /// An index of `groups`.
    var group: Int
    var bytesReceived: Int64
    /// nil if unknown.
    var bytesExpected: Int64?
    var bytesPerSecondMax: Int64?
  }

  private(set) var items: [Item] = []
  private(set) var groups: [Group] = []

  package var count: Int { items.count }

  /// - Parameter entries: in the order of the queue.
  package init(_ entries: [QueueEntry]) {
    items.reserveCapacity(entries.count)
    var numbers: [Group: Int] = [:]
    var last: (group: Group, number: Int)?
    for entry in entries {
      let group = Group(entry)
      let number: Int
      if let last, last.group == group {
        number = last.number
      } else if let known = numbers[group] {
        number = known
      } else {
        number = groups.count
        numbers[group] = number
        groups.append(group)
      }
      last = (group, number)
      items.append(
        Item(
          key: entry.key, group: number, bytesReceived: entry.bytesReceived,
          bytesExpected: entry.bytesExpected, bytesPerSecondMax: entry.bytesPerSecondMax))
    }
  }
}
