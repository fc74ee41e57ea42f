/// The sort key of a row.
package struct RowKey: Sendable, Hashable, Comparable {
  package enum Value: Sendable, Hashable {
    case number(Int64)
    case real(Double)
    case text(String)
    /// Sorts last in both directions.
    case unknown
  }

  /// Compared before the value.
  package var section: RowSection
  package var value: Value
  /// Breaks ties, so that rows on the screen keep their places.
  package var id: TransferID
  package var isDescending: Bool

  package init(
    section: RowSection = RowSection(), value: Value, id: TransferID, isDescending: Bool
  ) {
    self.section = section
    self.value = value
    self.id = id
    self.isDescending = isDescending
  }

  package static func < (left: RowKey, right: RowKey) -> Bool {
    if left.section != right.section { return left.section < right.section }
    if left.value == right.value { return left.id < right.id }
    if left.value == .unknown || right.value == .unknown { return right.value == .unknown }
    return left.isDescending ? right.value < left.value : left.value < right.value
  }
}

/// The part of a sort key that the grouping of a list decides.
package struct RowSection: Sendable, Hashable, Comparable {
  /// Compared first; empty unless the rows are in groups by directory.
  package var directory: String
  /// In a grouped list the rank of the group; in the order of the queue, the state and the priority
  /// add a fraction to it. 0 in a flat list.
  package var number: Double

  package init(directory: String = "", _ number: Double = 0) {
    self.directory = directory
    self.number = number
  }

  package static func < (left: RowSection, right: RowSection) -> Bool {
    left.directory == right.directory
      ? left.number < right.number : left.directory < right.directory
  }
}

extension RowKey.Value: Comparable {
  /// All values of one sort order have the same kind. The order of different kinds is arbitrary.
  package static func < (left: RowKey.Value, right: RowKey.Value) -> Bool {
    switch (left, right) {
    case (.number(let left), .number(let right)): left < right
    case (.real(let left), .real(let right)): left < right
    case (.text(let left), .text(let right)): left < right
    case (.number, .real), (.number, .text), (.real, .text), (.number, .unknown),
      (.real, .unknown), (.text, .unknown):
      true
    case (.real, .number), (.text, .number), (.text, .real), (.unknown, _): false
    }
  }
}

extension RowSort {
  package func key(of row: TransferSnapshot) -> RowKey {
    guard isGrouped else {
      return RowKey(value: value(of: row), id: row.id, isDescending: isDescending)
    }
    let group = RowGroup(row.state, row.reason)
    let order = self.order(within: group)
    return RowKey(
      section: section(
        of: row.state, group, row.priority, in: row.queueOfUser, path: row.member?.path.text),
      value: order.value(of: row),
      id: row.id, isDescending: order.isDescending)
  }

  /// The order within a group. In the order of the queue, the latest of those that are done comes
  /// first.
  package func order(within group: RowGroup) -> RowSort {
    guard isGrouped, key == .queue, group == .done else { return self }
    return RowSort(key: .finishedAt, isDescending: !isDescending, grouping: grouping)
  }

  /// The numbers of a group by queue begin with its place, times this number.
  private static let numbersPerQueue = 8.0

  /// Returns a bound of the sections of a group, which are all greater.
  ///
  /// - Parameter index: the place of the group among `groups`.
  package func bound(ofGroupAt index: Int) -> RowSection {
    RowSection(firstNumber(ofGroupAt: index).nextDown)
  }

  private func firstNumber(ofGroupAt index: Int) -> Double {
    Double(index) * (grouping == .queues ? Self.numbersPerQueue : 1)
  }

  /// Returns the section of a row in a grouped list. In the order of the queue, those that are next
  /// are in the order in which they will start.
  ///
  /// - Parameters:
  ///   - queue: the user's queue; nil for a task.
  ///   - path: the path in a collection.
  package func section(
    of state: TransferState, _ group: RowGroup, _ priority: TransferPriority, in queue: QueueName?,
    path: @autoclosure () -> String?
  ) -> RowSection {
    let number = number(of: state, group, priority)
    switch grouping {
    case .work, nil: return RowSection(number)
    case .directories:
      return RowSection(directory: path().map(DirectoryGroup.key) ?? "", number)
    case .queues:
      let index = queue.flatMap { queues.firstIndex(of: $0) } ?? queues.count
      return RowSection(firstNumber(ofGroupAt: index) + number)
    }
  }

