import KettleControl
import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

@testable import KettleDaemon

/// Requests about the list, handled by the service's parts over fakes.
@Suite(.timeLimit(.minutes(5)))
struct ListRequestsTests {
  /// Five paused transfers, the last one on another host.
  private func world() async throws -> (world: HandlerWorld, person: ConnectedClient) {
    let world = try await HandlerWorld()
    let person = world.connect()
    let urls = (1...4).map { "https://a.example/\($0)" } + ["https://b.example/5"]
    let specs = try urls.map { url in
      var spec = TransferSpec(url: try TransferURL.parse(url).get().url)
      spec.beginning = .paused
      return spec
    }
    _ = try await world.send(AddTransfers.self, .add(.init(transfers: specs)), as: person)
    return (world, person)
  }

  private func order(_ world: HandlerWorld, _ person: ConnectedClient) async throws -> [Int64] {
    try await world.send(ListTransfers.self, .list(Viewport()), as: person).rows.map(\.id.rawValue)
  }

  private func move(
    _ selection: TransferSelection, _ way: QueueMove, in world: HandlerWorld,
    as person: ConnectedClient
  ) async throws -> ControlTransfers.Result {
    try await world.send(
      MoveTransfers.self, .move(.init(selection: selection, way: way)), as: person)
  }

  @Test func `moves are visible at once and after a restart`()
    async throws
  {
    let (world, person) = try await world()
    let two = TransferID(rawValue: 2)
    let gone = TransferID(rawValue: 99)
    let result = try await move(.ids([two, gone]), .up, in: world, as: person)
    #expect(result.applied == [two] && result.refused == [.init(id: gone, why: .unknown)])
    #expect(try await order(world, person) == [2, 1, 3, 4, 5])
    _ = try await move(
      .matching(RowFilter(host: "a.example"), except: [two]), .toBottom, in: world, as: person)
    #expect(try await order(world, person) == [2, 5, 1, 3, 4])
    _ = try await move(.ids([TransferID(rawValue: 4)]), .toTop, in: world, as: person)
    _ = try await move(.ids([two]), .down, in: world, as: person)
    #expect(try await order(world, person) == [4, 5, 2, 1, 3])
    let all = try await move(.all, .down, in: world, as: person)
    #expect(all.applied.isEmpty && all.refused.isEmpty)
    let again = try await HandlerWorld(world.journal)
    #expect(try await order(again, again.connect()) == [4, 5, 2, 1, 3])
  }

  @Test func `matching ids are returned as runs`() async throws {
    let (world, person) = try await world()
    func ids(_ filter: RowFilter) async throws -> IDRuns {
      try await world.send(ListIDs.self, .listIDs(.init(filter: filter)), as: person).runs
    }
    #expect(try await ids(RowFilter()).runs == [.init(first: 1, count: 5)])
    #expect(try await ids(RowFilter(host: "b.example")).ids == [TransferID(rawValue: 5)])
    #expect(try await ids(RowFilter(states: [.completed])).runs.isEmpty)
  }

  @Test func `a search follows the displayed order, and windows carry their tag`()
    async throws
  {
    let (world, person) = try await world()
    let here = RowFilter(host: "a.example")
    let search = RowSearch(
      filter: here, sort: RowSort(isDescending: true), text: "example/2", start: nil,
      startIndex: 0)
    let found = try await world.send(FindTransfer.self, .find(search), as: person).found
    #expect(found == FoundRow(id: TransferID(rawValue: 2), index: 2, hasWrapped: false))
    var other = search
    other.text = "b.example"
    #expect(try await world.send(FindTransfer.self, .find(other), as: person).found == nil)
    let window = try await world.send(
      ListTransfers.self, .list(Viewport(filter: here, tag: 7)), as: person)
    #expect(window.tag == 7 && window.matchingCount == 4)
  }

  @Test func `priority and limit apply to a filter`() async throws {
    let (world, person) = try await world()
    let selection = TransferSelection.matching(RowFilter(host: "b.example"), except: [])
    let prioritized = try await world.send(
      PrioritizeTransfers.self, .prioritize(.init(selection: selection, priority: .high)),
      as: person)
    #expect(prioritized.applied.map(\.rawValue) == [5])
    _ = try await world.send(
      LimitSpeed.self, .limit(.init(selection: selection, bytesPerSecond: 99)), as: person)
    _ = try await world.send(
      LimitSpeed.self, .limit(.init(selection: .all, bytesPerSecond: 4096)), as: person)
    let window = try await world.send(ListTransfers.self, .list(Viewport()), as: person)
    #expect(window.rows.map(\.priority) == [.normal, .normal, .normal, .normal, .high])
    #expect(window.rows.map(\.limitBytesPerSecond) == [nil, nil, nil, nil, 99])
    #expect(window.totals.limitBytesPerSecond == 4096)
    let all = try await world.send(
      PrioritizeTransfers.self, .prioritize(.init(selection: .all, priority: .low)), as: person)
    #expect(all.applied.count == 5)
  }

