import KettleControl
import KettleModel
import Testing

@testable import KettleCommands

struct WindowMergeTests {
  private let names = ["nas", "box"]

  private func row(
    _ id: Int64, _ state: TransferState = .paused, size: Int64? = nil, title: String? = nil
  ) -> TransferSnapshot {
    var row = snapshot(id, state, title: title ?? "\(id)")
    row.bytesExpected = size
    return row
  }

  private func window(_ rows: [TransferSnapshot], count: Int? = nil) -> RowWindow {
    RowWindow(first: 0, matchingCount: count ?? rows.count, rows: rows, totals: Totals())
  }

  private func ids(_ window: RowWindow) -> [String] {
    window.rows.map { "\($0.machine ?? "")\(MachineIDs.own($0.id))" }
  }

  @Test func `rows are merged by the order of the list`() {
    let sort = RowSort(key: .size, isDescending: true)
    let merge = WindowMerge(viewport: Viewport(sort: sort, count: 10, tag: 8), names: names)
    let merged = merge.merged([
      0: window([row(1, size: 90), row(2, size: 50)]),
      1: window([row(1, size: 95), row(2, size: 50), row(3, size: 1)]),
    ])
    #expect(ids(merged.window) == ["box1", "nas1", "nas2", "box2", "box3"])
    #expect(merged.window.matchingCount == 5)
    #expect(merged.window.tag == 8)
    #expect(merged.window.groups == nil)
    #expect(Set(merged.window.rows.map(\.id)).count == 5)
  }

  @Test func `a part of the list is what the whole one has there`() {
    let sizes = RowSort(key: .size)
    let all = (Int64(1)...3).map { machine in
      let rows = (Int64(1)...40).map { id in row(id, size: id * 7 % 41 * machine) }
      return window(rows.sorted { sizes.key(of: $0) < sizes.key(of: $1) })
    }
    let names = ["a", "b", "c"]
    func merged(_ first: Int, _ count: Int) -> RowWindow {
      let viewport = Viewport(sort: sizes, first: first, count: count)
      let merge = WindowMerge(viewport: viewport, names: names)
      let parts = all.enumerated().map { index, window in
        let request = merge.request(to: index)
        #expect(request.first == 0)
        var part = window
        part.rows = Array(window.rows.prefix(request.count))
        return (index, part)
      }
      return merge.merged(Dictionary(uniqueKeysWithValues: parts)).window
    }
    let whole = merged(0, 120).rows
    #expect(whole.count == 120)
    for first in [0, 1, 13, 50, 110, 119, 120, 500] {
      let part = merged(first, 20)
      #expect(part.rows == Array(whole.dropFirst(first).prefix(20)), "\(first)")
      #expect(part.matchingCount == 120)
      #expect(part.first == first)
    }
  }

