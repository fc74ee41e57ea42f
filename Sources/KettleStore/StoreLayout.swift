import GRDB

/// The columns of a store, and the queries that read them. A damaged store, or one of a release
/// candidate of 0.1.0, may lack some.
struct StoreLayout {
  private let transferColumns: Set<String>
  private let hasSessionRecords: Bool

  /// The columns of this version.
  init() {
    transferColumns = Set(TransferColumn.allCases.map(\.sqlName))
    hasSessionRecords = true
  }

  /// Reads the columns from the tables themselves.
  init(foundIn db: Database) throws {
    transferColumns = Set(try db.columns(in: "transfer").map(\.name))
    hasSessionRecords = try db.columns(in: "session").contains { $0.name == "record" }
  }

  /// Whether the tables have all columns of this version.
  var isComplete: Bool {
    hasSessionRecords
      && TransferColumn.allCases.allSatisfy { transferColumns.contains($0.sqlName) }
  }

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

  /// The transfers that the service loads into memory.
  var awakeTransfers: String {
    "SELECT \(transferList) FROM transfer INDEXED BY \(TransferIndex.awake.name) "
      + "WHERE is_dormant = 0 ORDER BY id"
  }

  var oneTransfer: String { "SELECT \(transferList) FROM transfer NOT INDEXED WHERE id = ?" }

  /// The sessions that were not dropped, by name; nil if the table has no records.
  var sessionRecords: String? {
    guard hasSessionRecords else { return nil }
    return "SELECT name, record FROM session WHERE record IS NOT NULL ORDER BY name"
  }
}
