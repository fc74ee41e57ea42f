import Dispatch
import KettleControl
import KettleEngine
import KettleModel
import KettleSystem
import Testing
import TestSupport

@testable import KettleDaemon

/// The list over a store that replies late, or not at all.
@Suite(.timeLimit(.minutes(5)))
struct RowListTests {
  private let bySize = Viewport(sort: RowSort(key: .size))

  private func dormant(_ count: Int64) throws -> ListWorld {
    try ListWorld(dormant: (1...count).map { try ListWorld.record($0, name: "r\($0)") })
  }

  private func running(_ id: Int64, size: Int64) -> TransferSnapshot {
    TransferSnapshot(
      id: TransferID(rawValue: id), session: .kettle, taskIdentifier: id, title: "r\(id)",
      url: "http://files.example/\(id)", state: .running, bytesExpected: size,
      createdAt: WallTime(millisecondsSince1970: id))
  }

  // MARK: Windows

  @Test func `dormant rows come from the store, and loaded rows from their events`() async throws {
    let world = try dormant(50)
    try world.load(7)
    world.list.update { $0.update(running(7, size: 5)) }
    let window = try await world.list.window(Viewport(first: 4, count: 4))
    #expect(window.rows.map(\.id.rawValue) == [5, 6, 7, 8])
    #expect(window.rows.map(\.state) == [.queued, .queued, .running, .queued])
    #expect(window.matchingCount == 50)
    #expect(window.totals.counts == [.queued: 49, .running: 1])
    #expect(try await world.ids(Viewport(sort: RowSort(key: .size, isDescending: true))).first == 7)
  }

