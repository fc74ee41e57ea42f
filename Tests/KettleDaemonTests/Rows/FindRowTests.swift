import KettleModel
import Testing

@testable import KettleDaemon

/// Searches in a list that is half in memory and half in the store.
struct FindRowTests {
  private let world: ListWorld

  init() throws {
    let records = try ["a.iso", "b.txt", "c.iso", "d.txt", "e.iso"].enumerated().map {
      try ListWorld.record(Int64($0) + 1, name: $1, $0 == 2 ? .failed : .queued)
    }
    world = try ListWorld(
      dormant: records.map { record in
        var record = record
        if record.state == .failed { record.finishedAt = record.createdAt }
        return record
      })
    for id in [Int64(2), 3] { try world.load(id) }
  }

  private func find(
    _ text: String, from start: Int64?, index: Int = 0, backwards: Bool = false,
    here: Bool = false, filter: RowFilter = RowFilter(), sort: RowSort = RowSort(),
    matching: RowFilter? = nil
  ) async throws -> [Int]? {
    try await world.list.find(
      RowSearch(
        filter: filter, sort: sort, text: text, start: start.map { TransferID(rawValue: $0) },
        startIndex: index, isBackwards: backwards, includesStart: here,
        matching: matching)
    ).map { [Int($0.id.rawValue), $0.index, $0.hasWrapped ? 1 : 0] }
  }

  @Test func `a search finds the next match and the previous one`() async throws {
    #expect(try await find("iso", from: 1) == [3, 2, 0])
    #expect(try await find("ISO", from: 3) == [5, 4, 0])
    #expect(try await find("iso", from: 4, backwards: true) == [3, 2, 0])
    #expect(try await find("txt FILES.example/2", from: 1) == [2, 1, 0])
    #expect(try await find("\"a. iso\"", from: 1) == nil)
  }

  @Test func `a search wraps around and says so`() async throws {
    #expect(try await find("iso", from: 5) == [1, 0, 1])
    #expect(try await find("iso", from: 1, backwards: true) == [5, 4, 1])
  }

  @Test func `the start is visited first if it is included, otherwise last`() async throws {
    #expect(try await find("b.txt", from: 2, here: true) == [2, 1, 0])
    #expect(try await find("b.txt", from: 2) == [2, 1, 1])
    #expect(try await find("c", from: 3, backwards: true, here: true) == [3, 2, 0])
  }

  @Test func `a search uses the filter and sort of the list`() async throws {
    #expect(try await find("iso", from: 1, filter: RowFilter(states: [.queued])) == [5, 3, 0])
    #expect(
      try await find("iso", from: 3, sort: RowSort(key: .queue, isDescending: true)) == [1, 4, 0])
  }

  @Test func `words have signs, and conditions need no words`() async throws {
    #expect(try await find("!iso", from: 1) == [2, 1, 0])
    #expect(try await find("txt$ !^b", from: 1) == [4, 3, 0])
    #expect(try await find("'e !txt", from: 1) == [5, 4, 0])
    #expect(try await find("", from: 1, matching: RowFilter(states: [.failed])) == [3, 2, 0])
    #expect(try await find("b.txt", from: 1, matching: RowFilter(states: [.failed])) == nil)
  }

  @Test func `a search whose start is gone begins at its last position`() async throws {
    #expect(try await find("iso", from: 99, index: 3) == [5, 4, 0])
    #expect(try await find("iso", from: nil, index: 900) == [1, 0, 1])
    #expect(try await find("iso", from: nil, index: -5) == [3, 2, 0])
  }

  @Test func `a search without words or in an empty list finds nothing`() async throws {
    #expect(try await find("nowhere", from: 1) == nil)
    #expect(try await find("  ", from: 1) == nil)
    #expect(try await find("iso", from: 1, filter: RowFilter(states: [.paused])) == nil)
  }
}
