import FoundationEssentials
import Glibc
import KettleEngine
import KettleModel
import KettleStore
import Testing
import TestSupport

/// This version opens the stores that people have with all their contents.
@Suite struct StoreCompatibilityTests {
  private static let now = WallTime(millisecondsSince1970: 1_798_135_200_000)

  private func withScratch<Result>(_ body: (String) throws -> Result) throws -> Result {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "kettle-compatibility-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try body(directory.appending(path: "store.sqlite").path)
  }

  private func fixture(_ name: String) throws -> String {
    let folder = try #require(#filePath.lastIndex(of: "/"))
    return #filePath[...folder] + "Fixtures/" + name
  }

  /// Some of these transfers share a queue position. A store renumbers them in their order.
  private func placed(_ records: [TransferRecord]) -> [TransferRecord] {
    var placed = records
    let order = records.indices.sorted {
      (records[$0].queuePosition, records[$0].id) < (records[$1].queuePosition, records[$1].id)
    }
    for (offset, index) in order.enumerated() { placed[index].queuePosition = Int64(offset) + 1 }
    return placed
  }

  /// Opens a copy of a fixture, and compares what it holds with what was put there.
  private func expectContents(
    of name: String, _ inspect: (StoreOpening, String) throws -> Void
  ) throws {
    try withScratch { path in
      try FileManager.default.copyItem(atPath: fixture(name), toPath: path)
      let opening = try StoreOpening.open(path, at: Self.now)
      let contents = try opening.journal.whole()
      let expected = placed(
        StoreFixture.records + TaskFixture.records + FinishFixture.records
          + [ProgressFixture.record(holding: ProgressFixture.durable)])
      #expect(contents.records.count == expected.count)
      for (found, expected) in zip(contents.records, expected) { #expect(found == expected) }
      #expect(contents.clearedUpTo == FinishFixture.clearedUpTo)
      #expect(contents.sessions == TaskFixture.sessions)
      #expect(contents.lastTaskIdentifiers[SessionID(rawValue: "org.example.gone")] == 12)
      try inspect(opening, path)
      try opening.journal.commit([.remove(StoreFixture.records[0].id)])
      try opening.journal.close()
      let again = try StoreOpening.open(path, at: Self.now)
      #expect(again.notice == nil)
      #expect(try again.journal.whole().records == Array(expected.dropFirst()))
    }
  }

  // Fault 100
  @Test func `the store of the last release candidate becomes one of version 1`() throws {
    try expectContents(of: "last-candidate.sqlite") { opening, _ in #expect(opening.notice == nil) }
  }

  // Fault 100
  @Test func `what an early candidate stored goes into a new store, and the old one is kept`()
    throws
  {
    try expectContents(of: "early-candidate.sqlite") { opening, path in
      let notice = try #require(opening.notice)
      #expect(notice.reason == "its tables are not those of its version")
      #expect(notice.lostCount == 0)
      let aside = try #require(notice.asidePath)
      let original = try fixture("early-candidate.sqlite")
      let manager = FileManager.default
      #expect(manager.contents(atPath: aside) == manager.contents(atPath: original))
    }
  }

  /// Creates the fixture; `Fixtures/README.md` describes when.
  @Test(.enabled(if: getenv("KETTLE_FIXTURE") != nil))
  func `a store is created for the fixtures`() throws {
    let target = try #require(getenv("KETTLE_FIXTURE").map { String(cString: $0) })
    try withScratch { path in
      let journal = try StoreOpening.open(path, at: Self.now).journal
      try journal.commit((StoreFixture.records + [StoreFixture.removed]).map(JournalChange.put))
      try journal.commit(
        (TaskFixture.sessions + [TaskFixture.dropped]).map(JournalChange.putSession))
      try journal.commit(
        (TaskFixture.records + [TaskFixture.droppedTask]).map(JournalChange.put))
      try journal.commit([
        .remove(StoreFixture.removed.id), .remove(TaskFixture.droppedTask.id),
        .removeSession(TaskFixture.dropped.id),
      ])
      try journal.commit(
        FinishFixture.records.map(JournalChange.put)
          + [.clearFinished(upTo: FinishFixture.clearedUpTo)])
      let running = ProgressFixture.record(holding: ByteRangeSet(prefix: 1 << 20))
      try journal.commit([.put(running)])
      try journal.commit([.progress(running.id, ByteRangeSet(prefix: 2 << 20))])
      try journal.commit([.progress(running.id, ProgressFixture.durable)])
      // Closing moves everything into the one file.
      try journal.close()
      try FileManager.default.copyItem(atPath: path, toPath: target)
    }
  }
}
