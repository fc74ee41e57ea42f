import GRDB
import KettleEngine
import KettleModel
import KettleScheduler

/// Converts rows to records.
struct TransferRowReader {
  /// How an invalid column is handled.
  enum Mode {
    /// The row is rejected.
    case strict
    /// The column is dropped if the request can be understood without it.
    case salvaging
  }

  /// An invalid column.
  struct Problem: Error, Hashable {
    var column: String
    var sentence: String { "\"\(column)\" of a transfer makes no sense" }
  }

  /// Identifiers and positions are incremented from the values read, so these must not be close to
  /// overflow. No list gets that long.
  static let numbers: ClosedRange<Int64> = 0...(1 << 53)

  /// Transfers moved to the top of the list precede everything ever added.
  static let positions: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

  let mode: Mode
  private let json = StoredJSON()

  init(_ mode: Mode) { self.mode = mode }

  func record(_ row: Row) throws(Problem) -> TransferRecord {
    var record = TransferRecord(
      id: TransferID(rawValue: try requiredNumber(.id, row)),
      taskIdentifier: try requiredNumber(.taskIdentifier, row), spec: try spec(row),
      createdAt: try value(.createdAt, of: row, or: WallTime(millisecondsSince1970: 0)) {
        WallTime(millisecondsSince1970: $0)
      },
      queuePosition: try value(.queuePosition, of: row, or: 0) {
        Self.positions.contains($0) ? $0 : nil
      },
      // The user decides about a transfer if it is unknown whether it was meant to run.
      state: try value(.state, of: row, or: .paused, TransferState.init))
    record.reason = try optional(.reason, of: row, WaitingReason.init)
    record.goesOnAt = try optional(.goesOnAt, of: row) { WallTime(millisecondsSince1970: $0) }
    record.resumeData = try coded(.resumeData, row)
    record.finishedFile = try coded(.finishedFile, row)
    record.failure = try coded(.failure, row)
    record.freshStart = try optional(.freshStart, of: row, FreshStartReason.init)
    record.retryCount = try value(.retryCount, of: row, or: 0) { Self.bounded($0).map(Int.init) }
    record.finishedAt = try optional(.finishedAt, of: row) { WallTime(millisecondsSince1970: $0) }
    record.finishNumber = try optional(.finishNumber, of: row) { Self.bounded($0) }
    record.task = try taskStatus(of: record, row)
    try checkDerived(record, row)
    return record
  }

  /// Values derived from the record are stored in columns too; the tallies count by them.
  private func checkDerived(_ record: TransferRecord, _ row: Row) throws(Problem) {
    // A store of an earlier version has different numbers there, and salvaged rows are recomputed.
    guard mode == .strict, let isDormant = try stored(.isDormant, row).int64 else { return }
    let expected = TalliedRow(record)
    guard isDormant == (expected.isDormant ? 1 : 0) else { throw problem(.isDormant) }
    guard try stored(.bytesReceived, row).int64 == expected.bytesReceived else {
      throw problem(.bytesReceived)
    }
    guard try stored(.bytesExpected, row).int64 == expected.bytesExpected else {
      throw problem(.bytesExpected)
    }
  }

  /// Returns a status if and only if the transfer is a task.
  private func taskStatus(
    of record: TransferRecord, _ row: Row
  ) throws(Problem) -> TaskStatus? {
    let status: TaskStatus? = try coded(.taskStatus, row)
    if (status == nil) == (record.spec.task == nil) { return status }
    switch mode {
    case .strict: throw problem(.taskStatus)
    case .salvaging: return record.task
    }
  }