  @Test func `the rows of folded groups are left out, also from the indices`() async throws {
    let world = try dormant(6)
    try world.load(5)
    world.list.update { $0.update(running(5, size: 5)) }
    try world.load(2)
    var done = running(2, size: 5)
    done.state = .completed
    world.list.update { [done] in $0.update(done) }
    let sort = RowSort(isGrouped: true)
    let all = try await world.list.window(Viewport(sort: sort, anchor: TransferID(rawValue: 2)))
    #expect(all.rows.map(\.id.rawValue) == [5, 1, 3, 4, 6, 2] && all.anchorIndex == 5)
    let folded = try await world.list.window(
      Viewport(sort: sort, anchor: TransferID(rawValue: 2), folded: [.next]))
    #expect(folded.rows.map(\.id.rawValue) == [5, 2] && folded.anchorIndex == 1)
    #expect(folded.matchingCount == 6)
    #expect(
      folded.groups == [
        ListedGroup(.running, count: 1), ListedGroup(.next, count: 4, isFolded: true),
        ListedGroup(.done, count: 1),
      ])
  }

  @Test func `the first screen of a grouped list needs no order`() async throws {
    let world = try dormant(50)
    try world.load(7)
    world.list.update { $0.update(running(7, size: 5)) }
    let viewport = Viewport(sort: RowSort(isGrouped: true), count: 4)
    let window = world.list.update { $0.openWindow() }
    world.list.switchSubscription(from: nil, to: RowView(viewport))
    // The order never arrives.
    let orders = DispatchSemaphore(value: 0)
    world.archive.order(by: { _, _ in
      orders.wait()
      return StoredOrder([StoredOrder.Section]())
    })
    let first = try await world.list.window(viewport, for: window)
    #expect(first?.rows.map(\.id.rawValue) == [7, 1, 2, 3])
    #expect(
      first?.groups == [ListedGroup(.running, count: 1), ListedGroup(.next, count: 49)])
    orders.signal()
  }

  @Test func `a displayed window reads its rows from the store once`() async throws {
    let world = try dormant(20)
    let window = world.list.update { $0.openWindow() }
    world.list.switchSubscription(from: nil, to: RowView(bySize))
    var viewport = bySize
    viewport.count = 5
    for _ in 0..<3 { _ = try await world.list.window(viewport, for: window) }
    #expect(world.archive.recordCounts == [5])
    viewport.first = 2
    _ = try await world.list.window(viewport, for: window)
    #expect(world.archive.recordCounts == [5, 2])
    #expect(world.archive.orderCount == 1)
  }

  @Test func `a row is never older than its latest event`() async throws {
    let world = try dormant(3)
    let window = world.list.update { $0.openWindow() }
    world.list.switchSubscription(from: nil, to: RowView(bySize))
    _ = try await world.list.window(bySize, for: window)
    // It is loaded, changes and is evicted again.
    try world.load(2)
    var record = try ListWorld.record(2, name: "another", .paused)
    record.queuePosition = 2
    let row = world.rows.row(of: record)
    world.list.update { $0.update(row) }
    try world.journal.commit([.put(record)])
    world.list.update { $0.evict([record.id]) }
    let shown = try await world.list.window(bySize, for: window)
    #expect(shown?.rows.map(\.title) == ["r1", "another", "r3"])
  }

  @Test func `a row that changes while it is read is read again`() async throws {
    let world = try dormant(3)
    let isFirst = Mutex(true)
    let list = world.list
    _ = try await list.window(bySize)
    var record = try ListWorld.record(2, name: "another", .paused)
    record.queuePosition = 2
    let (before, after) = (world.rows.row(of: try ListWorld.record(2, name: "r2")), record)
    let (rows, journal, archive) = (world.rows, world.journal, world.archive)
    world.archive.whenAsked {
      guard archive.recordCounts.count == 2, isFirst.withLock({ $0 }) else { return }
      isFirst.withLock { $0 = false }
      list.update { $0.load(before) }
      list.update { $0.update(rows.row(of: after)) }
      try? journal.commit([.put(after)])
      list.update { $0.evict([after.id]) }
    }
    let shown = try await list.window(bySize)
    #expect(shown.rows.map(\.title) == ["r1", "another", "r3"])
    #expect(!isFirst.withLock { $0 })
  }

  @Test func `a removed row is not shown while the store still has it`() async throws {
    let world = try dormant(3)
    try world.load(2)
    world.list.update { $0.remove(TransferID(rawValue: 2)) }
    for viewport in [bySize, Viewport(), Viewport(count: 3)] {
      let window = try await world.list.window(viewport)
      #expect(window.rows.map(\.id.rawValue) == [1, 3])
      #expect(window.matchingCount == 2)
    }
  }

  // MARK: The first screen

  @Test func `the beginning of the list is available before its order`() async throws {
    let world = try dormant(500)
    try world.load(3)
    world.list.update { $0.update(running(3, size: 1)) }
    let gate = Gate()
    world.archive.whenAsked { gate.pass() }
    for filter in [RowFilter(), RowFilter(scope: .uncleared)] {
      let window = try await world.list.window(
        Viewport(filter: filter, first: 1, count: 4, anchor: TransferID(rawValue: 4)))
      #expect(window.rows.map(\.id.rawValue) == [2, 3, 4, 5])
      #expect(window.matchingCount == 500)
      #expect(window.anchorIndex == 3)
    }
    gate.open()
    #expect(try await world.ids(Viewport(first: 498, count: 9)) == [499, 500])
  }

  @Test func `a list shorter than the screen is available at once`() async throws {
    let world = try dormant(3)
    let gate = Gate()
    world.archive.whenAsked { gate.pass() }
    let anchor = TransferID(rawValue: 9)
    let window = try await world.list.window(Viewport(count: 50, anchor: anchor))
    #expect(window.rows.map(\.id.rawValue) == [1, 2, 3])
    #expect(window.anchorIndex == nil)
    gate.open()
  }

  // MARK: Orders

  @Test func `events do not wait while the store is read`() async throws {
    let world = try dormant(3)
    let gate = Gate()
    world.archive.whenAsked { gate.pass() }
    let (list, view) = (world.list, bySize)
    async let window = list.window(view)
    await gate.reached()
    try world.load(1)
    world.list.update { $0.update(running(1, size: 9)) }
    world.list.update { $0.update(running(4, size: 7)) }
    #expect(world.list.update { $0.totals.count(.running) } == 2)
    gate.open()
    #expect(try await window.rows.map(\.id.rawValue) == [2, 3, 4, 1])
  }

  @Test func `a row cleared while the store is read is not shown`() async throws {
    let world = try ListWorld(
      dormant: (1...3).map { try ListWorld.record($0, name: "r", $0 == 2 ? .queued : .completed) })
    let uncleared = Viewport(filter: RowFilter(scope: .uncleared), sort: RowSort(key: .size))
    #expect(try await world.ids(uncleared) == [1, 2, 3])
    let gate = Gate()
    world.archive.whenAsked { gate.pass() }
    let list = world.list
    async let window = list.window(uncleared)
    await gate.reached()
    world.list.update { $0.clear(upTo: 3) }
    try world.journal.commit([.clearFinished(upTo: 3)])
    gate.open()
    #expect(try await window.rows.map(\.id.rawValue) == [2])
    #expect(try await world.list.window(bySize).rows.map(\.isCleared) == [true, nil, true])
  }

  @Test func `a client that switches views stops waiting`() async throws {
    let world = try dormant(3)
    let gate = Gate()
    world.archive.whenAsked { gate.pass() }
    let (list, view) = (world.list, bySize)
    let window = list.update { $0.openWindow() }
    list.switchSubscription(from: nil, to: RowView(view))
    async let shown = list.window(view, for: window)
    await gate.reached()
    list.switchSubscription(from: RowView(view), to: RowView(Viewport()))
    #expect(try await shown == nil)
    gate.open()
  }

  @Test func `a cancelled task stops waiting`() async throws {
    let world = try dormant(3)
    let gate = Gate()
    world.archive.whenAsked { gate.pass() }
    let (list, view) = (world.list, bySize)
    let asking = Task { try await list.window(view) }
    await gate.reached()
    asking.cancel()
    await #expect(throws: ControlError(.stopping, "")) { try await asking.value }
    gate.open()
  }

  @Test func `a failing store is reported, and read again by the next request`() async throws {
    let world = try dormant(3)
    world.archive.fail(true)
    await #expect(throws: ControlError.self) { try await world.list.window(bySize) }
    await #expect(throws: ControlError.self) { try await world.list.window(Viewport(count: 2)) }
    await #expect(throws: ControlError.self) {
      try await world.list.matching(RowFilter(), except: [])
    }
    world.archive.fail(false)
    #expect(try await world.ids(bySize) == [1, 2, 3])
  }

  @Test func `an order is kept from its first window until it is dropped`() async throws {
    let world = try dormant(3)
    let list = world.list
    let window = list.update { $0.openWindow() }
    list.switchSubscription(from: nil, to: RowView(bySize))
    #expect(list.update { $0.orderCount } == 0)
    list.switchSubscription(from: nil, to: RowView(bySize))
    _ = try await list.window(bySize, for: window)
    list.switchSubscription(from: RowView(bySize), to: nil)
    list.switchSubscription(from: RowView(bySize), to: RowView(bySize))
    #expect(list.update { $0.orderCount } == 1)
    list.switchSubscription(from: RowView(bySize), to: nil)
    list.switchSubscription(from: RowView(bySize), to: nil)
    #expect(try await world.ids(bySize) == [1, 2, 3])
    #expect(world.archive.orderCount == 1)
    list.update { $0.dropIdleOrders(rowCountMax: 0) }
    #expect(list.update { $0.orderCount } == 0)
  }

  @Test func `an abandoned order follows the list and is dropped when it drifts`()
    async throws
  {
    let world = try ListWorld(
      dormant: (1...40).map { try ListWorld.record($0) }, driftMax: 10)
    let list = world.list
    #expect(try await world.ids(bySize).count == 40)
    list.update { $0.update(running(41, size: 1)) }
    #expect(try await world.ids(bySize).last == 41)
    for number in 42...54 { list.update { $0.update(running(Int64(number), size: 2)) } }
    #expect(list.update { $0.orderCount } == 0)
    #expect(try await world.ids(bySize).count == 54)
    #expect(world.archive.orderCount == 2)
  }

  @Test func `orders that were abandoned first are dropped first`() async throws {
    let world = try dormant(3)
    let list = world.list
    let byTitle = Viewport(sort: RowSort(key: .title), count: 3)
    for viewport in [bySize, byTitle, bySize] { _ = try await list.window(viewport) }
    #expect(world.archive.orderCount == 2)
    list.update { $0.dropIdleOrders(rowCountMax: 5) }
    _ = try await list.window(bySize)
    #expect(world.archive.orderCount == 2)
    _ = try await list.window(byTitle)
    #expect(world.archive.orderCount == 3)
  }

  @Test func `a drifted order is compacted without the store, or dropped if unused`()
    async throws
  {
    let world = try ListWorld(
      dormant: (1...40).map { try ListWorld.record($0) }, driftMax: 10)
    let list = world.list
    let window = list.update { $0.openWindow() }
    list.switchSubscription(from: nil, to: RowView(bySize))
    _ = try await list.window(bySize, for: window)
    _ = try await list.window(bySize, for: window)
    for id in Int64(1)...11 {
      try world.load(id)
      list.update { $0.update(running(id, size: 100 - id)) }
    }
    await ordersMade(by: list)
    let expected = Array(Int64(12)...40) + (Int64(1)...11).reversed()
    #expect(try await list.window(bySize, for: window)?.rows.map(\.id.rawValue) == expected)
    let driftCount = list.update { $0.subscription(to: RowView(bySize))?.index?.order.driftCount }
    #expect(driftCount.map { $0 <= 10 } == true)
    #expect(world.archive.orderCount == 1)
    // No rows were requested since it was made.
    list.update { table in for id in Int64(50)...90 { table.update(running(id, size: 1)) } }
    await ordersMade(by: list)
    list.update { table in for id in Int64(91)...150 { table.update(running(id, size: 1)) } }
    #expect(list.update { $0.orderCount } == 0)
  }

  /// Waits until all requested orders are made: they are made one by one.
  private func ordersMade(by list: RowList) async {
    await withCheckedContinuation { made in list.orders.async { made.resume() } }
  }

  // MARK: Selections

  @Test func `matching ids include loaded and stored transfers`() async throws {
    let world = try dormant(9)
    try world.load(4)
    world.list.update { $0.update(running(4, size: 1)) }
    world.list.update { $0.update(running(10, size: 1)) }
    let queued = try await world.list.matching(
      RowFilter(states: [.queued]), except: [TransferID(rawValue: 2)])
    #expect(queued.map(\.rawValue) == [1, 3, 5, 6, 7, 8, 9])
    let underWay = try await world.list.matching(RowFilter(states: [.running]), except: [])
    #expect(underWay.map(\.rawValue) == [4, 10])
  }
}
