import Glibc
import KettleEngine
import KettleModel
import KettleScheduler
import SeededNumbers
import Testing
import TestSupport

@testable import KettleStore

/// Random edits of a store: the service starts and keeps everything that was not edited.
@Suite struct StoreMutationTests {
  private static let ids: ClosedRange<Int64> = 1...100
  private static let roundCount = 45

  /// A problem found in a round.
  private struct Finding: Error, CustomStringConvertible {
    var description: String
  }

  private func check(_ isTrue: Bool, _ description: @autoclosure () -> String) throws {
    if !isTrue { throw Finding(description: description()) }
  }

  /// The files of a store whose service was killed: the store and its log.
  private func killed() throws -> (store: [UInt8], log: [UInt8]) {
    let scratch = try StoreScratch(in: StoreScratch.inMemory)
    try scratch.fill(Sample.puts(1...100))
    let journal = try scratch.open().journal
    try journal.commit(Sample.puts(101...150))
    try journal.commit(Sample.puts(151...200))
    let files = (
      try scratch.bytes(scratch.path), try scratch.bytes(scratch.path + "-wal")
    )
    try journal.close()
    return files
  }

  // Fault 99
  @Test(arguments: StoreMutation.allCases)
  func `a mutated store opens with every untouched transfer`(
    _ mutation: StoreMutation
  ) throws {
    try rounds(Self.roundCount, mutation, start)
  }

  // Fault 99
  @Test(arguments: StoreMutation.allCases)
  func `a mutated large store keeps every untouched transfer after a repair`(
    _ mutation: StoreMutation
  ) throws {
    try rounds(12, mutation, startLarge)
  }

  /// Edits a fresh copy of the same store in each round and starts a service with it.
  private func rounds(
    _ count: Int, _ mutation: StoreMutation,
    _ start: (_ edited: [UInt8], _ touched: Set<Int64>?) throws -> Void
  ) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let scratch = try StoreScratch(in: StoreScratch.inMemory)
    try scratch.fill(Sample.puts(Self.ids))
    let sound = try scratch.bytes(scratch.path)
    let pages = StorePages(sound, ids: Self.ids)
    #expect(pages.transfers.values.joined().count == 100)
    for round in 0..<count {
      let edited = mutation.applied(to: sound, &random)
      do {
        try start(edited, pages.touched(by: edited))
      } catch {
        Issue.record("\(mutation), seed \(seed), round \(round): \(error)")
      }
    }
  }

  /// The first service reads everything and may find the damage; the second checks for it.
  private func startLarge(_ edited: [UInt8], _ touched: Set<Int64>?) throws {
    let scratch = try StoreScratch(in: StoreScratch.inMemory)
    let paths = StorePaths(scratch.path)
    try paths.prepareDirectory()
    try scratch.put(edited, scratch.path)
    let first: StoreOpening
    do {
      first = try scratch.open(wholeByteCountMax: 0)
    } catch {
      try check(error.code == .newer, "\(error)")
      return
    }
    let rows = RowMaker(documentsDirectory: "/")
    do {
      _ = try first.journal.whole()
      _ = try first.journal.line(.elsewhere(than: [], countMax: 1000))
      _ = try first.journal.order(RowFilter(text: "iso"), RowSort(), rows: rows)
    } catch let error as StoreError {
      try check(paths.isSuspect, "\(error) was not noted")
    }
    try first.journal.close()
    if first.notice == nil { try paths.markSuspect("a test") }
    let second = try scratch.open(wholeByteCountMax: 0)
    try check(!paths.isSuspect, "the note is still there")
    let isNoticed = first.notice != nil || second.notice != nil
    try check(second.journal.whole().records, against: touched, isNoticed: isNoticed)
  }

  /// - Parameter touched: the transfers that may be lost; nil if any may be.
  private func start(_ edited: [UInt8], _ touched: Set<Int64>?) throws {
    let scratch = try StoreScratch(in: StoreScratch.inMemory)
    try StorePaths(scratch.path).prepareDirectory()
    try scratch.put(edited, scratch.path)
    let opening: StoreOpening
    do {
      opening = try scratch.open()
    } catch {
      // A changed migration name reads as a newer version: the store is refused and left unchanged.
      try check(error.code == .newer, "\(error)")
      try check(scratch.bytes(scratch.path) == edited, "a store that was refused was changed")
      return
    }
    let records = try opening.journal.whole().records
    try check(records, against: touched, isNoticed: opening.notice != nil)
    if let notice = opening.notice {
      try check(
        scratch.bytes(#require(notice.asidePath)) == edited, "what is kept aside was changed")
      try check(records.count == notice.keptCount, "the notice says \(notice.keptCount)")
    }
    try opening.journal.commit([.put(Sample.plain(1000, task: 1000))])
    try opening.journal.close()
    let again = try scratch.open()
    try check(again.notice == nil, "the second start finds damage")
    try check(again.journal.whole().records.count == records.count + 1, "the second start loses")
  }

  private func check(
    _ records: [TransferRecord], against touched: Set<Int64>?, isNoticed: Bool
  ) throws {
    // SQLite has no page checksums, so an edit inside a text is not detected. But nothing is
    // missing.
    try check(isNoticed || records.count == 100, "\(records.count) and not a word")
    guard let touched else { return }
    let kept = Dictionary(uniqueKeysWithValues: records.map { ($0.id.rawValue, $0) })
    for id in Self.ids where !touched.contains(id) {
      try check(kept[id] == Sample.plain(id), "\(id) was not touched and is not there")
    }
  }

  // Fault 99
  @Test func `a store with a mutated log opens with a prefix of its commits`()
    throws
  {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let (store, log) = try killed()
    for round in 0..<50 {
      let mutation = StoreMutation.allCases.randomElement(using: &random) ?? .cutOff
      let edited = round == 0 ? [] : mutation.applied(to: log, &random)
      let scratch = try StoreScratch(in: StoreScratch.inMemory)
      try StorePaths(scratch.path).prepareDirectory()
      try scratch.put(store, scratch.path)
      try scratch.put(edited, scratch.path + "-wal")
      let opening = try scratch.open()
      let ids = try opening.journal.whole().records.map(\.id.rawValue)
      // Commits are applied completely and in order, or not at all.
      #expect(
        [100, 150, 200].contains(ids.count) && ids == Array(1...Int64(ids.count)),
        "\(mutation), seed \(seed), round \(round): \(ids.count)")
      #expect(opening.notice == nil)
      try opening.journal.commit([.put(Sample.plain(1000, task: 1000))])
    }
  }

  // Fault 99
  @Test(arguments: ["-wal", "-shm", "both", "shm of nonsense"])
  func `a deleted log or log index does not prevent the start`(_ what: String) throws {
    let (store, log) = try killed()
    let scratch = try StoreScratch(in: StoreScratch.inMemory)
    try StorePaths(scratch.path).prepareDirectory()
    try scratch.put(store, scratch.path)
    if what != "-wal" && what != "both" { try scratch.put(log, scratch.path + "-wal") }
    if what == "shm of nonsense" {
      try scratch.put([UInt8](repeating: 0xA5, count: 32_768), scratch.path + "-shm")
    }
    let opening = try scratch.open()
    let expected = what == "-wal" || what == "both" ? 100 : 200
    #expect(try opening.journal.whole().records.count == expected)
    #expect(opening.notice == nil)
  }
}
