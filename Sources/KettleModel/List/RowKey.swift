/// The sort key of a row.
package struct RowKey: Sendable, Hashable, Comparable {
  package enum Value: Sendable, Hashable {
    case number(Int64)
    case real(Double)
    case text(String)
    /// Sorts last in both directions.
    case unknown
  }

  package var value: Value
  /// Breaks ties, so that rows on the screen keep their places.
  package var id: TransferID
  package var isDescending: Bool

  package init(value: Value, id: TransferID, isDescending: Bool) {
    self.value = value
    self.id = id
    self.isDescending = isDescending
  }

  package static func < (left: RowKey, right: RowKey) -> Bool {
    if left.value == right.value { return left.id < right.id }
    if left.value == .unknown || right.value == .unknown { return right.value == .unknown }
    return left.isDescending ? right.value < left.value : left.value < right.value
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
    RowKey(value: value(of: row), id: row.id, isDescending: isDescending)
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
