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
    if filter.host != nil || filter.machine != nil || filter.needsUser || filter.hookFailed
      || !filter.words.isEmpty
    {
      return try byRows(db)
    }
    switch sort.key {
    case .queue: return try byNumber(queueKey, db)
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
    case .host where !sort.isGrouped:
      return try bySharedText("origin", db) { String(Self.row(url: $0).host) }
    case .session where !sort.isGrouped: return try bySharedText("session", db) { $0 }
    case .title, .host, .session, .machine: return try byRows(db)
    }
  }

  /// In groups, those that are done are in the order in which they finished.
  private var queueKey: String {
    guard sort.isGrouped else { return "queue_position" }
    return "CASE state WHEN 'completed' THEN finished_at ELSE queue_position END"
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
    var order = OrderBuilder()
    let columns = PlainRow.columns(hasMembers: try !MemberRows(db).isEmpty)
    let statement = try StoreStatement(
      db, "SELECT \(columns) FROM transfer NOT INDEXED" + condition())
    defer { statement.reset() }
    statement.bind(filter.session?.rawValue, at: 1)
    while try statement.step() {
      let found =
        try plain.snapshot(statement)
        ?? records.records([plain.id(statement)]).first.map(rows.row)
      guard var row = found else { continue }
      row.failedHook = rows.failedHooks[row.id]
      if test.passes(row) { order.add(sort.key(of: row)) }
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
    if let stage = filter.stage { parts.append(Self.condition(of: stage)) }
    if filter.needsUser { parts.append("state = '\(TransferState.waiting.rawValue)'") }
    // More of them would make the statement longer than SQLite accepts.
    if filter.hookFailed, rows.failedHooks.count <= 10_000 {
      let ids = rows.failedHooks.keys.map { "\($0.rawValue)" }
      parts.append("id IN (\(ids.joined(separator: ", ")))")
    }
    if filter.session != nil { parts.append("session = ?") }
    switch filter.membership {
    case .any: break
    // Without members, as nearly always, this needs nothing of the table.
    case .none:
      let reasons = WaitingReason.allCases.filter(\.concernsUser).map { "'\($0.rawValue)'" }
      parts.append(
        "(id NOT IN (\(MemberRows.transfers)) OR state = 'waiting' "
          + "AND reason IN (\(reasons.joined(separator: ", "))))")
    case .of(let id):
      parts.append("id IN (\(MemberRows.transfers) AND collection = \(id.rawValue))")
    case .collections:
      parts.append("iif(json_valid(options), options ->> '$.collection', NULL) IS NOT NULL")
    }
    // A name has letters, digits, "-" and "_" only.
    if let queue = filter.queue {
      parts.append("task IS NULL AND \(StoreSchema.queueOfUser) = '\(queue.text)'")
    }
    if filter.scope == .uncleared, let number = rows.clearedUpTo {
      parts.append("NOT (state = 'completed' AND ifnull(finish_number, 0) <= \(number))")
    }
    return parts.isEmpty ? "" : " WHERE " + parts.joined(separator: " AND ")
  }

  private static func condition(of stage: RowFilter.Stage) -> String {
    let states = stage.states.filter { $0 != .waiting }.map { "'\($0.rawValue)'" }
    let reasons = WaitingReason.allCases
      .filter { RowFilter.Stage(.waiting, $0) == stage }.map { "'\($0.rawValue)'" }
    return """
      (state IN (\(states.joined(separator: ", ")))
      OR state = 'waiting' AND reason IN (\(reasons.joined(separator: ", "))))
      """
  }

  /// Selects ids, sort keys and what `section(of:)` needs, in unspecified order.
  private func select(_ key: String, _ db: Database) throws -> StoreStatement {
    // In queue order, when that index covers the query: the result is then already sorted.
    let isPlain =
      sort.key == .queue && filter.session == nil && filter.queue == nil && !sort.isGrouped
    let source = isPlain ? "INDEXED BY \(TransferIndex.byPlace.name)" : "NOT INDEXED"
    let direction = sort.isDescending ? "DESC" : "ASC"
    let order = isPlain ? " ORDER BY queue_position \(direction)" : ""
    let section = sort.isGrouped ? ", state, reason, priority, " + groupColumn : ""
    let statement = try StoreStatement(
      db, "SELECT id, \(key)\(section) FROM transfer \(source)\(condition())\(order)")
    statement.bind(filter.session?.rawValue, at: 1)
    return statement
  }

  /// The user's queue of a row, or its path in a collection, if the groups depend on it; NULL for
  /// none.
  private var groupColumn: String {
    switch sort.grouping {
    case .queues: "iif(task IS NULL, \(StoreSchema.queueOfUser), NULL)"
    case .directories: MemberRows.path
    case .work, nil: "NULL"
    }
  }

  /// Returns the section of a row, and whether its order is descending.
  private func section(of row: StoreStatement) throws -> (section: RowSection, isDescending: Bool) {
    guard sort.isGrouped else { return (RowSection(), sort.isDescending) }
    guard let state = TransferState(rawValue: row.text(2)) else {
      throw TransferRowReader.Problem(column: "state")
    }
    guard let priority = TransferPriority(row.real(4)) else {
      throw TransferRowReader.Problem(column: "priority")
    }
    let group = RowGroup(state, row.isNull(3) ? nil : WaitingReason(rawValue: row.text(3)))
    let text = row.isNull(5) ? nil : row.text(5)
    let section = sort.section(
      of: state, group, priority, in: text.flatMap { QueueName($0) }, path: text)
    return (section, sort.order(within: group).isDescending)
  }

  private func byNumber(
    _ key: String, _ db: Database, converted: [String: Int64]? = nil
  ) throws -> StoredOrder {
    let statement = try select(key, db)
    defer { statement.reset() }
    var order = OrderBuilder()
    while try statement.step() {
      let (section, isDescending) = try section(of: statement)
      var number: Int64?
      if let converted {
        number = converted[statement.text(1)]
        if number == nil { throw TransferRowReader.Problem(column: key) }
      } else if !statement.isNull(1) {
        number = statement.number(1)
      }
      order.add(statement.number(0), number, in: section, isDescending: isDescending)
    }
    return order.finished()
  }

  private func byReal(_ key: String, _ db: Database) throws -> StoredOrder {
    let statement = try select(key, db)
    defer { statement.reset() }
    var order = OrderBuilder()
    while try statement.step() {
      let (section, isDescending) = try section(of: statement)
      order.add(
        statement.number(0), statement.real(1), in: section, isDescending: isDescending)
    }
    return order.finished()
  }

  /// Orders a flat list by a text that many rows share: each distinct text is processed once, and
  /// rows are sorted by its number.
  private func bySharedText(
    _ key: String, _ db: Database, name text: (String) -> String
  ) throws -> StoredOrder {
    let statement = try select(key, db)
    defer { statement.reset() }
    var numbers: [String: Int64] = [:]
    var texts: [String] = []
    var order = SectionOrderBuilder(isDescending: sort.isDescending)
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
    let section = order.finished(texts)
    return StoredOrder(section.ids.isEmpty ? [] : [section])
  }
}

