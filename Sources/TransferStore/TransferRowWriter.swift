import GRDB
import TransferModel

/// Writes the changes of one commit.
struct TransferRowWriter {
  let json = StoredJSON()
  private let db: Database
  private let statements: Statements
  /// The largest id that a row may have.
  private var lastID: Int64
  private var tallies = StoreTallies()
  /// Those of which the table `progress` has a row, with its stamp.
  private(set) var advanced: [TransferID: ProgressStamp]

  /// - Parameter lastID: the largest id ever given before this commit.
  init(_ db: Database, lastID: Int64, advanced: [TransferID: ProgressStamp] = [:]) throws {
    self.db = db
    self.lastID = lastID
    self.advanced = advanced
    statements = try Statements(db)
  }

  /// To look one up by its text takes longer than to run it.
  private struct Statements {
    let insert, tallied, advance, turn, replace, remove: StoreStatement

    init(_ db: Database) throws {
      insert = try StoreStatement(db, TransferSQL.insert)
      tallied = try StoreStatement(db, TransferSQL.tallied)
      advance = try StoreStatement(db, TransferSQL.advance)
      turn = try StoreStatement(db, TransferSQL.turn)
      replace = try StoreStatement(db, TransferSQL.replace)
      remove = try StoreStatement(db, TransferSQL.remove)
    }
  }

  mutating func apply(_ change: JournalChange) throws {
    switch change {
    case .put(let record): try put(record)
    case .progress(let id, let held):
      advanced[id] = try StoredProgress.put(held, of: id, db)
    case .remove(let id): try remove(id)
    case .putSession(let record): try SessionRows.put(record, db, json)
    case .removeSession(let session): try SessionRows.remove(session, db)
    // One of the counters, which are written before.
    case .clearFinished: break
    }
  }

  /// Writes what the changes come to together.
  func finish() throws { try tallies.write(db) }

  private mutating func put(_ record: TransferRecord) throws {
    if advanced.removeValue(forKey: record.id) != nil { try StoredProgress.remove(record.id, db) }
    let row = TalliedRow(record)
    let id = record.id.rawValue
    if id <= lastID, let old = try old(id) {
      tallies.remove(old)
      try change(record, row, from: old)
    } else {
      lastID = max(lastID, id)
      try write(record, row, statements.insert)
    }
    tallies.add(row)
  }

  /// Most changes touch no index. Each statement sees for itself whether it will do.
  private func change(_ record: TransferRecord, _ row: TalliedRow, from old: TalliedRow) throws {
    if old.state == record.state, try write(record, row, statements.advance) > 0 { return }
    if try write(record, row, statements.turn) > 0 { return }
    try write(record, row, statements.replace)
  }

  private mutating func remove(_ id: TransferID) throws {
    if advanced.removeValue(forKey: id) != nil { try StoredProgress.remove(id, db) }
    guard let old = try old(id.rawValue) else { return }
    tallies.remove(old)
    let statement = statements.remove
    statement.bind(id.rawValue, at: 1)
    try statement.run()
  }

  /// What stands there now.
  private func old(_ id: Int64) throws -> TalliedRow? {
    let statement = statements.tallied
    statement.bind(id, at: 1)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    guard let state = TransferState(rawValue: statement.text(1)) else {
      throw TransferRowReader.Problem(column: TransferColumn.state.sqlName)
    }
    return TalliedRow(
      isDormant: statement.number(0) != 0, state: state, bytesReceived: statement.number(2),
      bytesExpected: statement.isNull(3) ? nil : statement.number(3))
  }

  // MARK: One row

  @discardableResult
  private func write(
    _ record: TransferRecord, _ row: TalliedRow, _ statement: StoreStatement
  ) throws -> Int {
    defer { statement.reset() }
    bind(record.spec, statement)
    bind(record, row, statement)
    try bindCoded(record, statement)
    return try statement.run()
  }

  private func bind(
    _ record: TransferRecord, _ row: TalliedRow, _ statement: StoreStatement
  ) {
    statement.bind(record.id.rawValue, .id)
    statement.bind(record.taskIdentifier, .taskIdentifier)
    statement.bind(record.state.rawValue, .state)
    statement.bind(record.reason?.rawValue, .reason)
    statement.bind(record.goesOnAt?.millisecondsSince1970, .goesOnAt)
    statement.bind(record.queuePosition, .queuePosition)
    statement.bind(record.createdAt.millisecondsSince1970, .createdAt)
    statement.bind(record.finishedAt?.millisecondsSince1970, .finishedAt)
    statement.bind(row.bytesReceived, .bytesReceived)
    statement.bind(row.bytesExpected, .bytesExpected)
    statement.bind(record.freshStart?.rawValue, .freshStart)
    statement.bind(Int64(record.retryCount), .retryCount)
    statement.bind(record.finishNumber, .finishNumber)
    statement.bind(row.isDormant ? 1 : 0, .isDormant)
  }

  private func bind(_ spec: TransferSpec, _ statement: StoreStatement) {
    statement.bind(spec.session.rawValue, .session)
    statement.bind(spec.priority.value, at: TransferColumn.priority.rawValue + 1)
    statement.bind(spec.title, .title)
    statement.bind(spec.url.text, .url)
    statement.bind(spec.directory, .directory)
    statement.bind(spec.name, .name)
    statement.bind(spec.connections.map(Int64.init), .connections)
    statement.bind(spec.limitBytesPerSecond, .limitBytesPerSecond)
    statement.bind(spec.notBefore?.millisecondsSince1970, .notBefore)
    statement.bind(spec.checksum?.text, .checksum)
    statement.bind(spec.caCertificatePath, .caCertificatePath)
    statement.bind(spec.onConflict.rawValue, .onConflict)
    statement.bind(spec.beginning.rawValue, .beginning)
  }

  private func bindCoded(_ record: TransferRecord, _ statement: StoreStatement) throws {
    let spec = record.spec
    if !spec.headers.isEmpty { statement.bind(try json.text(spec.headers), .headers) }
    if let login = spec.login { statement.bind(try json.text(login), .login) }
    if let request = spec.request { statement.bind(try json.text(request), .request) }
    if let task = spec.task { statement.bind(try json.text(task), .task) }
    if let status = record.task { statement.bind(try json.text(status), .taskStatus) }
    if let resumeData = record.resumeData {
      statement.bind(try json.text(resumeData), .resumeData)
    }
    if let finished = record.finishedFile {
      statement.bind(try json.text(finished), .finishedFile)
    }
    if let failure = record.failure { statement.bind(try json.text(failure), .failure) }
  }
}

extension StoreStatement {
  fileprivate func bind(_ value: Int64?, _ column: TransferColumn) {
    bind(value, at: column.rawValue + 1)
  }

  fileprivate func bind(_ value: String?, _ column: TransferColumn) {
    bind(value, at: column.rawValue + 1)
  }
}
