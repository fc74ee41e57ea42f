import GRDB

/// The columns of a store, and the queries that read them. A store of an earlier version is read
/// before it is migrated, because it may turn out to be damaged.
struct StoreLayout {
  private let transferColumns: Set<String>
  private let sessionColumns: Set<String>
  private let hasStamps: Bool

  /// - Parameter version: the store's version, from its list of migrations.
  init(version: Int) {
    transferColumns = Set(
      TransferColumn.allCases.filter { $0.version <= version }.map(\.sqlName))
    sessionColumns = version < 2 ? [] : [Self.sessionRecord]
    hasStamps = version == 6
  }

  /// Reads the columns from the tables themselves, for a store whose list of migrations may be
  /// damaged.
  init(foundIn db: Database) throws {
    transferColumns = Set(try db.columns(in: "transfer").map(\.name))
    sessionColumns = Set(try db.columns(in: "session").map(\.name))
    hasStamps = try Self.hasStamps(db)
  }

  /// Whether rows of progress refer to pages.
  static func hasStamps(_ db: Database) throws -> Bool {
    try db.tableExists("progress")
      && db.columns(in: "progress").contains { $0.name == "stamp" }
  }

  /// Whether the tables match the list of migrations and contain nothing of a later version.
  func agrees(with found: StoreLayout) -> Bool {
    found.hasSessionRecords == hasSessionRecords && found.hasStamps == hasStamps
      && TransferColumn.allCases.allSatisfy { column in
        found.transferColumns.contains(column.sqlName)
          == transferColumns.contains(column.sqlName)
      }
  }

  private static let sessionRecord = "record"

  private var hasSessionRecords: Bool { sessionColumns.contains(Self.sessionRecord) }

  /// All columns in order; a column that the store lacks reads as NULL.
  private var transferList: String {
    TransferColumn.allCases
      .map { transferColumns.contains($0.sqlName) ? $0.sqlName : "NULL" }
      .joined(separator: ", ")
  }

  var allTransfers: String { "SELECT \(transferList) FROM transfer ORDER BY id" }

  /// Reads the table alone, for a store with damaged indexes. `allTransfersBackwards` starts from
  /// the other end, for a store with a damaged middle.
  var allTransfersUnindexed: String {
    "SELECT \(transferList) FROM transfer NOT INDEXED ORDER BY id"
  }

  var allTransfersBackwards: String { allTransfersUnindexed + " DESC" }

  /// The transfers that the service loads into memory. For version 4 and later.
  var awakeTransfers: String {
    "SELECT \(transferList) FROM transfer INDEXED BY \(TransferIndex.awake.name) "
      + "WHERE is_dormant = 0 ORDER BY id"
  }

  var oneTransfer: String { "SELECT \(transferList) FROM transfer NOT INDEXED WHERE id = ?" }

  /// The sessions that were not dropped, by name; nil for versions without session records.
  var sessionRecords: String? {
    guard hasSessionRecords else { return nil }
    return "SELECT name, record FROM session WHERE record IS NOT NULL ORDER BY name"
  }
}

extension TransferColumn {
  /// The store version that introduced the column.
  fileprivate var version: Int {
    switch self {
    case .id, .session, .taskIdentifier, .state, .reason, .goesOnAt, .priority, .queuePosition,
      .title, .url, .directory, .name, .createdAt, .finishedAt, .bytesReceived, .bytesExpected,
      .connections, .limitBytesPerSecond, .notBefore, .checksum, .caCertificatePath, .onConflict,
      .beginning, .headers, .login, .resumeData, .finishedFile, .failure, .freshStart, .retryCount:
      1
    case .request, .task, .taskStatus: 2
    case .finishNumber: 3
    case .isDormant: 4
    case .trustedServers: 10
    case .options: 11
    }
  }
}
