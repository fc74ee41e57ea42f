import KettleEngine
import KettleModel
import KettleScheduler

/// The snapshot of a transfer that has received nothing, limited to what filters and sorts use.
/// Nearly all of a million rows are of this kind, and reading each in full takes ten times as long.
struct PlainRow {
  private enum Column: Int, CaseIterable {
    case id, isPlain, url, title, name, directory, session, state, finishNumber, queuePosition
    case createdAt, finishedAt, priority, queue

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
      }
    }
  }

  static let columns = Column.allCases.map(\.sql).joined(separator: ", ")

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
