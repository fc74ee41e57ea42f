import GRDB
import KettleModel

/// The digests of pieces, by the transfer. A record says that they are here
/// (`DescribedPieces.stored`), and no query of a list reads them.
///
/// The table is made with its first row: a store without it has none.
enum PieceRows {
  private static let table = "piece_hashes"

  /// Writes the digests of a transfer, unless they are there.
  static func put(
    _ pieces: PieceHashes, of id: TransferID, in db: Database, _ json: StoredJSON
  ) throws {
    try db.execute(
      sql:
        "CREATE TABLE IF NOT EXISTS \(table) (id INTEGER PRIMARY KEY, pieces TEXT NOT NULL) STRICT")
    try db.execute(
      sql: """
        INSERT INTO \(table) (id, pieces) VALUES (?, ?)
        ON CONFLICT (id) DO UPDATE SET pieces = excluded.pieces WHERE pieces <> excluded.pieces
        """, arguments: [id.rawValue, try json.text(pieces)])
  }

  /// Returns the digests of a transfer; nil if there are none that can be read.
  static func read(of id: TransferID, _ db: Database, _ json: StoredJSON) throws -> PieceHashes? {
    guard try db.tableExists(table) else { return nil }
    let text = try String.fetchOne(
      db, sql: "SELECT pieces FROM \(table) WHERE id = ?", arguments: [id.rawValue])
    return text.flatMap { try? json.value(PieceHashes.self, in: $0) }
  }

  /// Removes the digests of transfers that were removed and cannot be restored.
  static func forget(_ ids: [TransferID], _ db: Database) throws {
    guard try db.tableExists(table) else { return }
    let statement = try StoreStatement(
      db, "DELETE FROM \(table) WHERE id = ? AND \(BinRows.isGone("\(table).id"))")
    defer { statement.reset() }
    for id in ids {
      statement.bind(id.rawValue, at: 1)
      try statement.run()
    }
  }
}
