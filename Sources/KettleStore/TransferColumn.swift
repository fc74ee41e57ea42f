import KettleModel

/// The columns of the table `transfer`, in the order in which they are written and read. The raw
/// value is the index in a row.
///
/// `origin`, which SQLite derives from the URL, is used only in queries.
enum TransferColumn: Int, CaseIterable {
  case id, session, taskIdentifier, state, reason, goesOnAt, priority, queuePosition, title, url
  case directory, name, createdAt, finishedAt, bytesReceived, bytesExpected, connections
  case limitBytesPerSecond, notBefore, checksum, caCertificatePath, onConflict, beginning, headers
  case login, resumeData, finishedFile, failure, freshStart, retryCount
  case request, task, taskStatus
  case finishNumber
  case isDormant
  case trustedServers
  case options

  /// The name in the table: `task_identifier` for `taskIdentifier`.
  var sqlName: String {
    String(describing: self).reduce(into: "") { name, letter in
      if letter.isUppercase { name += "_" }
      name += letter.lowercased()
    }
  }

  static let list = allCases.map(\.sqlName).joined(separator: ", ")

  /// How a change of the value affects the indexes.
  fileprivate enum Weight {
    case inNoIndex
    /// The transfer's state or position changed.
    case inIndexes
    /// A different transfer under the same id, or a fresh link for it.
    case isIdentity
  }

  fileprivate var weight: Weight {
    switch self {
    case .id, .session, .taskIdentifier, .url: .isIdentity
    case .state, .priority, .queuePosition, .finishNumber, .isDormant: .inIndexes
    case .reason, .goesOnAt, .title, .directory, .name, .createdAt, .finishedAt, .bytesReceived,
      .bytesExpected, .connections, .limitBytesPerSecond, .notBefore, .checksum,
      .caCertificatePath, .onConflict, .beginning, .headers, .login, .resumeData, .finishedFile,
      .failure, .freshStart, .retryCount, .request, .task, .taskStatus, .trustedServers, .options:
      .inNoIndex
    }
  }

  /// The parameter that the value is bound to, in all statements that write one row.
  fileprivate var parameter: String { "?\(TransferSQL.parameter(self))" }
}

/// The statements on the table `transfer` of this version.
enum TransferSQL {
  static let insert = insert(rowCount: 1)

  /// Running a statement reopens the table and its indexes, which for one row takes as long as
  /// writing it.
  static let insertTogether = insert(rowCount: rowsTogether)

  /// A higher number gains nothing.
  static let rowsTogether = 20

  private static func insert(rowCount: Int) -> String {
    let rows = (0..<rowCount).map { rowIndex in
      let marks = TransferColumn.allCases.map { "?\(parameter($0, rowIndex: rowIndex))" }
      return "(" + marks.joined(separator: ", ") + ")"
    }
    return "INSERT INTO transfer (\(TransferColumn.list)) VALUES " + rows.joined(separator: ", ")
  }

  private static let columnCount = TransferColumn.allCases.count

  /// Returns the parameter of a value in one of the rows that a statement writes. The first is 1.
  static func parameter(_ column: TransferColumn, rowIndex: Int = 0) -> Int {
    1 + rowIndex * columnCount + column.rawValue
  }

  /// Writes the columns that are in no index, if the others are unchanged: SQLite updates every
  /// index that contains an assigned column, whether its value changed or not.
  static let advance = update([.inNoIndex])

  /// Writes everything except the columns of its identity.
  static let turn = update([.inNoIndex, .inIndexes])

  static let replace = update([.inNoIndex, .inIndexes, .isIdentity])

  /// The statement changes nothing if a column that it does not write differs.
  private static func update(_ weights: Set<TransferColumn.Weight>) -> String {
    let columns = TransferColumn.allCases.dropFirst()
    let updates = columns.filter { weights.contains($0.weight) }
      .map { "\($0.sqlName) = \($0.parameter)" }.joined(separator: ", ")
    // The unary plus keeps SQLite from looking up the row by anything but its id.
    let conditions = columns.filter { !weights.contains($0.weight) }
      .map { " AND +\($0.sqlName) IS \($0.parameter)" }.joined()
    return "UPDATE transfer SET \(updates) WHERE id = \(TransferColumn.id.parameter)\(conditions)"
  }

  static let remove = "DELETE FROM transfer WHERE id = ?"

  /// Selects the columns of `TalliedRow`.
  static let tallied =
    "SELECT is_dormant, state, bytes_received, bytes_expected FROM transfer WHERE id = ?"
}

/// The column `options`: the options of a transfer, and who has chosen the values of its other
/// columns.
struct StoredOptions: Codable {
  private var options: TransferOptions
  private var nameOrigin: FileName.Origin
  private var minimumReach: NetworkReach

  private enum CodingKeys: String, CodingKey {
    /// Set if the name is not the user's.
    case isNameForeign
    /// Set if the URL is not the user's.
    case minimumReach
    /// Set if there are mirrors: all of them are the user's. Earlier versions put those of a
    /// document among them.
    case areMirrorsGiven
  }

  init(_ spec: TransferSpec) {
    options = spec.options
    // The digests themselves are in a table of their own.
    if let pieces = spec.options.described?.pieces {
      options.described?.pieces = .stored(pieces.outline)
    }
    nameOrigin = spec.name?.origin ?? .user
    minimumReach = spec.source.minimumReach
  }

  /// Whether the column has anything to say.
  var isEmpty: Bool { options == .none && nameOrigin == .user && minimumReach == .machine }

  /// Completes a request that has been read from the other columns.
  ///
  /// - Parameter name: the column `name`.
  static func complete(_ spec: inout TransferSpec, name: String?, _ stored: StoredOptions?) {
    spec.options = stored?.options ?? .none
    spec.source = ChainedURL(spec.url, namedBy: stored?.minimumReach ?? .machine)
    spec.name = name.flatMap { FileName(recorded: $0, stored?.nameOrigin ?? .user) }
  }

  init(from decoder: any Decoder) throws {
    options = try TransferOptions(from: decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let isForeign = try container.decodeIfPresent(Bool.self, forKey: .isNameForeign) ?? false
    nameOrigin = isForeign ? .foreign : .user
    minimumReach =
      try container.decodeIfPresent(NetworkReach.self, forKey: .minimumReach) ?? .machine
    let areGiven = try container.decodeIfPresent(Bool.self, forKey: .areMirrorsGiven) ?? false
    if !options.mirrors.isEmpty, !areGiven {
      // These records do not say who named the mirrors. A document may have named them, and may
      // have chosen the URL and the name as well.
      options.described = DescribedFile(
        copies: options.mirrors.map { ChainedURL($0, namedBy: .world) })
      options.mirrors = []
      minimumReach = .world
      nameOrigin = .foreign
    }
  }

  func encode(to encoder: any Encoder) throws {
    try options.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    if nameOrigin == .foreign { try container.encode(true, forKey: .isNameForeign) }
    if minimumReach > .machine { try container.encode(minimumReach, forKey: .minimumReach) }
    if !options.mirrors.isEmpty { try container.encode(true, forKey: .areMirrorsGiven) }
  }
}

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
