import FoundationEssentials
import Glibc
import KettleEngine
import KettleModel
import KettleStore
import Testing
import TestSupport

/// This version opens the stores of released versions with all their contents.
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

  /// Some of these transfers share a queue position. Since version 4 positions are unique: all
  /// transfers are renumbered in their order.
  private func placed(_ records: [TransferRecord]) -> [TransferRecord] {
    var placed = records
    let order = records.indices.sorted {
      (records[$0].queuePosition, records[$0].id) < (records[$1].queuePosition, records[$1].id)
    }
    for (offset, index) in order.enumerated() { placed[index].queuePosition = Int64(offset) + 1 }
    return placed
  }

  // Fault 100
  @Test func `a version 1 store loads with all its transfers`() throws {
    try withScratch { path in
      try FileManager.default.copyItem(atPath: fixture("store-v1.sqlite"), toPath: path)
      let opening = try StoreOpening.open(path, at: Self.now)
      #expect(opening.notice == nil)
      let contents = try opening.journal.whole()
      #expect(contents.records.map(\.state) == TransferState.allCases)
      for (found, expected) in zip(contents.records, StoreFixture.records) {
        #expect(found == expected)
      }
      #expect(contents.records.filter { $0.resumeData != nil }.count == 5)
      #expect(contents.lastID == StoreFixture.removed.id)
      #expect(
        contents.lastTaskIdentifiers == [.kettle: 40, SessionID(rawValue: "org.example.app"): 9])
    }
  }

  // Fault 100
  @Test func `a version 2 store loads with all its sessions and tasks`() throws {
    try withScratch { path in
      try FileManager.default.copyItem(atPath: fixture("store-v2.sqlite"), toPath: path)
      let opening = try StoreOpening.open(path, at: Self.now)
      #expect(opening.notice == nil)
      let contents = try opening.journal.whole()
      let expected = placed(StoreFixture.records + TaskFixture.records)
      #expect(contents.records.count == expected.count)
      for (found, expected) in zip(contents.records, expected) { #expect(found == expected) }
      #expect(contents.sessions == TaskFixture.sessions)
      #expect(contents.lastID == TaskFixture.droppedTask.id)
      #expect(
        contents.lastTaskIdentifiers == [
          .kettle: 40, SessionID(rawValue: "org.example.app"): 9,
          SessionID(rawValue: "org.example.empty"): 0,
          SessionID(rawValue: "org.example.uploader"): 3,
          SessionID(rawValue: "org.example.gone"): 12,
        ])
    }
  }

  // Fault 100
  @Test(arguments: ["store-v3.sqlite", "store-v4.sqlite"])
  func `a version 3 or 4 store loads with its queue order and its cleared transfers`(
    _ name: String
  ) throws {
    try withScratch { path in
      try FileManager.default.copyItem(atPath: fixture(name), toPath: path)
      let opening = try StoreOpening.open(path, at: Self.now)
      #expect(opening.notice == nil)
      let contents = try opening.journal.whole()
      let expected = placed(
        StoreFixture.records + TaskFixture.records + FinishFixture.records)
      #expect(contents.records.count == expected.count)
      for (found, expected) in zip(contents.records, expected) { #expect(found == expected) }
      #expect(contents.clearedUpTo == FinishFixture.clearedUpTo)
      #expect(contents.sessions == TaskFixture.sessions)
      #expect(contents.lastID == FinishFixture.records.last?.id)
    }
  }

  // Fault 100
  @Test(arguments: ["store-v5.sqlite", "store-v6.sqlite"])
  func `a version 5 or 6 store loads with the progress of its transfers`(_ name: String) throws {
    try withScratch { path in
      try FileManager.default.copyItem(atPath: fixture(name), toPath: path)
      let pages = try fixture(name + "-progress")
      if access(pages, F_OK) == 0 {
        try FileManager.default.copyItem(atPath: pages, toPath: path + "-progress")
      }
      let opening = try StoreOpening.open(path, at: Self.now)
      #expect(opening.notice == nil)
      let contents = try opening.journal.whole()
      let expected = placed(
        StoreFixture.records + TaskFixture.records + FinishFixture.records
          + [ProgressFixture.record(holding: ProgressFixture.durable)])
      #expect(contents.records.count == expected.count)
      for (found, expected) in zip(contents.records, expected) { #expect(found == expected) }
      #expect(contents.clearedUpTo == FinishFixture.clearedUpTo)
      #expect(contents.sessions == TaskFixture.sessions)
    }
  }

  // Fault 100
  @Test(arguments: ["store-v1.sqlite", "store-v2.sqlite"])
  func `a store older than clearing loads with nothing cleared`(_ name: String) throws {
    try withScratch { path in
      try FileManager.default.copyItem(atPath: fixture(name), toPath: path)
      let journal = try StoreOpening.open(path, at: Self.now).journal
      #expect(try journal.whole().clearedUpTo == nil)
      try journal.commit([.clearFinished(upTo: 0)])
      try journal.close()
      #expect(try StoreOpening.open(path, at: Self.now).journal.whole().clearedUpTo == 0)
    }
  }

  // Fault 100
  @Test func `a version 1 store accepts sessions and tasks`() throws {
    try withScratch { path in
      try FileManager.default.copyItem(atPath: fixture("store-v1.sqlite"), toPath: path)
      let journal = try StoreOpening.open(path, at: Self.now).journal
      try journal.commit(TaskFixture.sessions.map(JournalChange.putSession))
      try journal.commit(TaskFixture.records.map(JournalChange.put))
      try journal.close()
      let again = try StoreOpening.open(path, at: Self.now)
      #expect(again.notice == nil)
      let contents = try again.journal.whole()
      #expect(contents.sessions == TaskFixture.sessions)
      #expect(contents.records == placed(StoreFixture.records + TaskFixture.records))
    }
  }

  // Fault 100
  @Test(arguments: [
    "store-v1.sqlite", "store-v2.sqlite", "store-v3.sqlite", "store-v4.sqlite", "store-v5.sqlite",
    "store-v6.sqlite",
  ])
  func `an older store can be written and read again`(_ name: String) throws {
    try withScratch { path in
      try FileManager.default.copyItem(atPath: fixture(name), toPath: path)
      let journal = try StoreOpening.open(path, at: Self.now).journal
      let before = try journal.whole().records
      try journal.commit([.remove(StoreFixture.records[0].id)])
      try journal.close()
      let again = try StoreOpening.open(path, at: Self.now)
      #expect(again.notice == nil)
      #expect(try again.journal.whole().records == Array(before.dropFirst()))
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
      for suffix in ["", "-progress"] {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: target + suffix)
      }
    }
  }
}
