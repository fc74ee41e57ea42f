import Glibc
import GRDB
import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

@testable import KettleStore

/// A store that is too large to be read completely at each start; the parameter makes a small store
/// count as one.
@Suite struct LargeStoreTests {
  private let scratch: StoreScratch
  private var paths: StorePaths { StorePaths(scratch.path) }

  init() throws { scratch = try StoreScratch() }

  private func open() throws(StoreError) -> StoreOpening { try scratch.open(wholeByteCountMax: 0) }

  private func running(_ id: Int64) -> TransferRecord {
    var record = Sample.plain(id)
    record.state = .running
    return record
  }

  /// After damage was found: the next start sets the store aside, and the one after finds no
  /// damage.
  private func expectRepair(reason: String?, ids: [Int64]) throws {
    #expect(paths.isSuspect)
    let opening = try open()
    let notice = try #require(opening.notice)
    if let reason { #expect(notice.reason == reason) }
    #expect(try opening.journal.whole().records.map(\.id.rawValue) == ids)
    #expect(!paths.isSuspect)
    try opening.journal.close()
    #expect(try open().notice == nil)
  }

  // Fault 99
  @Test func `an invalid row is reported when read, and the next start repairs the store`()
    throws
  {
    try scratch.fill(Sample.puts(1...50))
    try scratch.meddle("UPDATE transfer SET url = 'nfs://nowhere' WHERE id = 17")
    let opening = try open()
    #expect(opening.notice == nil)
    let journal = opening.journal
    #expect(try journal.records([TransferID(rawValue: 16)]) == [Sample.plain(16)])
    #expect(!paths.isSuspect)
    let error = #expect(throws: StoreError.self) {
      try journal.records([TransferID(rawValue: 16), TransferID(rawValue: 17)])
    }
    #expect(error?.code == .unreadable)
    #expect(error?.detail == "\"url\" of a transfer makes no sense")
    #expect(StoreScratch.mode(of: scratch.path + ".suspect") == 0o600)
    try journal.close()
    try expectRepair(
      reason: "\"url\" of a transfer makes no sense", ids: Array(1...16) + Array(18...50))
  }

  // Fault 99
  @Test(arguments: [
    "UPDATE transfer SET resume_data = '{' WHERE id = 5",
    "UPDATE counter SET value = -7", "UPDATE tally SET state = 'flying'",
    "UPDATE session SET record = '{'", "UPDATE transfer SET queue_position = 9223372036854775807",
    "ALTER TABLE transfer DROP COLUMN retry_count",
    "INSERT INTO progress VALUES (3, '[5,1]')", "DROP TABLE progress",
    "ALTER TABLE progress RENAME COLUMN held TO ranges",
  ])
  func `data needed for the start is checked in a store of any size`(_ sql: String) throws {
    try scratch.fill(Sample.puts(1...4) + [.put(running(5)), .putSession(Sample.session("a"))])
    try scratch.meddle(sql)
    let opening = try open()
    #expect(opening.notice != nil)
    #expect(try opening.journal.whole().lastID == TransferID(rawValue: 5))
    try opening.journal.close()
    #expect(try open().notice == nil)
  }