  private func number(
    of state: TransferState, _ group: RowGroup, _ priority: TransferPriority
  ) -> Double {
    let rank = Double(group.rank)
    guard group == .next, key == .queue, !isDescending else { return rank }
    switch state {
    case .waiting: return rank
    case .queued: return rank + 0.1 + (1 - priority.value) / 2
    case .scheduled: return rank + 0.7
    case .paused: return rank + 0.8
    case .idle, .running, .verifying, .completed, .failed: return rank + 0.9
    }
  }

  private func value(of row: TransferSnapshot) -> RowKey.Value {
    switch key {
    case .queue: .number(row.queuePosition ?? row.id.rawValue)
    case .title: .text(row.shownTitle.lowercased())
    case .state: .number(row.state.order)
    case .size: .number(row.bytesExpected ?? -1)
    case .progress: .real(row.fraction)
    case .speed: .number(row.bytesPerSecond)
    case .secondsLeft: row.secondsLeft.map(RowKey.Value.number) ?? .unknown
    case .createdAt: .number(row.createdAt.millisecondsSince1970)
    case .finishedAt:
      row.finishedAt.map { .number($0.millisecondsSince1970) } ?? .unknown
    case .connections: .number(Int64(row.connections))
    case .priority: .real(row.priority.value)
    case .host: .text(String(row.host))
    case .session: .text(row.session.rawValue)
    case .machine: .text(row.machine ?? "")
    }
  }
}

extension TransferState {
  /// Active transfers come first, then those that need attention.
  fileprivate var order: Int64 {
    switch self {
    case .running: 0
    case .verifying: 1
    case .waiting: 2
    case .queued: 3
    case .scheduled: 4
    case .paused: 5
    case .failed: 6
    case .idle: 7
    case .completed: 8
    }
  }
}

extension TransferSnapshot {
  fileprivate var fraction: Double {
    guard let bytesExpected, bytesExpected > 0 else { return state == .completed ? 1 : 0 }
    return Double(bytesReceived) / Double(bytesExpected)
  }
}

/// The order of the list. Rows with equal keys keep the order in which they were added.
package struct RowSort: Codable, Hashable, Sendable {
  package enum Key: String, Codable, Sendable, CaseIterable {
    /// The order in which they were added, or the position the user moved them to.
    case queue
    case title, state, size, progress, speed, secondsLeft, connections, priority
    case host, session, createdAt, finishedAt
    /// Only in the list of a fleet.
    case machine
  }

  package enum Grouping: String, Codable, Sendable, CaseIterable {
    /// By state, in work order.
    case work
    /// By the user's queues. The rows of a queue are in work order.
    case queues
    /// By the directories of a collection. The rows of a directory are in work order.
    case directories
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

  /// The groups of a list that is grouped by state or queue, in their order.
  package var groups: [ListGroup] {
    switch grouping {
    case .work: RowGroup.allCases.map { .work($0) }
    case .queues: queues.map { .queue($0) } + [.noQueue]
    case .directories, nil: []
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
    if let grouping, grouping != .work { try container.encode(grouping, forKey: .grouping) }
  }
}

/// The part of the list that a client displays.
package struct Viewport: Codable, Hashable, Sendable {
  package var filter: RowFilter
  package var sort: RowSort
  /// The index of the first row in the filtered and sorted list.
  package var first: Int
  /// At most `countMax`.
  package var count: Int
  /// A transfer whose index in the list the client also needs.
  package var anchor: TransferID?
  /// Returned with the rows, so that a client that has changed the filter can ignore outdated rows.
  package var tag: Int?
  /// The groups of a grouped list whose rows are left out, also from the indices.
  package var folded: [ListGroup]?

  package static let countMax = 10_000

  package init(
    filter: RowFilter = RowFilter(), sort: RowSort = RowSort(), first: Int = 0,
    count: Int = countMax, anchor: TransferID? = nil, tag: Int? = nil, folded: [ListGroup]? = nil
  ) {
    self.filter = filter
    self.sort = sort
    self.first = first
    self.count = count
    self.anchor = anchor
    self.tag = tag
    self.folded = folded
  }
}
