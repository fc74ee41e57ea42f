import KettleModel

/// The indexes of the table `transfer`. Each costs on every transfer that is added, so there is one
/// for what must come at once and none for more.
enum TransferIndex: CaseIterable {
  /// That of the table itself: no two tasks of a session have one number.
  case byTask
  /// The list as people put it in order, with what a view of it leaves out.
  case byPlace
  /// The line of all hosts, and that of each.
  case byLine, byOrigin
  /// Dormant transfers that are not in line.
  case byState
  /// What the service takes into its memory when it starts.
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

  /// Which transfers it has; nil is all.
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

  /// nil for the one that the table made.
  var creation: String? {
    switch self {
    case .byTask: nil
    case .byPlace, .byLine, .byOrigin, .byState, .awake, .byFinish:
      "CREATE INDEX \(name) ON transfer (\(columns))" + (condition.map { " WHERE \($0)" } ?? "")
    }
  }

  /// Those that a store of a version has and this one goes on using.
  static func of(version: Int) -> [TransferIndex] { version < 4 ? [.byTask] : allCases }

  // MARK: Sums

  /// Keeps the sums of identifiers far from the end of their type.
  private static let sumMask: Int64 = 0xFF_FFFF

  static func summand(_ record: TransferRecord) -> Int64 { record.id.rawValue & sumMask }

  /// Reads it from end to end and adds up the identifiers that it leads to; a count would be
  /// answered from any index.
  var sum: String {
    "SELECT ifnull(sum(id & \(Self.sumMask)), 0) FROM transfer INDEXED BY \(name)"
      + (condition.map { " WHERE \($0)" } ?? "")
  }
}
