import KettleModel

/// The indexes of the table `transfer`. Each adds cost to every added transfer, so only queries
/// that must be immediate have one.
enum TransferIndex: CaseIterable {
  /// The table's own index: task identifiers are unique within a session.
  case byTask
  /// The list in the user's order, with the columns that a view filters by.
  case byPlace
  /// The queue of all hosts, and the queue of each.
  case byLine, byOrigin
  /// Dormant transfers that are not queued.
  case byState
  /// The transfers that the service loads into memory at its start.
  case awake
  case byFinish

  var name: String {
    switch self {
    case .byTask: "sqlite_autoindex_transfer_1"
    case .byPlace: "transfer_by_place"
    case .byLine: "transfer_by_line"
    case .byOrigin: "transfer_by_origin"
    case .byState: "transfer_by_state"
    case .awake: "transfer_awake"
    case .byFinish: "transfer_by_finish"
    }
  }

  private var columns: String {
    switch self {
    case .byTask: "session, task_identifier"
    case .byPlace: "queue_position, id, state, finish_number"
    case .byLine: "priority DESC, queue_position, id, origin"
    case .byOrigin: "origin, priority DESC, queue_position, id"
    case .byState: "state, id"
    case .awake: "id"
    case .byFinish: "finish_number, state, is_dormant"
    }
  }

  /// The SQL condition for the transfers in the index; nil for all.
  var condition: String? {
    switch self {
    case .byTask, .byPlace: nil
    case .byLine, .byOrigin: StoreSchema.isInLine
    case .byState: StoreSchema.isAside
    case .awake: "is_dormant = 0"
    case .byFinish: StoreSchema.isFinished
    }
  }

  func has(_ record: TransferRecord) -> Bool {
    switch self {
    case .byTask, .byPlace: true
    case .byLine, .byOrigin: record.isDormant && record.state == .queued
    case .byState: record.isDormant && record.state != .queued
    case .awake: !record.isDormant
    case .byFinish: record.state == .completed || record.finishNumber != nil
    }
  }

  /// nil for the index that the table creates itself.
  var creation: String? {
    switch self {
    case .byTask: nil
    case .byPlace, .byLine, .byOrigin, .byState, .awake, .byFinish:
      "CREATE INDEX \(name) ON transfer (\(columns))" + (condition.map { " WHERE \($0)" } ?? "")
    }
  }

  /// Returns the indexes that a store of a version has and this version still uses.
  static func of(version: Int) -> [TransferIndex] { version < 4 ? [.byTask] : allCases }

  // MARK: Sums

  /// Keeps the sums of identifiers far from overflow.
  private static let sumMask: Int64 = 0xFF_FFFF

  static func summand(_ record: TransferRecord) -> Int64 { record.id.rawValue & sumMask }

  /// Reads the index from end to end and sums the identifiers it leads to; a count could be
  /// computed from any index.
  var sum: String {
    "SELECT ifnull(sum(id & \(Self.sumMask)), 0) FROM transfer INDEXED BY \(name)"
      + (condition.map { " WHERE \($0)" } ?? "")
  }
}
