import GRDB
import KettleEngine
import KettleModel

/// One question for the order of the list: what SQLite is asked for, and what is made of it.
struct OrderQuestion {
  private let filter: RowFilter
  private let sort: RowSort
  private let rows: RowMaker

  init(_ filter: RowFilter, _ sort: RowSort, _ rows: RowMaker) {
    self.filter = filter
    self.sort = sort
    self.rows = rows
  }

  func answer(_ db: Database) throws -> StoredOrder {
    // Words and hosts are looked for in what clients are shown.
    if filter.host != nil || !filter.words.isEmpty { return try byRows(db) }
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

  /// A transfer that runs has no time left here.
  private var unknownable: String { sort.key == .finishedAt ? "finished_at" : "NULL" }

  // MARK: Rows

  private static func row(url: String = "", state: TransferState = .idle) -> TransferSnapshot {
    TransferSnapshot(
      id: TransferID(rawValue: 0), session: .kettle, taskIdentifier: 0, title: "", url: url,
      state: state, createdAt: WallTime(millisecondsSince1970: 0))
  }

  /// What a state is sorted by, as SQL.
  private func states() -> [String: Int64] {
    var numbers: [String: Int64] = [:]
    for state in TransferState.allCases {
      if case .number(let number) = sort.key(of: Self.row(state: state)).value {
        numbers[state.rawValue] = number
      }
    }
    return numbers
  }

  /// By what clients are shown of each record.
  private func byRows(_ db: Database) throws -> StoredOrder {
    let test = RowTest(filter)
    // What is received, how fast and by how many is not in a plain row, and nobody needs it there:
    // nothing was.
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

  /// What the filter leaves, with parameters where users chose the text.
  private func condition() -> String {
    var parts: [String] = []
    if let states = filter.states {
      parts.append("state IN (\(states.map { "'\($0.rawValue)'" }.joined(separator: ", ")))")
    }
    if filter.session != nil { parts.append("session = ?") }
    if filter.scope == .uncleared, let number = rows.clearedUpTo {
      parts.append("NOT (state = 'completed' AND ifnull(finish_number, 0) <= \(number))")
    }
    return parts.isEmpty ? "" : " WHERE " + parts.joined(separator: " AND ")
  }

  /// Ids and what they are sorted by, in no order that counts.
  private func select(_ key: String, _ db: Database) throws -> StoreStatement {
    // By place from end to end, where that index has all that is asked for: then it is in order.
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

  /// By a text that many have in common: each is looked at once, and sorted by its number.
  private func byGroup(
    _ key: String, _ db: Database, _ text: (String) -> String
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