  @Test func `queues are listed, entered and left`() async throws {
    let (world, person) = try await world()
    let night = try #require(QueueName("night"))
    await #expect(throws: ControlError(.unknownQueue, "night")) {
      try await world.send(
        AssignTransfers.self, .assign(.init(selection: .all, queue: night)), as: person)
    }
    await world.engine.setQueues([night: .init(transfersMax: 1)])
    let ids = [1, 2].map { TransferID(rawValue: $0) }
    let assigned = try await world.send(
      AssignTransfers.self, .assign(.init(selection: .ids(ids), queue: night)), as: person)
    #expect(assigned.applied == ids)
    let filter = RowFilter(queue: night)
    let window = try await world.send(
      ListTransfers.self, .list(Viewport(filter: filter, sort: RowSort(grouping: .queues))),
      as: person)
    #expect(window.rows.map(\.id) == ids && window.rows.allSatisfy { $0.queue == night })
    #expect(window.groups?.map(\.group) == [.queue(night)])
    #expect(window.groups?.first?.queue?.transfersMax == 1)
    let queues = try await world.send(ListQueues.self, .listQueues, as: person).queues
    #expect(queues.map(\.name) == [.standard, night])
    var spec = TransferSpec(url: try TransferURL.parse("http://a.example/new").get().url)
    spec.options.queue = QueueName("other")
    await #expect(throws: ControlError(.unknownQueue, "other")) {
      try await world.send(AddTransfers.self, .add(.init(transfers: [spec])), as: person)
    }
  }

  @Test func `a displayed list by queue follows a change of the queues`() async throws {
    let (world, person) = try await world()
    let night = try #require(QueueName("night"))
    func groups() async throws -> [ListGroup]? {
      let viewport = try #require(person.mailbox.viewport)
      return try await world.broadcaster.displayedRows(of: viewport, for: person.id)?.groups?
        .map(\.group)
    }
    _ = try await world.send(
      SubscribeViewport.self, .subscribe(Viewport(sort: RowSort(grouping: .queues))), as: person)
    #expect(try await groups() == [.queue(.standard)])
    await world.engine.setQueues([night: .init(transfersMax: 1)])
    _ = await world.engine.assign([TransferID(rawValue: 1)], to: night)
    #expect(try await groups() == [.queue(.standard), .queue(night)])
    // A queue that only transfers name is none.
    await world.engine.setQueues([:])
    #expect(try await groups() == [.queue(.standard), .noQueue])
    // The same while the client does not read.
    world.broadcaster.suspendDisplay(of: person.id)
    await world.engine.setQueues([night: .init(transfersMax: 1)])
    #expect(try await groups() == [.queue(.standard), .queue(night)])
    let listed = try await world.send(
      ListTransfers.self, .list(Viewport(sort: RowSort(grouping: .queues))), as: person)
    #expect(listed.groups?.map(\.group) == [.queue(.standard), .queue(night)])
  }

  @Test func `cleared transfers are counted, hidden on request, and still listed`()
    async throws
  {
    let (before, _) = try await world()
    // An earlier service has finished two of them.
    for id in [Int64(1), 3] {
      var record = try #require(before.journal.records[TransferID(rawValue: id)])
      record.state = .completed
      try before.journal.commit([.put(record)])
    }
    let world = try await HandlerWorld(before.journal)
    let person = world.connect()
    let uncleared = Viewport(
      filter: RowFilter(scope: .uncleared), anchor: TransferID(rawValue: 4))
    _ = try await world.send(SubscribeViewport.self, .subscribe(uncleared), as: person)
    #expect(try await world.broadcaster.window(uncleared).anchorIndex == 3)
    for expected in [2, 0] {
      let result = try await world.send(ClearFinished.self, .clear, as: person)
      #expect(result.clearedCount == expected)
    }
    let window = try await world.broadcaster.window(uncleared)
    #expect(window.rows.map(\.id.rawValue) == [2, 4, 5])
    #expect(window.anchorIndex == 1)
    #expect(try await order(world, person) == [1, 2, 3, 4, 5])
    let again = try await HandlerWorld(world.journal)
    #expect(try await again.broadcaster.window(uncleared).matchingCount == 3)
  }

  @Test func `details contain all fields of the details screen`() async throws {
    let (world, person) = try await world()
    let details = try await world.send(
      DescribeTransfer.self, .describe(.init(id: TransferID(rawValue: 1))), as: person)
    #expect(details.directory == "/home/u/Downloads")
    #expect(details.redirects == [] && details.liveConnections == [] && details.recentSpeeds == [])
    #expect(details.history.map(\.text).first == "Added")
  }
}
