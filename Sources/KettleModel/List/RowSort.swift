/// The order of the list. Rows with equal keys keep the order in which they were added.
package struct RowSort: Codable, Hashable, Sendable {
  package enum Key: String, Codable, Sendable, CaseIterable {
    /// The order in which they were added, or the position the user moved them to.
    case queue
    case title, state, size, progress, speed, secondsLeft, connections, priority
    case host, session, createdAt, finishedAt
  }

  package var key: Key
  package var isDescending: Bool
  /// Whether the rows are in groups by their state, each in this order.
  package var isGrouped: Bool

  package init(key: Key = .queue, isDescending: Bool = false, isGrouped: Bool = false) {
    self.key = key
    self.isDescending = isDescending
    self.isGrouped = isGrouped
  }
}

extension RowSort {
  private enum CodingKeys: String, CodingKey { case key, isDescending, isGrouped }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      key: try container.decode(Key.self, forKey: .key),
      isDescending: try container.decode(Bool.self, forKey: .isDescending),
      isGrouped: try container.decodeIfPresent(Bool.self, forKey: .isGrouped) ?? false)
  }
}
