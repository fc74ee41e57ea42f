import KettleControl
import KettleEngine
import KettleModel
import KettleScheduler
import Logging
import TestSupport

@testable import KettleDaemon

/// A list over a store in memory.
struct ListWorld {
  let journal: InMemoryJournal
  let archive: ArchiveStandIn
  let list: RowList
  let rows = RowMaker(documentsDirectory: "/d")

  /// - Parameter dormant: what the store has at first.
  init(dormant: [TransferRecord] = [], driftMax: Int = RowIndex.driftMax) throws {
    var contents = JournalContents()
    contents.records = dormant
    journal = InMemoryJournal(contents)
    archive = ArchiveStandIn(journal)
    list = RowList(
      archive, rows: rows, driftMax: driftMax,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let tally = try journal.load().dormant
    list.update { $0.begin(tally, clearedUpTo: nil) }
  }

  /// With these rows, all awake.
  init(awake: [TransferSnapshot]) throws {
    try self.init()
    for row in awake { list.update { $0.put(row) } }
  }

  func ids(_ viewport: Viewport) async throws -> [Int64] {
    try await list.window(viewport).rows.map(\.id.rawValue)
  }

  /// Takes one out of the store into memory, as it is.
  func wake(_ id: Int64) throws {
    for record in try journal.records([TransferID(rawValue: id)]) {
      let row = rows.row(of: record)
      list.update { $0.wake(row) }
    }
  }

  static func record(
    _ id: Int64, _ name: String = "", _ state: TransferState = .queued
  ) throws -> TransferRecord {
    var spec = TransferSpec(url: try TransferURL.parse("http://files.example/\(id)").get().url)
    if !name.isEmpty { spec.title = name }
    var record = TransferRecord(
      id: TransferID(rawValue: id), taskIdentifier: id, spec: spec,
      createdAt: WallTime(millisecondsSince1970: id), queuePosition: id, state: state)
    if state == .completed { record.finishNumber = id }
    return record
  }
}
