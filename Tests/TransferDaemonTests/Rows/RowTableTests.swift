import ControlProtocol
import Testing
import TransferModel

@testable import TransferDaemon

struct RowTableTests {
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

  private func table(_ rows: [TransferSnapshot]) -> RowTable {
    var table = RowTable()
    for row in rows { table.put(row) }
    return table
  }

  private func ids(_ table: RowTable, _ viewport: Viewport) -> [Int64] {
    var table = table
    return table.window(viewport, freeBytes: nil).rows.map(\.id.rawValue)
  }

  @Test func `rows stand in the order in which they were added`() {
    let table = table([row(2), row(5), row(1), row(3)])
    #expect(ids(table, Viewport()) == [1, 2, 3, 5])
  }

  @Test func `a window has its rows and says how many there are`() {
    var table = table((1...100).map { row($0) })
    let window = table.window(Viewport(first: 40, count: 3), freeBytes: 7)
    #expect(window.rows.map(\.id.rawValue) == [41, 42, 43])
    #expect(window.first == 40)
    #expect(window.matchingCount == 100)
    #expect(window.totals.freeBytes == 7)
    #expect(ids(table, Viewport(first: 99, count: 10)) == [100])
    #expect(ids(table, Viewport(first: 500, count: 10)).isEmpty)
  }

  @Test func `what was moved stands where it was put`() {
    var moved = row(3)
    moved.queuePosition = -7
    var table = table([row(1), row(2), row(3)])
    table.put(moved)
    #expect(ids(table, Viewport()) == [3, 1, 2])
    #expect(ids(table, Viewport(sort: RowSort(isDescending: true))) == [2, 1, 3])
    let window = table.window(Viewport(count: 1, anchor: row(1).id), freeBytes: nil)
    #expect(window.anchorIndex == 1)
  }

  @Test func `what was cleared is out of one scope and in the other, and back when begun anew`() {
    var table = table([row(1, state: .completed), row(2, state: .completed), row(3)])
    let uncleared = Viewport(filter: RowFilter(scope: .uncleared))
    table.look(from: nil, to: RowView(uncleared))
    #expect(ids(table, uncleared) == [1, 2, 3])
    table.clear([row(1).id, row(3).id, row(99).id])
    #expect(ids(table, uncleared) == [2, 3])
    #expect(ids(table, Viewport()) == [1, 2, 3])
    table.put(row(1, state: .queued))
    #expect(ids(table, uncleared) == [1, 2, 3])
  }

  @Test func `without titles the names of the files sort`() {
    var (low, high) = (row(1, ""), row(2, ""))
    low.path = "/a/z.iso"
    high.path = "/b/B.iso"
    let table = table([low, high, row(3, "c")])
    #expect(ids(table, Viewport(sort: RowSort(key: .title))) == [2, 3, 1])
    #expect(ids(table, Viewport(sort: RowSort(key: .title, isDescending: true))) == [1, 3, 2])
  }

  @Test func `the uncleared ones need no order of their own while nothing is cleared`() {
    var table = table([row(1, state: .completed), row(2)])
    let uncleared = Viewport(filter: RowFilter(scope: .uncleared))
    table.look(from: nil, to: RowView(uncleared))
    func shown() -> [Int64] {
      table.window(uncleared, freeBytes: nil).rows.map(\.id.rawValue)
    }
    #expect(shown() == [1, 2])
    #expect(table.indexCount == 0)
    table.clear([row(1).id])
    #expect(shown() == [2])
    #expect(table.indexCount == 1)
    table.remove(row(1).id)
    table.put(row(3))
    #expect(shown() == [2, 3])
  }

  @Test func `totals follow every change`() {
    var table = table([row(1, state: .running, speed: 10), row(2, state: .running, speed: 5)])
    #expect(table.totals.bytesPerSecond == 15)
    #expect(table.totals.count(.running) == 2)
    table.put(row(1, state: .completed))
    table.remove(TransferID(rawValue: 2))
    table.remove(TransferID(rawValue: 2))
    #expect(table.totals.bytesPerSecond == 0)
    #expect(table.totals.counts == [.completed: 1])
    #expect(table.count == 1)
  }

  @Test func `a filter takes states and text without regard to case`() {
    let table = table([
      row(1, "Debian"), row(2, "debian-src", state: .failed), row(3, "Alpine"),
    ])
    #expect(ids(table, Viewport(filter: RowFilter(text: "DEBIAN"))) == [1, 2])
    #expect(ids(table, Viewport(filter: RowFilter(states: [.failed], text: "deb"))) == [2])
    #expect(ids(table, Viewport(filter: RowFilter(session: SessionID(rawValue: "x")))).isEmpty)
    #expect(ids(table, Viewport(filter: RowFilter(text: "files.example/3"))) == [3])
  }

  @Test(arguments: [
    (RowSort.Key.title, [3, 1, 2]), (.size, [2, 1, 3]), (.progress, [2, 1, 3]),
    (.speed, [1, 2, 3]), (.createdAt, [1, 2, 3]), (.queue, [1, 2, 3]), (.state, [3, 1, 2]),
  ])
  func `each key sorts, and equal rows keep their order`(key: RowSort.Key, expected: [Int64]) {
    let table = table([
      row(1, "m", received: 5, expected: 10), row(2, "z"),
      row(3, "A", state: .running, speed: 9, received: 20, expected: 20),
    ])
    #expect(ids(table, Viewport(sort: RowSort(key: key))) == expected)
  }

  @Test func `descending is the other way round`() {
    let table = table([row(1, "a"), row(2, "b")])
    #expect(ids(table, Viewport(sort: RowSort(key: .title, isDescending: true))) == [2, 1])
    #expect(ids(table, Viewport(sort: RowSort(isDescending: true))) == [2, 1])
  }
}
