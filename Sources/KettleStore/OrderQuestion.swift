import GRDB
import KettleEngine
import KettleModel

/// A query for the order of the list: the SQL, and the conversion of its result.
struct OrderQuestion {
  private let filter: RowFilter
  private let sort: RowSort
  private let rows: RowMaker

  init(_ filter: RowFilter, _ sort: RowSort, rows: RowMaker) {
    self.filter = filter
    self.sort = sort
    self.rows = rows
  }

  func answer(_ db: Database) throws -> StoredOrder {
    // Words, hosts and reasons are matched against what clients display.
    if filter.host != nil || filter.needsUser || !filter.words.isEmpty { return try byRows(db) }
    switch sort.key {
    case .queue: return try byNumber("queue_position", db)
    case .state: return try byNumber("state", db, converted: states())
    case .size: return try byNumber("ifnull(bytes_expected, -1)", db)
    case .createdAt: return try byNumber("created_at", db)
    case .finishedAt, .secondsLeft: return try byNumber(unknownable, db)
    case .speed, .connections: return try byNumber("0", db)
    case .priority: return try byReal("priority", db)
    case .progress:
      return try byReal(
        """
        CASE WHEN bytes_expected > 0 THEN CAST(bytes_received AS REAL) / bytes_expected
        ELSE state = 'completed' END
        """, db)
    case .host: return try byGroup("origin", db) { String(Self.row(url: $0).host) }
    case .session: return try byGroup("session", db) { $0 }
    case .title: return try byRows(db)
    }
  }

  /// A running transfer has no remaining time here.
  private var unknownable: String { sort.key == .finishedAt ? "finished_at" : "NULL" }

  // MARK: Rows

  private static func row(url: String = "", state: TransferState = .idle) -> TransferSnapshot {
    TransferSnapshot(
      id: TransferID(rawValue: 0), session: .kettle, taskIdentifier: 0, title: "", url: url,
      state: state, createdAt: WallTime(millisecondsSince1970: 0))
  }

  /// Returns the sort number of each state, for use in SQL.
  private func states() -> [String: Int64] {
    var numbers: [String: Int64] = [:]
    for state in TransferState.allCases {
      if case .number(let number) = sort.key(of: Self.row(state: state)).value {
        numbers[state.rawValue] = number
      }
    }
    return numbers
  }

  /// Orders by the snapshot made from each record.
  private func byRows(_ db: Database) throws -> StoredOrder {
    let test = RowTest(filter)
    // A plain row lacks bytes received, speed and connections. They are not needed here: nothing
    // was received.
    let plain = PlainRow(rows)
    let records = try RecordFetch(db)
    var order = OrderBuilder(isDescending: sort.isDescending)
    let statement = try StoreStatement(
      db, "SELECT \(PlainRow.columns) FROM transfer NOT INDEXED" + condition())
    defer { statement.reset() }
    statement.bind(filter.session?.rawValue, at: 1)
    while try statement.step() {
      let row =
        try plain.snapshot(statement)
        ?? records.records([plain.id(statement)]).first.map(rows.row)
      if let row, test.passes(row) { order.add(sort.key(of: row)) }
    }
    return order.finished()
  }

  // MARK: SQL

  /// The filter's SQL condition, with parameters for text that users supplied.
  private func condition() -> String {
    var parts: [String] = []
    if let states = filter.states {
      parts.append("state IN (\(states.map { "'\($0.rawValue)'" }.joined(separator: ", ")))")
    }
    if filter.needsUser { parts.append("state = '\(TransferState.waiting.rawValue)'") }
    if filter.session != nil { parts.append("session = ?") }
    if filter.scope == .uncleared, let number = rows.clearedUpTo {
      parts.append("NOT (state = 'completed' AND ifnull(finish_number, 0) <= \(number))")
    }
    return parts.isEmpty ? "" : " WHERE " + parts.joined(separator: " AND ")
  }

  /// Selects ids and sort keys, in unspecified order.
  private func select(_ key: String, _ db: Database) throws -> StoreStatement {
    // In queue order, when that index covers the query: the result is then already sorted.
    let isPlain = sort.key == .queue && filter.session == nil
    let source = isPlain ? "INDEXED BY \(TransferIndex.byPlace.name)" : "NOT INDEXED"
    let direction = sort.isDescending ? "DESC" : "ASC"
    let order = isPlain ? " ORDER BY queue_position \(direction)" : ""
    let statement = try StoreStatement(
      db, "SELECT id, \(key) FROM transfer \(source)\(condition())\(order)")
    statement.bind(filter.session?.rawValue, at: 1)
    return statement
  }

  private func byNumber(
    _ key: String, _ db: Database, converted: [String: Int64]? = nil
  ) throws -> StoredOrder {
    let statement = try select(key, db)
    defer { statement.reset() }
    var order = OrderBuilder(isDescending: sort.isDescending)
    while try statement.step() {
      if statement.isNull(1) {
        order.addUnknown(statement.number(0))
      } else if let converted {
        guard let number = converted[statement.text(1)] else {
          throw TransferRowReader.Problem(column: key)
        }
        order.add(statement.number(0), number)
      } else {
        order.add(statement.number(0), statement.number(1))
      }
    }
    return order.finished()
  }

  private func byReal(_ key: String, _ db: Database) throws -> StoredOrder {
    let statement = try select(key, db)
    defer { statement.reset() }
    var order = OrderBuilder(isDescending: sort.isDescending)
    while try statement.step() { order.add(statement.number(0), statement.real(1)) }
    return order.finished()
  }

  /// Orders by a text that many rows share: each distinct text is processed once, and rows are
  /// sorted by its number.
  private func byGroup(
    _ key: String, _ db: Database, name text: (String) -> String
  ) throws -> StoredOrder {
    let statement = try select(key, db)
    defer { statement.reset() }
    var numbers: [String: Int64] = [:]
    var texts: [String] = []
    var order = OrderBuilder(isDescending: sort.isDescending)
    while try statement.step() {
      let stored = statement.text(1)
      if let number = numbers[stored] {
        order.add(statement.number(0), number)
      } else {
        let number = Int64(texts.count)
        numbers[stored] = number
        texts.append(text(stored))
        order.add(statement.number(0), number)
      }
    }
    return order.finished(texts)
  }
}
