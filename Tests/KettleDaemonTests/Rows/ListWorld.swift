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

  /// - Parameter dormant: the initial contents of the store.
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

  /// Creates a list of these rows, all awake.
  init(awake: [TransferSnapshot]) throws {
    try self.init()
    for row in awake { list.update { $0.update(row) } }
  }

  func ids(_ viewport: Viewport) async throws -> [Int64] {
    try await list.window(viewport).rows.map(\.id.rawValue)
  }

  /// Loads a row from the store, unchanged.
  func load(_ id: Int64) throws {
    for record in try journal.records([TransferID(rawValue: id)]) {
      let row = rows.row(of: record)
      list.update { $0.load(row) }
    }
  }

  static func record(
    _ id: Int64, name: String = "", _ state: TransferState = .queued
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

extension RowTable {
  /// The number of orders kept.
  var orderCount: Int { subscriptions.count { $0.index != nil } }
}
