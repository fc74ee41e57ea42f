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

  package init(key: Key = .queue, isDescending: Bool = false) {
    self.key = key
    self.isDescending = isDescending
  }
}
