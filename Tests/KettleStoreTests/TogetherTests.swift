import Foundation
import GRDB
import KettleEngine
import KettleModel
import Testing
import TestSupport

@testable import KettleStore

/// Consecutive new transfers in a commit are written in batches.
@Suite struct TogetherTests {
  private let scratch: StoreScratch

  init() throws { scratch = try StoreScratch(in: StoreScratch.inMemory) }

  /// Short and long runs of new transfers, between changes of existing ones.
  private func changes(_ random: inout RandomRecords) -> [JournalChange] {
    let full = Int64(TransferSQL.rowsTogether)
    let counts = [0, 1, full - 1, full, full + 1, 2 * full, 2 * full + 7]
    var changes: [JournalChange] = []
    var ids: [Int64] = []
    var lastID: Int64 = 0
    for _ in 0..<12 {
      let count = counts.randomElement(using: &random.random) ?? 1
      for id in lastID + 1..<lastID + 1 + count {
        changes.append(.put(random.record(id)))
        ids.append(id)
      }
      lastID += count
      guard let id = ids.randomElement(using: &random.random) else { continue }
      switch Int.random(in: 0...2, using: &random.random) {
      case 0: changes.append(.put(random.record(id)))
      case 1:
        changes.append(.remove(TransferID(rawValue: id)))
        ids.removeAll { $0 == id }
      default: changes.append(.putSession(Sample.session("s\(id)")))
      }
      // Gaps in the ids, which the service never makes; the store must not rely on that.
      lastID += Int64.random(in: 0...1, using: &random.random)
    }
    return changes
  }

  @Test func `one commit has the same result as a commit of each change alone`() throws {
    for _ in 0..<4 {
      let seed = UInt64.random(in: 0...UInt64.max)
      var random = RandomRecords(seed: seed)
      let changes = changes(&random)
      let together = try StoreScratch(in: StoreScratch.inMemory)
      try together.fill(changes)
      let alone = try StoreScratch(in: StoreScratch.inMemory)
      let journal = try alone.open().journal
      for change in changes { try journal.commit([change]) }
      try journal.close()
      // Opened like a large store, so that totals and positions are not recomputed.
      let (opening, aloneAgain) = (
        try together.open(wholeByteCountMax: 0), try alone.open(wholeByteCountMax: 0)
      )
      #expect(opening.notice == nil, "seed \(seed)")
      let (one, other) = (try opening.journal.whole(), try aloneAgain.journal.whole())
      #expect(one.records.elementsEqual(other.records), "seed \(seed)")
      #expect(one.lastID == other.lastID, "seed \(seed)")
      #expect(one.lastTaskIdentifiers == other.lastTaskIdentifiers, "seed \(seed)")
      #expect(one.dormant == other.dormant, "seed \(seed)")
    }
  }

  @Test func `a transfer does not inherit missing fields from the previous one`() throws {
    let count = Int64(TransferSQL.rowsTogether)
    let full = (1...count).map { Sample.full($0) }
    let plain = (count + 1...2 * count).map { Sample.plain($0) }
    try scratch.fill((full + plain).map(JournalChange.put))
    #expect(try scratch.open().journal.whole().records.elementsEqual(full + plain))
  }

  // Fault 77
  @Test func `one transfer that cannot be stored fails its entire commit`() throws {
    let journal = try scratch.open().journal
    try journal.commit([.put(Sample.plain(1, task: 7))])
    var new = (2...100).map { Sample.plain($0, task: 100 + $0) }
    new[50] = Sample.plain(52, task: 7)
    let error = #expect(throws: StoreError.self) {
      try journal.commit(new.map(JournalChange.put))
    }
    #expect(error?.code == .unwritable)
    #expect(try journal.whole().records == [Sample.plain(1, task: 7)])
    new[50] = Sample.plain(52, task: 152)
    try journal.commit(new.map(JournalChange.put))
    #expect(try journal.whole().records.count == 100)
  }

  @Test func `a later transfer with the same identifier replaces the earlier one`() throws {
    let count = Int64(TransferSQL.rowsTogether)
    var later = Sample.plain(3)
    later.spec.title = "the later one"
    try scratch.fill(Sample.puts(1...count - 1) + [.put(later)] + Sample.puts(count...2 * count))
    let records = try scratch.open().journal.whole().records
    #expect(records.count == Int(2 * count))
    #expect(records[2] == later)
  }

  /// Otherwise copies of changed data would be written to a directory for temporary files.
  @Test func `temporary storage is in memory however the store was opened`() throws {
    for change in [StoreChange.new, .kept, .damaged] {
      switch change {
      case .new: break
      case .kept: try scratch.fill(Sample.puts(1...3))
      case .damaged: try Data("no store".utf8).write(to: URL(filePath: scratch.path))
      }
      for wholeByteCountMax in [0, Int64.max] {
        let journal = try scratch.open(wholeByteCountMax: wholeByteCountMax).journal
        let place = try journal.queue.inDatabase { db in
          try Int.fetchOne(db, sql: "PRAGMA temp_store")
        }
        #expect(place == 2, "\(change)")
        try journal.close()
      }
    }
  }

  private enum StoreChange { case new, kept, damaged }
}
