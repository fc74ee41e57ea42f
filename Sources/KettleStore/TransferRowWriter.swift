import GRDB
import KettleEngine
import KettleModel

/// Writes the changes of one commit.
struct TransferRowWriter {
  let json = StoredJSON()
  private let db: Database
  private let statements: Statements
  /// The largest id that a row may have.
  private var lastID: Int64
  private var tallies = StoreTallies()
  /// The transfers that have a row in the table `progress`.
  private(set) var advanced: Set<TransferID>
  /// What else is stored about them goes at the end: the same commit may put them into the bin.
  private var removed: [TransferID] = []

  /// - Parameter lastID: the largest id ever given before this commit.
  init(_ db: Database, lastID: Int64, advanced: Set<TransferID> = []) throws {
    self.db = db
    self.lastID = lastID
    self.advanced = advanced
    statements = try Statements(db)
  }

  /// Kept, because looking up a statement by its text takes longer than running it.
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

  /// Applies the changes in order. Consecutive new transfers are inserted many at a time.
  mutating func apply(_ changes: [JournalChange]) throws {
    var rest = changes[...]
    while let next = rest.first {
      let together = rest.prefix(TransferSQL.rowsTogether)
      if areNew(together) {
        try insert(together)
        rest = rest.dropFirst(together.count)
      } else {
        try apply(next)
        rest = rest.dropFirst()
      }
    }
  }

  private mutating func apply(_ change: JournalChange) throws {
    switch change {
    case .put(let record): try put(record)
    case .progress(let id, let durable):
      try StoredProgress.put(durable, of: id, db)
      advanced.insert(id)
    case .digests(let id, let digests): try DigestRows(db).put(digests, of: id)
    case .forgetDigests(let id): try DigestRows(db).forget(id)
    case .members(let id, let first, let members):
      try MemberRows(db).put(members, of: id, from: first)
    case .leaveOutMembers(let id, let runs): try MemberRows(db).leaveOut(runs, of: id)
    case .syncMembers(let sync, let list): try MemberRows(db).sync(sync, from: list)
    case .remove(let id): try remove(id)
    case .putSession(let record): try SessionRows.put(record, in: db, json)
    case .removeSession(let session): try SessionRows.remove(session, db)
    // Part of the counters, which are written earlier.
    case .clearFinished, .uncover: break
    case .bin(let change): try BinRows(db).apply(change)
    case .hostServed(let origin, let time): try HostRows.put(origin, at: time, db)
    case .rememberHost(let origin, let remembered):
      try RememberedHostRows.put(remembered, for: origin, in: db, json: json)
    case .hook(let change): try HookRows(db).apply(change)
    }
  }

  /// Writes the combined changes of the totals, and forgets what belongs to removed transfers.
  func finish() throws {
    try tallies.write(db)
    if !removed.isEmpty { try BinRows.forgetGone(removed, db) }
  }

  private mutating func put(_ record: TransferRecord) throws {
    if advanced.remove(record.id) != nil { try StoredProgress.remove(record.id, db) }
    try putPieces(of: record)
    let row = TalliedRow(record)
    let id = record.id.rawValue
    if id <= lastID, let old = try old(id) {
      tallies.remove(old)
      try change(record, row, from: old)
    } else {
      lastID = max(lastID, id)
      try write(record, row, by: statements.insert)
      try recordMember(record)
    }
    tallies.add(row)
  }

  private func recordMember(_ record: TransferRecord) throws {
    guard let role = record.spec.options.member else { return }
    try MemberRows(db).record(record, as: role)
  }

  private func putPieces(of record: TransferRecord) throws {
    guard let pieces = record.spec.options.described?.pieces?.given else { return }
    try PieceRows.put(pieces, of: record.id, in: db, json)
  }

  /// Whether the changes fill a statement and each has an identifier that no row has.
  private func areNew(_ changes: ArraySlice<JournalChange>) -> Bool {
    if changes.count < TransferSQL.rowsTogether { return false }
    var last = lastID
    for change in changes {
      switch change {
      case .put(let record):
        if record.id.rawValue <= last { return false }
        last = record.id.rawValue
      case .progress, .digests, .forgetDigests, .members, .syncMembers, .leaveOutMembers, .remove,
        .putSession,
        .removeSession,
        .clearFinished, .uncover, .hostServed, .rememberHost, .bin, .hook:
        return false
      }
    }
    return true
  }

  private mutating func insert(_ new: ArraySlice<JournalChange>) throws {
    // Prepared only when needed: its text is long to look up.
    let statement = try StoreStatement(db, TransferSQL.insertTogether)
    defer { statement.reset() }
    for (rowIndex, change) in new.enumerated() {
      guard case .put(let record) = change else { continue }
      try putPieces(of: record)
      let row = TalliedRow(record)
      try TransferParameters(statement, rowIndex: rowIndex).bind(record, row, encoder: json)
      lastID = max(lastID, record.id.rawValue)
      tallies.add(row)
      try recordMember(record)
    }
    try statement.run()
  }