  private func spec(_ row: Row) throws(Problem) -> TransferSpec {
    guard case .success(let parsed) = TransferURL.parse(try required(.url, row)) else {
      throw problem(.url)
    }
    var spec = TransferSpec(url: parsed.url)
    spec.session = SessionID(rawValue: try required(.session, row))
    spec.title = try optional(.title, of: row) { $0 }
    spec.directory = try optional(.directory, of: row) { $0 }
    spec.connections = try optional(.connections, of: row) { Int(exactly: $0 as Int64) }
    spec.headers = try coded(.headers, row) ?? []
    spec.login = try coded(.login, row)
    spec.checksum = try optional(.checksum, of: row) { Checksum($0) }
    spec.caCertificatePath = try optional(.caCertificatePath, of: row) { $0 }
    spec.limitBytesPerSecond = try optional(.limitBytesPerSecond, of: row) { $0 }
    spec.notBefore = try optional(.notBefore, of: row) { WallTime(millisecondsSince1970: $0) }
    spec.priority = try value(.priority, of: row, or: .normal) { TransferPriority($0) }
    spec.onConflict = try value(.onConflict, of: row, or: .rename, ConflictPolicy.init)
    spec.beginning = try value(.beginning, of: row, or: .queued, TransferSpec.Beginning.init)
    spec.request = try request(row)
    spec.task = try coded(.task, row)
    spec.trustedServers = try coded(.trustedServers, row) ?? []
    StoredOptions.complete(
      &spec, name: try optional(.name, of: row) { $0 }, try coded(.options, row))
    // The digests stay behind in a damaged store.
    if mode == .salvaging { spec.options.described?.pieces = nil }
    return spec
  }

  /// Not dropped when salvaging: an upload would become a download.
  private func request(_ row: Row) throws(Problem) -> RequestContent? {
    if try stored(.request, row).isNull { return nil }
    guard let request: RequestContent = try coded(.request, row) else { throw problem(.request) }
    return request
  }

  // MARK: Columns

  private func problem(_ column: TransferColumn) -> Problem { Problem(column: column.sqlName) }

  private func stored(_ column: TransferColumn, _ row: Row) throws(Problem) -> DatabaseValue {
    guard column.rawValue < row.count else { throw problem(column) }
    return row[column.rawValue]
  }

  // Inlined into `spec`, it crashes the optimizer of Swift 6.3.1 ("Found outside of lifetime use").
  @inline(never)
  private static func converted<Stored: DatabaseValueConvertible>(
    _ value: DatabaseValue, to type: Stored.Type
  ) -> Stored? {
    Stored.fromDatabaseValue(value)
  }

  /// A column that every transfer must have.
  private func required<Stored: DatabaseValueConvertible>(
    _ column: TransferColumn, _ row: Row
  ) throws(Problem) -> Stored {
    guard let value = Self.converted(try stored(column, row), to: Stored.self) else {
      throw problem(column)
    }
    return value
  }

  private func requiredNumber(_ column: TransferColumn, _ row: Row) throws(Problem) -> Int64 {
    guard let number = Self.bounded(try required(column, row)) else { throw problem(column) }
    return number
  }

  static func bounded(_ number: Int64) -> Int64? { numbers.contains(number) ? number : nil }

  /// A column that always has a value; salvaging uses `fallback` for an invalid one.
  private func value<Stored: DatabaseValueConvertible, Value>(
    _ column: TransferColumn, of row: Row, or fallback: Value, _ convert: (Stored) -> Value?
  ) throws(Problem) -> Value {
    if let value = Self.converted(try stored(column, row), to: Stored.self).flatMap(convert) {
      return value
    }
    switch mode {
    case .strict: throw problem(column)
    case .salvaging: return fallback
    }
  }

  /// A column that may be NULL.
  private func optional<Stored: DatabaseValueConvertible, Value>(
    _ column: TransferColumn, of row: Row, _ convert: (Stored) throws -> Value?
  ) throws(Problem) -> Value? {
    let stored = try stored(column, row)
    if stored.isNull { return nil }
    if let value = Self.converted(stored, to: Stored.self), let converted = try? convert(value) {
      return converted
    }
    switch mode {
    case .strict: throw problem(column)
    case .salvaging: return nil
    }
  }

  private func coded<Value: Decodable>(
    _ column: TransferColumn, _ row: Row
  ) throws(Problem) -> Value? {
    try optional(column, of: row) { try json.value(Value.self, in: $0) }
  }
}

extension DatabaseValue {
  fileprivate var int64: Int64? { Int64.fromDatabaseValue(self) }
}
