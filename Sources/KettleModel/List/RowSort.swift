/// The order of the list. Rows with equal keys keep the order in which they were added.
package struct RowSort: Codable, Hashable, Sendable {
  package enum Key: String, Codable, Sendable, CaseIterable {
    /// The order in which they were added, or the position the user moved them to.
    case queue
    case title, state, size, progress, speed, secondsLeft, connections, priority
    case host, session, createdAt, finishedAt
  }

  package enum Grouping: String, Codable, Sendable, CaseIterable {
    /// By state, in work order.
    case work
    /// By the user's queues; each is in work order.
    case queues
  }

  package var key: Key
  package var isDescending: Bool
  /// How the rows are grouped, each group in this order; nil for a flat list.
  package var grouping: Grouping?
  /// The user's queues in the order of their groups. The service sets it; it is not encoded.
  package var queues: [QueueName] = []

  package var isGrouped: Bool { grouping != nil }

  package init(key: Key = .queue, isDescending: Bool = false, grouping: Grouping?) {
    self.key = key
    self.isDescending = isDescending
    self.grouping = grouping
  }

  /// - Parameter isGrouped: whether the rows are in groups by their state.
  package init(key: Key = .queue, isDescending: Bool = false, isGrouped: Bool = false) {
    self.init(key: key, isDescending: isDescending, grouping: isGrouped ? .work : nil)
  }

  /// The groups of a grouped list, in their order.
  package var groups: [ListGroup] {
    switch grouping {
    case .work: RowGroup.allCases.map { .work($0) }
    case .queues: queues.map { .queue($0) } + [.noQueue]
    case nil: []
    }
  }
}

extension RowSort {
  private enum CodingKeys: String, CodingKey { case key, isDescending, isGrouped, grouping }

  /// A service or client of an older version knows only whether there are groups by state.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let isGrouped = try container.decodeIfPresent(Bool.self, forKey: .isGrouped) ?? false
    self.init(
      key: try container.decode(Key.self, forKey: .key),
      isDescending: try container.decode(Bool.self, forKey: .isDescending),
      grouping: try container.decodeIfPresent(Grouping.self, forKey: .grouping)
        ?? (isGrouped ? .work : nil))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(key, forKey: .key)
    try container.encode(isDescending, forKey: .isDescending)
    try container.encode(isGrouped, forKey: .isGrouped)
    if grouping == .queues { try container.encode(grouping, forKey: .grouping) }
  }
}
