import Testing
import TransferModel

@testable import TransferDaemon

/// The next row with some words.
struct RowTableFindTests {
  private static let table: RowTable = {
    var table = RowTable()
    let titles = ["a.iso", "b.txt", "c.iso", "d.txt", "e.iso"]
    for (index, title) in titles.enumerated() {
      let id = Int64(index) + 1
      table.put(
        TransferSnapshot(
          id: TransferID(rawValue: id), session: .kettle, taskIdentifier: id, title: title,
          url: "http://files.example/\(id)", state: id == 3 ? .failed : .queued,
          createdAt: WallTime(millisecondsSince1970: id)))
    }
    return table
  }()

  private func find(
    _ text: String, from start: Int64?, index: Int = 0, backwards: Bool = false,
    here: Bool = false, filter: RowFilter = RowFilter(), sort: RowSort = RowSort()
  ) -> [Int]? {
    var table = Self.table
    return table.find(
      RowSearch(
        filter: filter, sort: sort, text: text, start: start.map { TransferID(rawValue: $0) },
        startIndex: index, isBackwards: backwards, includesStart: here)
    ).map { [Int($0.id.rawValue), $0.index, $0.hasWrapped ? 1 : 0] }
  }

  @Test func `the next one with the words is found, and the one before`() {
    #expect(find("iso", from: 1) == [3, 2, 0])
    #expect(find("ISO", from: 3) == [5, 4, 0])
    #expect(find("iso", from: 4, backwards: true) == [3, 2, 0])
    #expect(find("txt FILES.example/2", from: 1) == [2, 1, 0])
    #expect(find("\"a. iso\"", from: 1) == nil)
  }

  @Test func `after the last it goes on from the first, and says so`() {
    #expect(find("iso", from: 5) == [1, 0, 1])
    #expect(find("iso", from: 1, backwards: true) == [5, 4, 1])
  }

  @Test func `the start itself is the first when it may be, else the last`() {
    #expect(find("b.txt", from: 2, here: true) == [2, 1, 0])
    #expect(find("b.txt", from: 2) == [2, 1, 1])
    #expect(find("c", from: 3, backwards: true, here: true) == [3, 2, 0])
  }

  @Test func `filter and sort are those of the list`() {
    #expect(find("iso", from: 1, filter: RowFilter(states: [.queued])) == [5, 3, 0])
    #expect(find("iso", from: 3, sort: RowSort(key: .queue, isDescending: true)) == [1, 4, 0])
  }

  @Test func `a start that is gone is where it was last seen`() {
    #expect(find("iso", from: 99, index: 3) == [5, 4, 0])
    #expect(find("iso", from: nil, index: 900) == [1, 0, 1])
    #expect(find("iso", from: nil, index: -5) == [3, 2, 0])
  }

  @Test func `nothing is found for no words, and in an empty list`() {
    #expect(find("nowhere", from: 1) == nil)
    #expect(find("  ", from: 1) == nil)
    #expect(find("iso", from: 1, filter: RowFilter(states: [.paused])) == nil)
  }
}