  /// Most changes touch no index. Each statement itself checks whether it suffices.
  private func change(_ record: TransferRecord, _ row: TalliedRow, from old: TalliedRow) throws {
    if old.state == record.state, try write(record, row, by: statements.advance) > 0 { return }
    if try write(record, row, by: statements.turn) > 0 { return }
    try write(record, row, by: statements.replace)
  }

  private mutating func remove(_ id: TransferID) throws {
    if advanced.remove(id) != nil { try StoredProgress.remove(id, db) }
    removed.append(id)
    guard let old = try old(id.rawValue) else { return }
    tallies.remove(old)
    let statement = statements.remove
    statement.bind(id.rawValue, at: 1)
    try statement.run()
  }

  /// Returns the current row.
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
    _ record: TransferRecord, _ row: TalliedRow, by statement: StoreStatement
  ) throws -> Int {
    defer { statement.reset() }
    try TransferParameters(statement).bind(record, row, encoder: json)
    return try statement.run()
  }
}

/// The parameters of one row in a statement of `TransferSQL`.
struct TransferParameters {
  private let statement: StoreStatement
  private let firstIndex: Int

  /// - Parameter rowIndex: the index of the row among those that the statement writes together.
  init(_ statement: StoreStatement, rowIndex: Int = 0) {
    self.statement = statement
    firstIndex = TransferSQL.parameter(.id, rowIndex: rowIndex)
  }

  func bind(_ record: TransferRecord, _ row: TalliedRow, encoder json: StoredJSON) throws {
    bind(record.spec)
    bind(record, row)
    try bindCoded(record, json)
  }

  private func bind(_ record: TransferRecord, _ row: TalliedRow) {
    bind(record.id.rawValue, .id)
    bind(record.taskIdentifier, .taskIdentifier)
    bind(record.state.rawValue, .state)
    bind(record.reason?.rawValue, .reason)
    bind(record.goesOnAt?.millisecondsSince1970, .goesOnAt)
    bind(record.queuePosition, .queuePosition)
    bind(record.createdAt.millisecondsSince1970, .createdAt)
    bind(record.finishedAt?.millisecondsSince1970, .finishedAt)
    bind(row.bytesReceived, .bytesReceived)
    bind(row.bytesExpected, .bytesExpected)
    bind(record.freshStart?.rawValue, .freshStart)
    bind(Int64(record.retryCount), .retryCount)
    bind(record.finishNumber, .finishNumber)
    bind(row.isDormant ? 1 : 0, .isDormant)
  }

  private func bind(_ spec: TransferSpec) {
    bind(spec.session.rawValue, .session)
    statement.bind(spec.priority.value, at: index(.priority))
    bind(spec.title, .title)
    bind(spec.url.text, .url)
    bind(spec.directory, .directory)
    bind(spec.name?.text, .name)
    bind(spec.connections.map(Int64.init), .connections)
    bind(spec.limitBytesPerSecond, .limitBytesPerSecond)
    bind(spec.notBefore?.millisecondsSince1970, .notBefore)
    bind(spec.checksum?.text, .checksum)
    bind(spec.caCertificatePath, .caCertificatePath)
    bind(spec.onConflict.rawValue, .onConflict)
    bind(spec.beginning.rawValue, .beginning)
  }

  private func bindCoded(_ record: TransferRecord, _ json: StoredJSON) throws {
    let spec = record.spec
    if !spec.headers.isEmpty { bind(try json.text(spec.headers), .headers) }
    if let login = spec.login { bind(try json.text(login), .login) }
    if !spec.trustedServers.isEmpty { bind(try json.text(spec.trustedServers), .trustedServers) }
    let options = StoredOptions(spec)
    if !options.isEmpty { bind(try json.text(options), .options) }
    if let request = spec.request { bind(try json.text(request), .request) }
    if let task = spec.task { bind(try json.text(task), .task) }
    if let status = record.task { bind(try json.text(status), .taskStatus) }
    if let resumeData = record.resumeData {
      bind(try json.text(resumeData), .resumeData)
    }
    if let finished = record.finishedFile {
      bind(try json.text(finished), .finishedFile)
    }
    if let failure = record.failure { bind(try json.text(failure), .failure) }
  }

  private func index(_ column: TransferColumn) -> Int { firstIndex + column.rawValue }

  private func bind(_ value: Int64?, _ column: TransferColumn) {
    statement.bind(value, at: index(column))
  }

  private func bind(_ value: String?, _ column: TransferColumn) {
    statement.bind(value, at: index(column))
  }
}
