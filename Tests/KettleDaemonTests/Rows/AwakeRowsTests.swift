import KettleControl
import KettleEngine
import KettleModel
import Testing

@testable import KettleDaemon

/// Rows that are only in memory.
struct AwakeRowsTests {
  private func row(
    _ id: Int64, _ title: String = "a", state: TransferState = .queued, speed: Int64 = 0,
    received: Int64 = 0, expected: Int64? = nil
  ) -> TransferSnapshot {
    TransferSnapshot(
      id: TransferID(rawValue: id), session: .kettle, taskIdentifier: id, title: title,
      url: "http://files.example/\(id)", state: state, bytesReceived: received,
      bytesExpected: expected, bytesPerSecond: speed,
      createdAt: WallTime(millisecondsSince1970: id))
  }

  private func ids(_ rows: [TransferSnapshot], _ viewport: Viewport) async throws -> [Int64] {
    try await ListWorld(awake: rows).ids(viewport)
  }

  @Test func `rows are in the order of their addition`() async throws {
    #expect(try await ids([row(2), row(5), row(1), row(3)], Viewport()) == [1, 2, 3, 5])
  }

  @Test func `a window has its rows and the total count`() async throws {
    let world = try ListWorld(awake: (1...100).map { row($0) })
    let window = try await world.list.window(Viewport(first: 40, count: 3, tag: 7))
    #expect(window.rows.map(\.id.rawValue) == [41, 42, 43])
    #expect(window.first == 40)
    #expect(window.matchingCount == 100)
    #expect(window.tag == 7)
    #expect(try await world.ids(Viewport(first: 99, count: 10)) == [100])
    #expect(try await world.ids(Viewport(first: 500, count: 10)).isEmpty)
    #expect(try await world.ids(Viewport(first: -5, count: 2)) == [1, 2])
    #expect(try await world.ids(Viewport(first: .max, count: .max)).isEmpty)
  }

  @Test func `moved rows are at their new position`() async throws {
    var moved = row(3)
    moved.queuePosition = -7
    let rows = [row(1), row(2), moved]
    #expect(try await ids(rows, Viewport()) == [3, 1, 2])
    #expect(try await ids(rows, Viewport(sort: RowSort(isDescending: true))) == [2, 1, 3])
    let window = try await ListWorld(awake: rows).list.window(
      Viewport(count: 1, anchor: row(1).id))
    #expect(window.anchorIndex == 1)
  }

  @Test func `a cleared row leaves one scope, stays in the other, and returns when it restarts`()
    async throws
  {
    let world = try ListWorld(
      awake: [row(1, state: .completed), row(2, state: .completed), row(3)])
    let uncleared = Viewport(filter: RowFilter(scope: .uncleared))
    #expect(try await world.ids(uncleared) == [1, 2, 3])
    world.list.update { $0.clear(upTo: 9) }
    #expect(try await world.ids(uncleared) == [3])
    #expect(try await world.ids(Viewport()) == [1, 2, 3])
    world.list.update { $0.update(row(1, state: .queued)) }
    #expect(try await world.ids(uncleared) == [1, 3])
  }

  @Test func `rows without titles sort by file name`() async throws {
    var (low, high) = (row(1, ""), row(2, ""))
    low.path = "/a/z.iso"
    high.path = "/b/B.iso"
    let rows = [low, high, row(3, "c")]
    #expect(try await ids(rows, Viewport(sort: RowSort(key: .title))) == [2, 3, 1])
    #expect(
      try await ids(rows, Viewport(sort: RowSort(key: .title, isDescending: true))) == [1, 3, 2])
  }

  @Test func `totals follow every change`() {
    var table = RowTable(RowMaker(documentsDirectory: "/d"))
    table.update(row(1, state: .running, speed: 10))
    table.update(row(2, state: .running, speed: 5))
    #expect(table.totals.bytesPerSecond == 15)
    #expect(table.totals.count(.running) == 2)
    table.update(row(1, state: .completed))
    table.remove(TransferID(rawValue: 2))
    table.remove(TransferID(rawValue: 2))
    #expect(table.totals.bytesPerSecond == 0)
    #expect(table.totals.counts == [.completed: 1])
    #expect(table.count == 1)
  }

  @Test func `a filter matches states, and text case-insensitively`() async throws {
    let world = try ListWorld(awake: [
      row(1, "Debian"), row(2, "debian-src", state: .failed), row(3, "Alpine"),
    ])
    func ids(_ filter: RowFilter) async throws -> [Int64] {
      try await world.ids(Viewport(filter: filter))
    }
    #expect(try await ids(RowFilter(text: "DEBIAN")) == [1, 2])
    #expect(try await ids(RowFilter(states: [.failed], text: "deb")) == [2])
    #expect(try await ids(RowFilter(session: SessionID(rawValue: "x"))).isEmpty)
    #expect(try await ids(RowFilter(text: "files.example/3")) == [3])
  }

  @Test(arguments: [
    (RowSort.Key.title, [3, 1, 2]), (.size, [2, 1, 3]), (.progress, [2, 1, 3]),
    (.speed, [1, 2, 3]), (.createdAt, [1, 2, 3]), (.queue, [1, 2, 3]), (.state, [3, 1, 2]),
  ])
  func `every key sorts, and equal rows keep their order`(
    key: RowSort.Key, expected: [Int64]
  ) async throws {
    let rows = [
      row(1, "m", received: 5, expected: 10), row(2, "z"),
      row(3, "A", state: .running, speed: 9, received: 20, expected: 20),
    ]
    #expect(try await ids(rows, Viewport(sort: RowSort(key: key))) == expected)
  }
}
