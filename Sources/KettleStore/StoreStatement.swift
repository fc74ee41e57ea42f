import GRDB
import GRDBSQLite

/// A prepared statement that is bound and stepped without intermediate values: a commit binds some
/// thirty columns for each of thousands of transfers, and a list of a million is stepped through.
struct StoreStatement {
  // Keeps the statement prepared.
  private let statement: Statement
  private let pointer: SQLiteStatement
  private let connection: SQLiteConnection?

  /// Tells SQLite to copy bound values.
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// No other user may be stepping through a statement with the same text.
  init(_ db: Database, _ sql: String) throws {
    statement = try db.cachedStatement(sql: sql)
    pointer = statement.sqliteStatement
    connection = db.sqliteConnection
    reset()
  }

  /// Resets the statement for another run and clears its bindings.
  func reset() {
    sqlite3_reset(pointer)
    sqlite3_clear_bindings(pointer)
  }

  // MARK: Binding, with the first parameter as 1

  func bind(_ value: Int64?, at index: Int) {
    guard let value else { return }
    sqlite3_bind_int64(pointer, CInt(index), value)
  }

  func bind(_ value: Double, at index: Int) { sqlite3_bind_double(pointer, CInt(index), value) }

  func bind(_ value: String?, at index: Int) {
    guard var value else { return }
    value.withUTF8 { text in
      // A null pointer would bind NULL.
      guard let start = text.baseAddress else {
        sqlite3_bind_text(pointer, CInt(index), "", 0, Self.transient)
        return
      }
      start.withMemoryRebound(to: CChar.self, capacity: text.count) { start in
        _ = sqlite3_bind_text(pointer, CInt(index), start, CInt(text.count), Self.transient)
      }
    }
  }

  // MARK: Running

  /// Returns whether there is a row.
  func step() throws -> Bool {
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      let message = connection.flatMap(sqlite3_errmsg).map { String(cString: $0) }
      sqlite3_reset(pointer)
      throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
    }
  }

  /// Runs a statement that returns no rows. Returns the number of rows it changed.
  @discardableResult
  func run() throws -> Int {
    while try step() {}
    sqlite3_reset(pointer)
    return Int(sqlite3_changes(connection))
  }

  // MARK: The row, with the first column as 0

  func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(pointer, CInt(column)) == SQLITE_NULL
  }

  func number(_ column: Int) -> Int64 { sqlite3_column_int64(pointer, CInt(column)) }

  func real(_ column: Int) -> Double { sqlite3_column_double(pointer, CInt(column)) }

  /// Returns an empty string for NULL.
  func text(_ column: Int) -> String {
    withText(column) { String(decoding: $0, as: UTF8.self) }
  }

  func withText<Result>(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let start = sqlite3_column_text(pointer, CInt(column))
    let count = Int(sqlite3_column_bytes(pointer, CInt(column)))
    return body(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
  }
}
