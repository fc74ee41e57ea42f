import KettleEngine
import KettleModel
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
    try journal.members(of: collection, from: first, isMissing: isMissing, countMax: 100)
      .map(\.member.path.text)
  }

  @Test func `a list is read as it was written, page by page`() throws {
    let journal = try scratch.open().journal
    let members = [try listed("a/b.bin", byteCount: 7), try listed("c")]
    try journal.commit([
      .put(Sample.plain(1)), .members(collection, from: 0, members),
      .members(collection, from: 2, [try listed("d")]),
    ])
    let found = try journal.members(of: collection, from: 0, isMissing: false, countMax: 2)
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
