import FoundationEssentials
import GRDB
import GRDBSQLite
import Glibc
import KettleEngine

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

  func bind(_ value: [UInt8], at index: Int) {
    value.withUnsafeBytes { bytes in
      _ = sqlite3_bind_blob(
        pointer, CInt(index), bytes.baseAddress, CInt(bytes.count), Self.transient)
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

  func withBytes<Result>(_ column: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let start = sqlite3_column_blob(pointer, CInt(column))
    let count = Int(sqlite3_column_bytes(pointer, CInt(column)))
    return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  func withText<Result>(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let start = sqlite3_column_text(pointer, CInt(column))
    let count = Int(sqlite3_column_bytes(pointer, CInt(column)))
    return body(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
  }
}

/// Texts to be sorted, in one block of memory.
struct TextColumn {
  private var bytes: [UInt8] = []
  /// The end offset of each text.
  private var ends: [Int] = []
  /// If true, bytes can be compared, which is many times faster.
  private var isASCII = true

  var count: Int { ends.count }

  mutating func append(_ text: String) {
    if isASCII { isASCII = text.utf8.allSatisfy { $0 < 0x80 } }
    bytes += text.utf8
    ends.append(bytes.count)
  }

  private func range(_ index: Int) -> Range<Int> {
    (index > 0 ? ends[index - 1] : 0)..<ends[index]
  }

  subscript(index: Int) -> String { String(decoding: bytes[range(index)], as: UTF8.self) }

  /// Returns a negative, zero or positive number, as the first text sorts relative to the second.
  func comparison(_ one: Int, _ other: Int) -> Int {
    guard isASCII else {
      let (one, other) = (self[one], self[other])
      return one == other ? 0 : one < other ? -1 : 1
    }
    let (one, other) = (range(one), range(other))
    let difference = bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return CInt(0) }
      return memcmp(
        start + one.lowerBound, start + other.lowerBound, min(one.count, other.count))
    }
    return difference != 0 ? Int(difference) : one.count - other.count
  }
}

/// The encoding of the columns that are read back as a whole.
struct StoredJSON {
  private let encoder: JSONEncoder
  private let decoder = JSONDecoder()

  init() {
    encoder = JSONEncoder()
    // Equal values produce equal text, which makes stores comparable.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  func text(_ value: some Encodable) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  func value<Value: Decodable>(_ type: Value.Type, in text: String) throws -> Value {
    try decoder.decode(type, from: Data(text.utf8))
  }
}