/// The snapshot of a transfer that has received nothing, limited to what filters and sorts use.
/// Nearly all of a million rows are of this kind, and reading each in full takes ten times as long.
struct PlainRow {
  private enum Column: Int, CaseIterable {
    case id, isPlain, url, title, name, directory, session, state, finishNumber, queuePosition
    case createdAt, finishedAt, priority, queue, member

    var sql: String {
      switch self {
      case .isPlain: "task IS NULL AND resume_data IS NULL AND finished_file IS NULL"
      case .id: "id"
      case .url: "url"
      case .title: "title"
      case .name: "name"
      case .directory: "directory"
      case .session: "session"
      case .state: "state"
      case .finishNumber: "finish_number"
      case .queuePosition: "queue_position"
      case .createdAt: "created_at"
      case .finishedAt: "finished_at"
      case .priority: "priority"
      case .queue: StoreSchema.queueName
      case .member: MemberRows.role
      }
    }
  }

  /// - Parameter hasMembers: false saves a search in another table for each row.
  static func columns(hasMembers: Bool) -> String {
    Column.allCases.map { $0 == .member && !hasMembers ? "NULL" : $0.sql }
      .joined(separator: ", ")
  }

  private let rows: RowMaker

  init(_ rows: RowMaker) { self.rows = rows }

  func id(_ row: StoreStatement) -> Int64 { row.number(Column.id.rawValue) }

  /// Returns nil when the whole record is needed, as for the reason of one that waits.
  func snapshot(_ row: StoreStatement) -> TransferSnapshot? {
    guard row.number(Column.isPlain.rawValue) == 1,
      let state = TransferState(rawValue: row.text(Column.state.rawValue)), state != .waiting,
      let priority = TransferPriority(row.real(Column.priority.rawValue))
    else { return nil }
    let name = text(.name, row)
    guard let title = text(.title, row) ?? name ?? plainName(row) else { return nil }
    var shown = TransferSnapshot(
      id: TransferID(rawValue: id(row)),
      session: SessionID(rawValue: row.text(Column.session.rawValue)), taskIdentifier: 0,
      title: title, url: row.text(Column.url.rawValue), state: state,
      createdAt: WallTime(millisecondsSince1970: row.number(Column.createdAt.rawValue)))
    shown.member = text(.member, row).flatMap(MemberRows.role)
    shown.path = name.map { (text(.directory, row) ?? rows.documentsDirectory) + "/" + $0 }
    shown.priority = priority
    shown.queue = text(.queue, row).flatMap { QueueName($0) }
    shown.queuePosition = row.number(Column.queuePosition.rawValue)
    shown.finishedAt = number(.finishedAt, row).map(WallTime.init(millisecondsSince1970:))
    let isCleared = state.isCleared(
      finishNumber: number(.finishNumber, row), upTo: rows.clearedUpTo)
    if isCleared { shown.isCleared = true }
    return shown
  }

  private func text(_ column: Column, _ row: StoreStatement) -> String? {
    row.isNull(column.rawValue) ? nil : row.text(column.rawValue)
  }

  private func number(_ column: Column, _ row: StoreStatement) -> Int64? {
    row.isNull(column.rawValue) ? nil : row.number(column.rawValue)
  }

  private func plainName(_ row: StoreStatement) -> String? {
    row.withText(Column.url.rawValue) { Self.plainName(inURL: $0) }
  }

  /// Returns the file name that a URL gives (`FileName.fromURL`) if the URL is simple enough not to
  /// need parsing; otherwise nil.
  static func plainName(inURL url: UnsafeBufferPointer<UInt8>) -> String? {
    let address = url.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    // The first two slashes precede the host.
    var slashCount = 0
    let pathStart = address.firstIndex { byte in
      if byte == UInt8(ascii: "/") { slashCount += 1 }
      return slashCount == 3
    }
    guard let pathStart else { return nil }
    let path = UnsafeBufferPointer(rebasing: address[pathStart...])
    return FileName.plainLastSegment(of: path.span)
  }
}
