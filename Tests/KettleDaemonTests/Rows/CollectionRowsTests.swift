import KettleEngine
import KettleModel
import Testing

@testable import KettleDaemon

/// How far a collection is follows from its members, wherever they are.
struct CollectionRowsTests {
  private let id = TransferID(rawValue: 1)

  private func head(_ state: TransferState = .waiting) throws -> TransferSnapshot {
    let url = try TransferURL.parse("https://example.org/pub/").get().url
    var request = CollectionRequest(CollectionSource(.index, name: url.text, url: url))
    var list = CollectionList()
    list.memberCount = 5
    list.byteCount = 500
    request.list = list
    var row = row(1, state)
    row.reason = state == .waiting ? .members : nil
    row.collection = CollectionProgress(request)
    row.bytesExpected = 500
    return row
  }

  private func row(_ number: Int64, _ state: TransferState) -> TransferSnapshot {
    TransferSnapshot(
      id: TransferID(rawValue: number), session: .kettle, taskIdentifier: number, title: "t",
      url: "https://example.org/\(number)", state: state,
      createdAt: WallTime(millisecondsSince1970: 0))
  }

  private func member(
    _ number: Int64, _ state: TransferState, byteCount: Int64 = 0, speed: Int64 = 0
  ) throws -> TransferSnapshot {
    var row = row(number, state)
    row.member = MemberRole(
      collection: id, number: number, path: try #require(MemberPath(foreign: "f\(number)")))
    row.bytesReceived = byteCount
    row.bytesExpected = 100
    row.bytesPerSecond = speed
    return row
  }

  /// A table in which two members are dormant and complete.
  private func table() throws -> RowTable {
    var table = RowTable(RowMaker(documentsDirectory: "/d"))
    var tally = MemberTally()
    tally.add(2, in: .completed, byteCount: 200)
    table.begin(EvictedTally(), members: [id: tally], clearedUpTo: nil)
    table.update(try head())
    return table
  }

  @Test func `a collection runs while a member does`() throws {
    var table = try table()
    #expect(table.row(id)?.state == .waiting)
    table.update(try member(10, .running, byteCount: 40, speed: 20))
    table.update(try member(11, .failed))
    let shown = try #require(table.row(id))
    #expect(shown.state == .running)
    #expect(shown.collection?.brief == "2/5, 1 failed")
    #expect(shown.bytesReceived == 240)
    #expect(shown.bytesPerSecond == 20)
    #expect(shown.secondsLeft == 13)
    // Its members count in the sums, and it does not.
    #expect(table.totals.bytesPerSecond == 20)
    table.update(try member(10, .completed, byteCount: 100))
    #expect(table.row(id)?.state == .waiting)
    #expect(table.row(id)?.collection?.completedCount == 3)
  }

  @Test func `an evicted member still counts, and a removed one does not`() throws {
    var table = try table()
    table.update(try member(10, .completed, byteCount: 100))
    table.evict([TransferID(rawValue: 10)])
    #expect(table.row(id)?.collection?.completedCount == 3)
    table.load(try member(10, .completed, byteCount: 100))
    #expect(table.row(id)?.collection?.completedCount == 3)
    table.remove(TransferID(rawValue: 10))
    #expect(table.row(id)?.collection?.completedCount == 2)
    #expect(table.row(id)?.bytesReceived == 200)
  }

  @Test func `a paused collection is paused whatever its members do`() throws {
    var table = try table()
    table.update(try head(.paused))
    table.update(try member(10, .running))
    #expect(table.row(id)?.state == .paused)
  }

  @Test func `a member that needs the user is on the list by itself`() throws {
    let test = RowTest(RowFilter(membership: .none))
    var member = try member(10, .waiting)
    #expect(!test.passes(member))
    member.reason = .needsLogin
    #expect(test.passes(member))
    #expect(test.passes(try head()))
  }

  @Test func `files that wait for the user are counted`() throws {
    var table = try table()
    var waiting = try member(10, .waiting)
    waiting.reason = .needsLogin
    table.update(waiting)
    table.update(try member(11, .running))
    #expect(table.row(id)?.collection?.words == "2 of 5 files, 1 waiting for you")
    #expect(table.row(id)?.collection?.waitsForUser == false)
    table.update(try member(11, .completed))
    table.update(try member(12, .failed))
    #expect(table.row(id)?.collection?.waitsForUser == true)
    table.update(try member(10, .running))
    #expect(table.row(id)?.collection?.needsUserCount == 0)
  }

  @Test func `files that were left out are counted`() throws {
    var progress = try #require(try head().collection)
    progress.refusedCount = 2
    #expect(progress.words == "0 of 5 files, 2 left out")
  }
}
