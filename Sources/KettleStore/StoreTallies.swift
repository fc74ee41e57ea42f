import GRDB
import KettleEngine
import KettleModel

/// The totals of the dormant transfers, updated in the table `tally` with every commit: counting a
/// million takes too long for a start.
///
/// The sums wrap around, so every addition can be subtracted again, whatever sizes servers report.
struct StoreTallies: Hashable {
  private(set) var states: [TransferState: StateTally] = [:]

  var isEmpty: Bool { states.isEmpty }

  mutating func add(_ row: TalliedRow) { count(row, 1) }

  mutating func remove(_ row: TalliedRow) { count(row, -1) }

  private mutating func count(_ row: TalliedRow, _ sign: Int64) {
    guard row.isDormant else { return }
    states[row.state, default: StateTally()].count(row, sign)
  }

  // MARK: The table

  static func read(_ db: Database) throws -> StoreTallies {
    var tallies = StoreTallies()
    let rows = try StoreStatement(
      db,
      "SELECT state, count, unknown_size_count, bytes_received, bytes_expected FROM tally")
    defer { rows.reset() }
    while try rows.step() {
      guard let state = TransferState(rawValue: rows.text(0)), rows.number(1) >= 0 else {
        throw TransferRowReader.Problem(column: "tally")
      }
      if rows.number(1) == 0 { continue }
      tallies.states[state] = StateTally(
        count: Int(rows.number(1)), unknownSizeCount: Int(rows.number(2)),
        bytesReceived: rows.number(3), bytesExpected: rows.number(4))
    }
    return tallies
  }

  /// Adds these totals to the table.
  func write(_ db: Database) throws {
    if isEmpty { return }
    var sum = try Self.read(db).states
    for (state, more) in states { sum[state, default: StateTally()].add(more) }
    for state in states.keys { try Self.put(sum[state] ?? StateTally(), of: state, db) }
  }

  private static func put(_ tally: StateTally, of state: TransferState, _ db: Database) throws {
    let statement = try StoreStatement(
      db,
      """
      INSERT OR REPLACE INTO tally
        (state, count, unknown_size_count, bytes_received, bytes_expected) VALUES (?, ?, ?, ?, ?)
      """)
    statement.bind(state.rawValue, at: 1)
    statement.bind(Int64(tally.count), at: 2)
    statement.bind(Int64(tally.unknownSizeCount), at: 3)
    statement.bind(tally.bytesReceived, at: 4)
    statement.bind(tally.bytesExpected, at: 5)
    try statement.run()
  }

  /// Counts all transfers.
  static func counted(_ db: Database) throws -> StoreTallies {
    var tallies = StoreTallies()
    let rows = try StoreStatement(
      db, "SELECT state, bytes_received, bytes_expected FROM transfer WHERE is_dormant = 1")
    defer { rows.reset() }
    while try rows.step() {
      guard let state = TransferState(rawValue: rows.text(0)) else {
        throw TransferRowReader.Problem(column: TransferColumn.state.sqlName)
      }
      tallies.add(
        TalliedRow(
          isDormant: true, state: state, bytesReceived: rows.number(1),
          bytesExpected: rows.isNull(2) ? nil : rows.number(2)))
    }
    return tallies
  }

  /// Replaces the table with totals counted from the transfers.
  static func recount(_ db: Database) throws {
    try db.execute(sql: "DELETE FROM tally")
    try counted(db).write(db)
  }
}

/// The parts of a transfer that the tallies count.
struct TalliedRow: Hashable {
  var isDormant: Bool
  var state: TransferState
  var bytesReceived: Int64
  var bytesExpected: Int64?
}

extension TalliedRow {
  init(_ record: TransferRecord) {
    self.init(
      isDormant: record.isDormant, state: record.state, bytesReceived: 0, bytesExpected: nil)
    if record.spec.task != nil {
      let row = RowMaker(documentsDirectory: "").row(of: record)
      bytesReceived = row.bytesReceived
      bytesExpected = row.bytesExpected
    } else if let finished = record.finishedFile {
      bytesReceived = finished.identity?.byteCount ?? 0
      bytesExpected = finished.identity?.byteCount
    } else {
      bytesReceived = record.resumeData?.durable.byteCount ?? 0
      bytesExpected = record.resumeData?.totalByteCount
    }
  }
}

extension StateTally {
  fileprivate mutating func count(_ row: TalliedRow, _ sign: Int64) {
    count += Int(sign)
    guard let expected = row.bytesExpected else {
      unknownSizeCount += Int(sign)
      return
    }
    bytesExpected &+= sign &* expected
    bytesReceived &+= sign &* min(row.bytesReceived, expected)
  }

  fileprivate mutating func add(_ other: StateTally) {
    count += other.count
    unknownSizeCount += other.unknownSizeCount
    bytesReceived &+= other.bytesReceived
    bytesExpected &+= other.bytesExpected
  }
}