  // Fault 99
  @Test func `an index that lacks a transfer is rebuilt when that transfer is written`() throws {
    try scratch.fill(Sample.puts(1...50))
    // While the definition of the index excludes the transfer, it is not updated.
    func redefine(_ old: String, _ new: String) throws {
      try scratch.meddle(
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, '\(old)', '\(new)')
        WHERE name = '\(TransferIndex.byOrigin.name)';
        """)
    }
    try redefine("is_dormant = 1", "is_dormant = 7")
    try scratch.meddle("UPDATE transfer SET priority = 0.75 WHERE id = 5")
    try redefine("is_dormant = 7", "is_dormant = 1")
    let opening = try open()
    #expect(opening.notice == nil)
    try opening.journal.commit([.remove(TransferID(rawValue: 5)), .put(Sample.plain(51))])
    let origin = Sample.plain(1).spec.url.origin
    #expect(
      try opening.journal.line(.at(origin, countMax: 100)).map(\.id.rawValue)
        == Array(1...4) + Array(6...51))
    #expect(!paths.isSuspect)
    // The repair no longer needs temporary storage on disk.
    #expect(
      try opening.journal.queue.inDatabase { try Int.fetchOne($0, sql: "PRAGMA temp_store") } == 2)
  }

  // Fault 99
  @Test func `reading a corrupt index is reported and costs no transfer`() throws {
    try scratch.fill(Sample.puts(1...50))
    try scratch.spoil(rootOf: TransferIndex.byOrigin.name)
    let journal = try open().journal
    let origin = Sample.plain(1).spec.url.origin
    #expect(throws: StoreError.self) { try journal.line(.at(origin, countMax: 1)) }
    try journal.close()
    try expectRepair(reason: nil, ids: Array(1...50))
  }

  // Fault 99
  @Test func `a commit that hits corrupt transfers changes nothing and marks the store suspect`()
    throws
  {
    try scratch.fill(Sample.puts(1...500))
    let pages = StorePages(try scratch.bytes(scratch.path), ids: 1...500)
    let (page, ids) = try #require(
      pages.transfers.min { $0.value.max() ?? 0 < $1.value.max() ?? 0 })
    var bytes = try scratch.bytes(scratch.path)
    for index in 0..<StoreMutation.pageByteCount {
      bytes[page * StoreMutation.pageByteCount + index] = 0xA5
    }
    try scratch.put(bytes, scratch.path)
    let journal = try open().journal
    let lost = try #require(ids.first)
    let error = #expect(throws: StoreError.self) {
      try journal.commit([.put(Sample.plain(501)), .put(Sample.plain(lost))])
    }
    #expect(error?.code == .unwritable)
    try journal.close()
    try expectRepair(reason: nil, ids: (1...500).filter { !ids.contains($0) })
  }

  @Test func `a suspect mark on an intact store is removed`() throws {
    try scratch.fill(Sample.puts(1...5))
    try paths.markSuspect("somebody")
    let opening = try open()
    #expect(opening.notice == nil)
    #expect(try opening.journal.whole().records.count == 5)
    #expect(!paths.isSuspect)
  }

  // MARK: Derived values

  @Test func `wrong totals are corrected when the entire store is read`() throws {
    try scratch.fill(Sample.puts(1...5))
    try scratch.meddle("UPDATE tally SET count = 4711, bytes_received = 1")
    let opening = try scratch.open()
    #expect(opening.notice == nil)
    let expected = StateTally(count: 5, unknownSizeCount: 5)
    #expect(try opening.journal.load().dormant.states == [.queued: expected])
  }

  // Fault 99
  @Test func `transfers that share a queue position get distinct ones in the same order`() throws {
    try scratch.fill(Sample.puts(1...5))
    try scratch.meddle("UPDATE transfer SET queue_position = 3 WHERE id IN (1, 5)")
    let opening = try scratch.open()
    #expect(opening.notice == nil)
    let order = try opening.journal.order(
      RowFilter(), RowSort(), rows: RowMaker(documentsDirectory: "/"))
    #expect(order.ids.map(\.rawValue) == [2, 1, 3, 5, 4])
    #expect(try opening.journal.whole().records.map(\.queuePosition) == [2, 1, 3, 5, 4])
  }

  // Fault 99
  @Test(arguments: [(-(1 << 52) - 1, [3, 1, 2, 4]), ((1 << 52) + 1, [1, 2, 4, 3])])
  func `an extreme queue position is renumbered and the order is kept`(
    place: Int64, order: [Int64]
  ) throws {
    try scratch.fill(Sample.puts(1...4))
    try scratch.meddle("UPDATE transfer SET queue_position = \(place) WHERE id = 3")
    let opening = try scratch.open()
    #expect(opening.notice == nil)
    let records = try opening.journal.whole().records
    let inOrder = records.sorted { $0.queuePosition < $1.queuePosition }
    #expect(inOrder.map(\.id.rawValue) == order)
    #expect(inOrder.map(\.queuePosition) == [1, 2, 3, 4])
  }

  @Test func `a closed store answers no query`() throws {
    try scratch.fill(Sample.puts(1...5))
    let journal = try open().journal
    _ = try journal.records([TransferID(rawValue: 1)])
    try journal.close()
    let error = #expect(throws: StoreError.self) {
      try journal.records([TransferID(rawValue: 1)])
    }
    #expect(error?.code == .unreadable)
    #expect(!paths.isSuspect)
    #expect(try scratch.names() == ["store.sqlite", "store.sqlite-commits"])
  }
}
