import Glibc
import KettleEngine
import KettleModel
import KettleSystem
import SeededNumbers
import Testing
import TestSupport

@testable import KettleStore

struct ProgressPagesTests {
  private let scratch: StoreScratch
  private let one = TransferID(rawValue: 1)

  init() throws { scratch = try StoreScratch() }

  private var pagesPath: String { scratch.path + "-progress" }

  private func held(_ mebibytes: Int64) -> ByteRangeSet { ByteRangeSet(prefix: mebibytes << 20) }

  private func record(_ id: Int64, holding held: ByteRangeSet) -> TransferRecord {
    var record = Sample.plain(id)
    record.resumeData = Sample.resumeData(id)
    record.resumeData?.held = held
    return record
  }

  /// What is on record of the transfers after a kill, by id.
  private func found(in scratch: StoreScratch) throws -> [TransferID: ByteRangeSet] {
    let copy = try scratch.killed()
    // The directory goes with it.
    defer { withExtendedLifetime(copy) {} }
    let journal = try copy.open().journal
    let records = try journal.whole().records
    try journal.close()
    return Dictionary(
      uniqueKeysWithValues: records.map { ($0.id, $0.resumeData?.held ?? ByteRangeSet()) })
  }

  @Test func `a checkpoint writes one page over, and nothing into the log`() throws {
    let journal = try scratch.open().journal
    try journal.commit([.put(record(1, holding: held(0)))])
    try journal.commit([.progress(one, held(1))])
    let log = try scratch.bytes(scratch.path + "-wal")
    for step in Int64(2)...40 { try journal.commit([.progress(one, held(step))]) }
    #expect(try scratch.bytes(scratch.path + "-wal").elementsEqual(log))
    #expect(try scratch.bytes(pagesPath).count == 2 * 4096)
    #expect(StoreScratch.mode(of: pagesPath) == 0o600)
    #expect(try found(in: scratch) == [one: held(40)])
    #expect(try journal.whole().records.first?.resumeData?.held == held(40))
    #expect(try journal.records([one]).first?.resumeData?.held == held(40))
  }

  // Fault 77
  @Test func `a page that a power cut tore leaves the one before`() throws {
    let journal = try scratch.open().journal
    try journal.commit([.put(record(1, holding: held(0)))])
    for step in Int64(1)...9 { try journal.commit([.progress(one, held(step))]) }
    // The row has the first; the pages have by turns what came after it.
    for (torn, left) in [(0, Int64(8)), (1, 1)] {
      var bytes = try scratch.bytes(pagesPath)
      let behind = torn * 4096 + 512..<torn * 4096 + 4096
      bytes.replaceSubrange(behind, with: [UInt8](repeating: 7, count: behind.count))
      try scratch.put(bytes, pagesPath)
      #expect(try found(in: scratch) == [one: held(left)])
    }
    try scratch.put([1, 2, 3], pagesPath)
    #expect(try found(in: scratch) == [one: held(1)])
    try #require(unlink(pagesPath) == 0)
    #expect(try found(in: scratch) == [one: held(1)])
  }

  @Test func `a page does not outlive the record that came after it`() throws {
    let journal = try scratch.open().journal
    try journal.commit([.put(record(1, holding: held(0)))])
    for step in Int64(1)...9 { try journal.commit([.progress(one, held(step))]) }
    // The file was begun anew.
    try journal.commit([.put(record(1, holding: held(0)))])
    #expect(try found(in: scratch) == [one: held(0)])
    try journal.commit([.progress(one, held(1))])
    #expect(try found(in: scratch) == [one: held(1)])
    // With others in one commit it is a row in any case, and one that speaks for itself.
    try journal.commit([.progress(one, held(2))])
    try journal.commit([.progress(one, held(3)), .put(record(2, holding: held(0)))])
    #expect(try found(in: scratch)[one] == held(3))
  }

  @Test func `pages of transfers that are recorded are taken by others`() throws {
    let journal = try scratch.open().journal
    for id in Int64(1)...20 {
      try journal.commit([.put(record(id, holding: held(0)))])
      for step in Int64(1)...3 {
        try journal.commit([.progress(TransferID(rawValue: id), held(step))])
      }
      if id > 2 { try journal.commit([.put(record(id - 2, holding: held(id)))]) }
    }
    #expect(try scratch.bytes(pagesPath).count == 3 * 2 * 4096)
    let all = try found(in: scratch)
    #expect(all[TransferID(rawValue: 20)] == held(3) && all[TransferID(rawValue: 19)] == held(3))
    #expect(all[TransferID(rawValue: 18)] == held(20))
  }

