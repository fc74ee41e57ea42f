import GRDB
import KettleEngine
import KettleModel
import SeededNumbers
import TestSupport
import Testing

@testable import KettleStore

/// The lists of collections in the store, and the transfers of their members.
struct MemberRowsTests {
  private let scratch: StoreScratch
  private let collection = TransferID(rawValue: 1)

  init() throws { scratch = try StoreScratch() }

  private func listed(_ path: String, byteCount: Int64? = nil) throws -> ListedMember {
    ListedMember(
      path: try #require(MemberPath(foreign: path)),
      url: Sample.url("https://example.org/\(path)"), byteCount: byteCount,
      checksum: Checksum("md5:0123456789abcdef0123456789abcdef"))
  }

  private func record(
    _ id: Int64, number: Int64, state: TransferState = .queued
  ) throws -> TransferRecord {
    var record = Sample.plain(id)
    record.spec.options.member = MemberRole(
      collection: collection, number: number,
      path: try #require(MemberPath(foreign: "file-\(number)")))
    record.state = state
    if state.isFinished { record.finishedAt = WallTime(millisecondsSince1970: 1) }
    return record
  }

  private func paths(_ journal: SQLiteJournal, from first: Int64 = 0, isMissing: Bool = false)
    throws -> [String]
  {
    let members =
      isMissing
      ? try journal.missingMembers(of: collection, after: nil, in: .listed, countMax: 100)
      : try journal.members(of: collection, from: first, countMax: 100)
    return members.map(\.member.path.text)
  }

  @Test func `a list is read as it was written, page by page`() throws {
    let journal = try scratch.open().journal
    let members = [try listed("a/b.bin", byteCount: 7), try listed("c")]
    try journal.commit([
      .put(Sample.plain(1)), .members(collection, from: 0, members),
      .members(collection, from: 2, [try listed("d")]),
    ])
    let found = try journal.members(of: collection, from: 0, countMax: 2)
    #expect(found.map(\.member) == members)
    #expect(found.map(\.number) == [0, 1])
    #expect(try paths(journal, from: 2) == ["d"])
  }

  @Test func `a list that is read again replaces the earlier one`() throws {
    let journal = try scratch.open().journal
    try journal.commit([
      .put(Sample.plain(1)),
      .members(collection, from: 0, [try listed("a"), try listed("b"), try listed("c")]),
    ])
    try journal.commit([.members(collection, from: 0, [try listed("x")])])
    #expect(try paths(journal) == ["x"])
  }

  @Test(arguments: [1, 30])
  func `a member is missing until the store has its transfer`(count: Int64) throws {
    let journal = try scratch.open().journal
    try journal.commit([
      .put(Sample.plain(1)),
      .members(collection, from: 0, try (0...count).map { try listed("file-\($0)") }),
    ])
    try journal.commit(try (0..<count).map { .put(try record($0 + 2, number: $0)) })
    #expect(try paths(journal, isMissing: true) == ["file-\(count)"])
    let ids = try journal.transfers(ofMembersOf: [collection])
    #expect(ids.map(\.rawValue) == Array(2..<(count + 2)))
    // One that the user has removed is not missed.
    try journal.commit([.remove(TransferID(rawValue: 2))])
    #expect(try paths(journal, isMissing: true) == ["file-\(count)"])
  }

  // MARK: Syncing

  private static let list = TransferID(rawValue: 900)

  /// Returns a list whose files have random digests, sizes and stamps, with few values each.
  private func randomList(
    _ random: inout SeededGenerator, count: Int
  ) throws -> [ListedMember] {
    let paths = (0..<count).filter { _ in Bool.random(using: &random) }.map { "d/f\($0)" }
    return try paths.map { path in
      var member = try listed(path)
      let digests = [
        "md5:" + String(repeating: "0", count: 32), "md5:" + String(repeating: "1", count: 32),
        "sha1:" + String(repeating: "0", count: 40),
      ]
      member.checksum =
        Bool.random(using: &random)
        ? digests.randomElement(using: &random).flatMap { Checksum($0) } : nil
      member.byteCount = [nil, 1, 2].randomElement(using: &random) ?? nil
      member.stamp = [nil, "x", "y"].randomElement(using: &random) ?? nil
      member.url = Sample.url(
        "https://example.org/v\(Int.random(in: 1...2, using: &random))/\(path)")
      return member
    }
  }

  @Test(arguments: [false, true])
  func `a sync is the same as in memory`(removesGone: Bool) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    for round in 0..<30 {
      let comment: Comment = "seed \(seed), round \(round)"
      let scratch = try StoreScratch(in: StoreScratch.inMemory)
      let store = try scratch.open().journal
      let plain = InMemoryJournal()
      let (old, new) = (try randomList(&random, count: 12), try randomList(&random, count: 12))
      var changes: [JournalChange] = [
        .put(Sample.plain(1)), .members(collection, from: 0, old),
        .put(Sample.plain(900)), .members(Self.list, from: 0, new),
      ]
      for (number, member) in old.enumerated() where Bool.random(using: &random) {
        var record = Sample.plain(Int64(number) + 2)
        record.spec.options.member = MemberRole(
          collection: collection, number: Int64(number), path: member.path)
        record.spec.source = ChainedURL(member.url, namedBy: .world)
        record.spec.checksum = member.checksum
        record.spec.options.described = member.byteCount.map {
          DescribedFile(copies: [], byteCount: $0)
        }
        changes.append(.put(record))
      }
      let first = Int64.random(in: 0..<6, using: &random)
      changes.append(.leaveOutMembers(collection, [MemberRun(first: first, last: first + 2)]))
      for journal in [store, plain] as [any TransferJournal] { try journal.commit(changes) }
      #expect(
        try store.memberSum(of: collection) == plain.memberSum(of: collection), comment)
      for kind in MemberChange.allCases {
        func found(_ archive: any TransferArchive) throws -> [ChangedMember] {
          try archive.changed(kind, of: collection, in: Self.list, from: 1, countMax: 5)
        }
        #expect(try found(store) == found(plain), comment)
      }
      for kind in MemberChange.allCases {
        #expect(
          try store.sum(of: kind, of: collection, in: Self.list)
            == plain.sum(of: kind, of: collection, in: Self.list), comment)
      }
      let sync = JournalChange.syncMembers(
        CollectionSync(of: collection, removesGone: removesGone), from: Self.list)
      for journal in [store, plain] as [any TransferJournal] { try journal.commit([sync]) }
      #expect(
        try store.members(of: collection, from: 0, countMax: 100)
          == plain.members(of: collection, from: 0, countMax: 100), comment)
      for order in MemberOrder.allCases {
        #expect(try missing(store, order) == missing(plain, order), comment)
      }
      // Nothing is left to do.
      for kind in MemberChange.allCases where kind != .gone || removesGone {
        #expect(try store.sum(of: kind, of: collection, in: Self.list).count == 0, comment)
      }
    }
  }

  /// Returns the missing files page by page.
  private func missing(
    _ archive: any TransferArchive, _ order: MemberOrder
  ) throws -> [[NumberedMember]] {
    var pages: [[NumberedMember]] = []
    while pages.last?.isEmpty != true {
      pages.append(
        try archive.missingMembers(
          of: collection, after: pages.last?.last, in: order, countMax: 3))
    }
    return pages
  }

  @Test func `a sync searches for each file by its path`() throws {
    let queue = try DatabaseQueue()
    try queue.write { db in
      try MemberRows.createTable(db)
      for statement in MemberRows.syncStatements(removesGone: true) {
        let plan = try Row.fetchAll(
          db, sql: "EXPLAIN QUERY PLAN " + statement, arguments: ["old": 1, "new": 2]
        ).map { row -> String in row["detail"] }
        // One search reads the list, and one may read it once for a number. Another one would
        // read it for each file.
        let ofLists = zip([""] + plan, plan).filter { before, step in
          step.hasSuffix("(collection=?)") && !before.hasPrefix("SCALAR SUBQUERY")
        }
        #expect(ofLists.count <= 1, "\(plan)")
        #expect(plan.contains { $0.hasSuffix("(collection=? AND path=?)") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN member") }, "\(plan)")
      }
    }
  }

  @Test func `sizes that are too large to add are no error`() throws {
    let journal = try scratch.open().journal
    let members = try ["a", "b"].map { try listed($0, byteCount: .max) }
    try journal.commit([
      .put(Sample.plain(1)), .members(collection, from: 0, members), .put(Sample.plain(900)),
      .members(Self.list, from: 0, []),
    ])
    #expect(
      try journal.memberSum(of: collection)
        == MemberSum(count: 2, byteCount: .max, unknownSizeCount: 0))
    #expect(
      try journal.sum(of: .gone, of: collection, in: Self.list)
        == MemberSum(count: 2, byteCount: .max, unknownSizeCount: 0))
  }

  @Test func `the end is known when all have ended`() throws {
    let journal = try scratch.open().journal
    try journal.commit([
      .put(Sample.plain(1)), .put(try record(2, number: 0, state: .completed)),
      .put(try record(3, number: 1, state: .paused)),
    ])
    #expect(try journal.endOfMembers(of: collection, from: 0) == .unfinished(1))
    #expect(try journal.endOfMembers(of: collection, from: 2) == .unfinished(1))
    try journal.commit([.put(try record(3, number: 1, state: .failed))])
    #expect(try journal.endOfMembers(of: collection, from: 1) == .ended(failedCount: 1))
    try journal.commit([.remove(TransferID(rawValue: 3))])
    #expect(try journal.endOfMembers(of: collection, from: 0) == .ended(failedCount: 0))
  }

  @Test func `a start knows how far the members are`() throws {
    let journal = try scratch.open().journal
    try journal.commit([
      .put(Sample.plain(1)), .put(try record(2, number: 0, state: .completed)),
      .put(try record(3, number: 1)), .put(try record(4, number: 2)),
    ])
    try journal.close()
    let contents = try scratch.open().journal.load()
    #expect(contents.members[collection]?.counts == [.completed: 1, .queued: 2])
  }

  @Test func `a view leaves members out, or has those of one collection alone`() throws {
    let journal = try scratch.open().journal
    var head = Sample.plain(1)
    head.spec.options.collection = CollectionRequest(
      CollectionSource(.index, name: "x", url: head.spec.url))
    var waiting = try record(4, number: 1, state: .waiting)
    waiting.reason = .needsLogin
    try journal.commit([
      .put(head), .put(try record(2, number: 0)), .put(Sample.plain(3)), .put(waiting),
    ])
    func ids(_ membership: RowFilter.Membership) throws -> [Int64] {
      try journal.order(
        RowFilter(membership: membership), RowSort(key: .queue),
        rows: RowMaker(documentsDirectory: "/d")
      ).ids.map(\.rawValue)
    }
    #expect(try ids(.any) == [1, 2, 3, 4])
    // One that needs the user is on the list by itself.
    #expect(try ids(.none) == [1, 3, 4])
    #expect(try ids(.of(collection)) == [2, 4])
    #expect(try ids(.collections) == [1])
  }

  @Test func `a list goes with its collection, unless that can be restored`() throws {
    let journal = try scratch.open().journal
    let head = Sample.plain(1)
    try journal.commit([.put(head), .members(collection, from: 0, [try listed("a")])])
    let action = BinAction(number: 1, kind: .remove, at: WallTime(millisecondsSince1970: 0))
    try journal.commit([
      .bin(.putAction(action)), .bin(.putEntry(BinEntry(action: 1, record: head))),
      .remove(collection),
    ])
    #expect(try paths(journal) == ["a"])
    try journal.commit([.bin(.removeAction(1))])
    #expect(try paths(journal).isEmpty)
  }
}
