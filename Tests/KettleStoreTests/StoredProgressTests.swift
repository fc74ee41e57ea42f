import FoundationEssentials
import Glibc
import GRDB
import KettleEngine
import KettleModel
import SeededNumbers
import Testing
import TestSupport

@testable import KettleStore

/// Checkpoints as rows, and the progress pages of version 6.
struct StoredProgressTests {
  private let scratch: StoreScratch
  private let one = TransferID(rawValue: 1)

  init() throws { scratch = try StoreScratch() }

  private func durable(_ mebibytes: Int64) -> ByteRangeSet { ByteRangeSet(prefix: mebibytes << 20) }

  private func record(_ id: Int64, holding durable: ByteRangeSet) -> TransferRecord {
    var record = Sample.plain(id)
    record.resumeData = Sample.resumeData(id)
    record.resumeData?.durable = durable
    return record
  }

  /// The durable ranges of the transfers after a kill, by id.
  private func found(in scratch: StoreScratch) throws -> [TransferID: ByteRangeSet] {
    let copy = try scratch.killed()
    // The directory is deleted with it.
    defer { withExtendedLifetime(copy) {} }
    let journal = try copy.open().journal
    let records = try journal.whole().records
    try journal.close()
    return Dictionary(
      uniqueKeysWithValues: records.map { ($0.id, $0.resumeData?.durable ?? ByteRangeSet()) })
  }

  @Test func `a checkpoint is one row that is overwritten`() throws {
    let journal = try scratch.open().journal
    try journal.commit([.put(record(1, holding: durable(0)))])
    for step in Int64(1)...40 { try journal.commit([.progress(one, durable(step))]) }
    #expect(try found(in: scratch) == [one: durable(40)])
    #expect(try journal.whole().records.first?.resumeData?.durable == durable(40))
    #expect(try journal.records([one]).first?.resumeData?.durable == durable(40))
    let rowCount = try journal.queue.read { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM progress")
    }
    #expect(rowCount == 1)
  }

  @Test func `a checkpoint does not outlive the record that follows it`() throws {
    let journal = try scratch.open().journal
    try journal.commit([.put(record(1, holding: durable(0)))])
    for step in Int64(1)...9 { try journal.commit([.progress(one, durable(step))]) }
    // The file was created again.
    try journal.commit([.put(record(1, holding: durable(0)))])
    #expect(try found(in: scratch) == [one: durable(0)])
    try journal.commit([.progress(one, durable(3)), .put(record(2, holding: durable(0)))])
    #expect(try found(in: scratch)[one] == durable(3))
  }

  // MARK: Version 6

  private static func fixture(_ suffix: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    return [UInt8](
      try Data(contentsOf: folder.appending(path: "Fixtures/version-6.sqlite\(suffix)")))
  }

  /// The store of a service of version 0.1.0 that was killed in the middle of a download.
  private func putFixture() throws {
    try scratch.put(Self.fixture(""), scratch.path)
    try scratch.put(Self.fixture("-progress"), scratch.path + "-progress")
  }

  /// The ranges in the fixture's two pages, and in the row that they belong to.
  private static let (newerPage, olderPage, row) = (
    Int64(201_326_592), Int64(195_035_136), Int64(6_291_456)
  )

  private func durable(in opening: StoreOpening) throws -> ByteRangeSet? {
    try opening.journal.whole().records.first { $0.id == one }?.resumeData?.durable
  }

  // Fault 101
  @Test func `a store with progress pages is migrated once from the newest page`() throws {
    _ = try scratch.open().journal.close()
    try putFixture()
    let opening = try scratch.open()
    #expect(opening.notice == nil)
    #expect(try durable(in: opening) == ByteRangeSet(prefix: Self.newerPage))
    #expect(access(scratch.path + "-progress", F_OK) != 0)
    try opening.journal.commit([.progress(one, durable(300))])
    try opening.journal.close()
    #expect(try durable(in: scratch.open()) == durable(300))
  }

  // Fault 77
  @Test(arguments: [(0, newerPage), (1, olderPage)])
  func `a page torn by a power cut leaves the other page valid`(torn: Int, left: Int64) throws {
    _ = try scratch.open().journal.close()
    try putFixture()
    var bytes = try Self.fixture("-progress")
    let range = torn * 4096 + 512..<torn * 4096 + 4096
    bytes.replaceSubrange(range, with: [UInt8](repeating: 7, count: range.count))
    try scratch.put(bytes, scratch.path + "-progress")
    #expect(try durable(in: scratch.open()) == ByteRangeSet(prefix: left))
  }

  @Test(arguments: [nil, [], [1, 2, 3], [UInt8](repeating: 0, count: 8192)] as [[UInt8]?])
  func `the row counts when no page is readable`(pages: [UInt8]?) throws {
    _ = try scratch.open().journal.close()
    try putFixture()
    unlink(scratch.path + "-progress")
    if let pages { try scratch.put(pages, scratch.path + "-progress") }
    #expect(try durable(in: scratch.open()) == ByteRangeSet(prefix: Self.row))
  }

  // MARK: Random order

  @Test func `records and checkpoints in any order survive a kill`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let journal = try scratch.open().journal
    var model: [TransferID: ByteRangeSet] = [:]
    for round in 0..<150 {
      let changes = (0..<(Int.random(in: 0...3, using: &random) == 0 ? 3 : 1)).map { _ in
        change(&model, &random)
      }
      try journal.commit(changes)
      guard round % 10 == 9 else { continue }
      #expect(try found(in: scratch) == model, "seed \(seed)")
    }
    try journal.close()
  }

  private func change(
    _ model: inout [TransferID: ByteRangeSet], _ random: inout SeededGenerator
  ) -> JournalChange {
    let id = TransferID(rawValue: .random(in: 1...4, using: &random))
    let durable = durable(.random(in: 0...50, using: &random))
    switch Int.random(in: 0...9, using: &random) {
    case 0:
      model[id] = nil
      return .remove(id)
    case 1...7 where model[id] != nil:
      model[id] = durable
      return .progress(id, durable)
    default:
      model[id] = durable
      return .put(record(id.rawValue, holding: durable))
    }
  }
}