  @Test func `what is put under a stamp counts until the record is written`() throws {
    let journal = try scratch.open().journal
    try journal.commit([.put(record(1, holding: held(0))), .put(record(2, holding: held(0)))])
    #expect(journal.progressStamp(of: one) == nil)
    try journal.commit([.progress(one, held(1))])
    let stamp = try #require(journal.progressStamp(of: one))
    for step in Int64(2)...5 { #expect(journal.put(held(step), stamp)) }
    #expect(try found(in: scratch)[one] == held(5))
    // What comes too late says nothing of this transfer or of those that run meanwhile.
    try journal.commit([.put(record(1, holding: held(6)))])
    let two = TransferID(rawValue: 2)
    try journal.commit([.progress(two, held(1))])
    for step in Int64(2)...5 {
      try journal.commit([.progress(two, held(step))])
      #expect(journal.put(held(40 + step), stamp))
    }
    #expect(try found(in: scratch) == [one: held(6), two: held(5)])
  }

  @Test func `more parts than a page takes go into the row`() throws {
    let journal = try scratch.open().journal
    try journal.commit([.put(record(1, holding: held(0)))])
    var parts = ByteRangeSet()
    for index in 0..<Int64(ProgressPage.rangeCountMax) {
      parts.insert(try #require(ByteRange(lower: index * 10, upper: index * 10 + 5)))
    }
    try journal.commit([.progress(one, held(0))])
    try journal.commit([.progress(one, parts)])
    #expect(try found(in: scratch) == [one: parts])
    let log = try scratch.bytes(scratch.path + "-wal").count
    parts.insert(try #require(ByteRange(lower: 100_000, upper: 100_001)))
    try journal.commit([.progress(one, parts)])
    #expect(try found(in: scratch) == [one: parts])
    #expect(try scratch.bytes(scratch.path + "-wal").count > log)
    try journal.commit([.progress(one, held(1))])
    #expect(try found(in: scratch) == [one: held(1)])
  }

  @Test func `without a file of pages it is the rows that are written`() throws {
    let journal = try scratch.open().journal
    try #require(mkdir(pagesPath, 0o700) == 0)
    try journal.commit([.put(record(1, holding: held(0)))])
    for step in Int64(1)...5 { try journal.commit([.progress(one, held(step))]) }
    try journal.close()
    let again = try scratch.open()
    #expect(again.notice == nil)
    #expect(try again.journal.whole().records.first?.resumeData?.held == held(5))
  }

  // Fault 74
  @Test func `after a failed sync no page is believed any more`() throws {
    try scratch.fill([])
    let calls = Calls()
    let pages = ProgressPages(StorePlace(scratch.path)) { _ in calls.next() == 2 ? -1 : 0 }
    let stamp = ProgressStamp.new()
    #expect(pages.put(held(1), stamp, among: { [stamp] }))
    #expect(!pages.put(held(2), stamp, among: { [stamp] }))
    #expect(!pages.put(held(3), stamp, among: { [stamp] }))
    #expect(calls.next() == 3)
  }

  private final class Calls: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }

  @Test func `any order of records and checkpoints is there after a kill`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let journal = try scratch.open().journal
    var model: [TransferID: ByteRangeSet] = [:]
    var stamps: [ProgressStamp] = []
    for round in 0..<150 {
      let changes = (0..<(Int.random(in: 0...3, using: &random) == 0 ? 3 : 1)).map { _ in
        change(&model, &random)
      }
      try journal.commit(changes)
      put(&model, &stamps, journal, &random)
      guard round % 10 == 9 else { continue }
      #expect(try found(in: scratch) == model, "seed \(seed)")
    }
    try journal.close()
  }

  /// Under a stamp of any time; only those that stand count.
  private func put(
    _ model: inout [TransferID: ByteRangeSet], _ stamps: inout [ProgressStamp],
    _ journal: SQLiteJournal, _ random: inout SeededGenerator
  ) {
    let current = model.keys.compactMap { id in journal.progressStamp(of: id).map { ($0, id) } }
    stamps += current.map(\.0)
    guard let stamp = stamps.randomElement(using: &random) else { return }
    let held = held(.random(in: 0...50, using: &random))
    _ = journal.put(held, stamp)
    if let id = current.first(where: { $0.0 == stamp })?.1 { model[id] = held }
  }

  private func change(
    _ model: inout [TransferID: ByteRangeSet], _ random: inout SeededGenerator
  ) -> JournalChange {
    let id = TransferID(rawValue: .random(in: 1...4, using: &random))
    let held = held(.random(in: 0...50, using: &random))
    switch Int.random(in: 0...9, using: &random) {
    case 0:
      model[id] = nil
      return .remove(id)
    case 1...7 where model[id] != nil:
      model[id] = held
      return .progress(id, held)
    default:
      model[id] = held
      return .put(record(id.rawValue, holding: held))
    }
  }
}