  @Test func `groups are merged, with the rows of each machine in them`() {
    let sort = RowSort(isGrouped: true)
    var merge = WindowMerge(viewport: Viewport(sort: sort, count: 10), names: names)
    var (nas, box) = (
      window([row(1, .running), row(5, .queued), row(2, .completed)]),
      window([row(9, .failed), row(3, .completed)])
    )
    nas.groups = [.init(.running, count: 1), .init(.next, count: 1), .init(.done, count: 1)]
    box.groups = [.init(.failed, count: 1), .init(.done, count: 1)]
    var merged = merge.merged([0: nas, 1: box]).window
    #expect(ids(merged) == ["nas1", "nas5", "box9", "nas2", "box3"])
    #expect(
      merged.groups == [
        .init(.running, count: 1), .init(.next, count: 1), .init(.failed, count: 1),
        .init(.done, count: 2),
      ])
    // Folded: no rows, and their number stays.
    merge.viewport.folded = [.done]
    (nas.rows, box.rows) = ([row(1, .running), row(5, .queued)], [row(9, .failed)])
    nas.groups?[2].isFolded = true
    box.groups?[1].isFolded = true
    merged = merge.merged([0: nas, 1: box]).window
    #expect(ids(merged) == ["nas1", "nas5", "box9"])
    #expect(merged.groups?.last == .init(.done, count: 2, isFolded: true))
    #expect(merged.matchingCount == 5)
  }

  @Test func `queues of all machines are groups, and what is in none is last`() throws {
    let (night, day) = (try #require(QueueName("night")), try #require(QueueName("day")))
    let sort = RowSort(grouping: .queues)
    let merge = WindowMerge(viewport: Viewport(sort: sort, count: 10), names: names)
    var (nas, box) = (window([row(1), row(2)]), window([row(3), row(4)]))
    nas.groups = [.init(.queue(night), count: 1), .init(.noQueue, count: 1)]
    nas.groups?[0].queue = QueueSnapshot(name: night, runningCount: 2, queuedCount: 1)
    box.groups = [.init(.queue(day), count: 1), .init(.queue(night), count: 1)]
    box.groups?[1].queue = QueueSnapshot(name: night, runningCount: 1)
    let merged = merge.merged([0: nas, 1: box]).window
    #expect(ids(merged) == ["box3", "nas1", "box4", "nas2"])
    #expect(merged.groups?.map(\.group) == [.queue(day), .queue(night), .noQueue])
    #expect(merged.groups?[1].queue?.runningCount == 3)
    #expect(merged.groups?[1].queue?.queuedCount == 1)
  }

  @Test func `a filter by machine leaves the totals of all`() {
    let viewport = Viewport(filter: RowFilter(machine: "box"), count: 10)
    let merge = WindowMerge(viewport: viewport, names: names)
    #expect(merge.request(to: 0).count == 0)
    #expect(merge.request(to: 1).filter == RowFilter())
    var (nas, box) = (window([], count: 7), window([row(3)]))
    nas.totals.bytesPerSecond = 100
    nas.totals.counts = [.running: 7]
    box.totals.bytesPerSecond = .max
    box.totals.counts = [.running: 1, .paused: 2]
    let merged = merge.merged([0: nas, 1: box]).window
    #expect(ids(merged) == ["box3"])
    #expect(merged.matchingCount == 1)
    #expect(merged.totals.bytesPerSecond == .max)
    #expect(merged.totals.counts == [.running: 8, .paused: 2])
  }

  @Test func `totals have a limit only if each machine has one, and end with the last batch`() {
    var parts = [Totals(), Totals()]
    parts[0].limitBytesPerSecond = 10
    parts[0].needsUserCount = 1
    #expect(Totals.sum(of: parts).limitBytesPerSecond == nil)
    #expect(Totals.sum(of: parts).needsUserCount == 1)
    parts[1].limitBytesPerSecond = 5
    #expect(Totals.sum(of: parts).limitBytesPerSecond == 15)
    for index in parts.indices {
      parts[index].batch = BatchProgress(
        transferCount: 3, finishedCount: 1, bytesReceived: 10, bytesExpected: 20,
        unknownSizeCount: 0, secondsLeft: Int64(index))
      parts[index].batch?.readyAt = WallTime(millisecondsSince1970: Int64(index))
    }
    let batch = Totals.sum(of: parts).batch
    #expect(batch?.transferCount == 6)
    #expect(batch?.bytesExpected == 40)
    #expect(batch?.secondsLeft == 1)
    #expect(batch?.readyAt == WallTime(millisecondsSince1970: 1))
    parts[0].batch?.readyAt = nil
    #expect(Totals.sum(of: parts).batch?.readyAt == nil)
  }

  @Test func `more rows than a machine may have do not count`() {
    let countMax = WindowMerge.rowCountMax
    let merge = WindowMerge(viewport: Viewport(first: .max, count: 50), names: names)
    #expect(merge.request(to: 0).count == countMax)
    var many = window((1...3000).map { row(Int64($0)) }, count: 1_000_000)
    #expect(merge.merged([0: many]).window.matchingCount == countMax)
    let grouped = WindowMerge(
      viewport: Viewport(sort: RowSort(isGrouped: true), count: 50), names: names)
    many.groups = [
      .init(.running, count: 1500), .init(.next, count: 900_000, isFolded: true),
      .init(.failed, count: 800), .init(.done, count: .max),
    ]
    let merged = grouped.merged([1: many]).window
    #expect(merged.groups?.map(\.count) == [1500, 900_000, 500])
  }

  @Test func `an anchor behind the rows needs all of them`() {
    let anchor = TransferID(rawValue: 9 * 64 + 1)
    var merge = WindowMerge(viewport: Viewport(count: 2, anchor: anchor), names: names)
    #expect(merge.request(to: 0).anchor == nil)
    #expect(merge.request(to: 1).anchor == TransferID(rawValue: 9))
    var box = window([row(1), row(2)], count: 9)
    box.anchorIndex = 8
    #expect(merge.merged([0: window([row(1), row(2)]), 1: box]).needsMore)
    merge.isWide = true
    box.rows = (1...9).map { row($0) }
    let merged = merge.merged([0: window([row(1), row(2)]), 1: box])
    #expect(!merged.needsMore)
    #expect(merged.window.anchorIndex == 10)
    // No row of a machine is the anchor: it has left the list.
    merge.isWide = false
    #expect(!merge.merged([0: window([row(1)]), 1: window([])]).needsMore)
  }

  @Test func `a search goes on at the other end`() {
    let rows = [row(1, title: "q"), row(2, title: "z"), row(3, title: "qz")]
    func find(_ text: String, from index: Int, _ change: (inout RowSearch) -> Void = { _ in })
      -> FoundRow?
    {
      var search = RowSearch(
        filter: RowFilter(), sort: RowSort(), text: text, start: rows[index].id, startIndex: 0)
      change(&search)
      return search.find(in: rows)
    }
    let (first, last) = (rows[0].id, rows[2].id)
    #expect(find("q", from: 0) == FoundRow(id: last, index: 2, hasWrapped: false))
    #expect(find("q", from: 2) == FoundRow(id: first, index: 0, hasWrapped: true))
    #expect(
      find("q", from: 0) { $0.isBackwards = true }
        == FoundRow(id: last, index: 2, hasWrapped: true))
    #expect(
      find("q", from: 0) { $0.includesStart = true }
        == FoundRow(id: first, index: 0, hasWrapped: false))
    #expect(find("qq", from: 1) == nil)
  }
}
