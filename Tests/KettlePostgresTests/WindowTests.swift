import KettleFleet
import KettleModel
import Testing

@testable import KettlePostgres

extension PostgresTests {
  /// 20,000 rows, of which every tenth is paused and the last one of each ten removed.
  @Suite struct WindowTests {
    private static let prepared = Result { () throws -> (SampleFleet, [FleetTransferID]) in
      let fleet = try SampleFleet()
      let ids = try fleet.add((0..<20_000).map { "http://h\($0 % 7).example/\($0)" })
      let paused = ids.enumerated().filter { $0.offset % 10 == 3 }.map(\.element)
      _ = try fleet.board.control(FleetControl(.pause, ids: paused))
      let removed = ids.enumerated().filter { $0.offset % 10 == 9 }.map(\.element)
      _ = try fleet.board.control(FleetControl(.remove, ids: removed))
      return (fleet, ids.enumerated().filter { $0.offset % 10 != 9 }.map(\.element))
    }

    private let fleet: SampleFleet
    private let ids: [FleetTransferID]

    init() throws { (fleet, ids) = try Self.prepared.get() }

    @Test(arguments: [0, 1, 100, 8_999, 9_001, 17_950, 17_999], [false, true])
    func `a window is found from an end and from a hint`(first: Int, isDescending: Bool) throws {
      let list = isDescending ? ids.reversed() : ids
      let expected = Array(list[first..<min(first + 50, list.count)])
      var request = FleetWindowRequest(isDescending: isDescending, first: first, count: 50)
      for hint in [nil, first - 30, first, first + 30, 9_000] {
        request.hint = hint.flatMap { index in
          list.indices.contains(index) ? .init(id: list[index], index: index) : nil
        }
        request.anchor = list[(first + 9_000) % list.count]
        let window = try fleet.board.window(request)
        #expect(window.rows.map(\.id) == expected)
        #expect(window.first == first && window.matchingCount == 18_000)
        #expect(window.anchorIndex == (first + 9_000) % list.count)
      }
    }

    @Test func `states are walked by their indexes`() throws {
      let paused = try fleet.board.ids(matching: FleetFilter(states: [.paused]))
      #expect(paused.count == 2_000)
      var request = FleetWindowRequest(
        filter: FleetFilter(states: [.paused]), first: 1_500, count: 20)
      request.anchor = paused[3]
      let window = try fleet.board.window(request)
      #expect(window.rows.map(\.id) == Array(paused[1_500..<1_520]))
      #expect(window.matchingCount == 2_000 && window.anchorIndex == 3)
      request.filter.states = [.paused, .queued]
      #expect(try fleet.board.window(request).rows.map(\.id) == Array(ids[1_500..<1_520]))
      request.filter.states = []
      #expect(try fleet.board.window(request).rows.isEmpty)
    }

    @Test func `a filtered list is counted and walked`() throws {
      var request = FleetWindowRequest(
        filter: FleetFilter(host: "h3.example"), first: 100, count: 5)
      let matching = try fleet.board.ids(matching: request.filter)
      request.anchor = matching[2_000]
      let window = try fleet.board.window(request)
      #expect(window.matchingCount == matching.count)
      #expect(window.rows.map(\.id) == Array(matching[100..<105]))
      #expect(window.anchorIndex == 2_000)
      request.anchor = ids.first
      #expect(try fleet.board.window(request).anchorIndex == nil)
    }

    @Test func `other keys sort the list`() throws {
      let byHost = FleetWindowRequest(key: .host, isDescending: true, first: 0, count: 10)
      let window = try fleet.board.window(byHost)
      #expect(window.rows.allSatisfy { $0.url.hasPrefix("http://h6.") })
      for key in [FleetWindowRequest.Key.title, .state, .size, .machine, .finishedAt, .priority] {
        let request = FleetWindowRequest(key: key, first: 17_000, count: 50, anchor: ids[5])
        let window = try fleet.board.window(request)
        #expect(window.rows.count == 50 && window.anchorIndex != nil)
      }
    }

    @Test func `a window beyond the end has the last row`() throws {
      let window = try fleet.board.window(FleetWindowRequest(first: 99_999, count: 10))
      #expect(window.first == 17_999 && window.rows.map(\.id) == [ids[17_999]])
    }
  }
}
