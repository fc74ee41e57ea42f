import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// A list that is longer than the part kept in memory.
@Suite(.timeLimit(.minutes(5)))
struct DormantEngineTests {
  private func world(
    after: EngineWorld? = nil, runningMax: Int = 1
  ) async throws -> EngineWorld {
    try await EngineWorld(after: after) { configuration in
      configuration.limits.runningMax = runningMax
      configuration.hold.evictableCountMax = 4
      configuration.hold.queuedPerHostCount = 3
      configuration.hold.queuedCountMax = 6
      configuration.hold.readAheadCount = 1
    }
  }

  private func urls(_ count: Int, host: String = "files") -> [TransferSpec] {
    (1...count).map { EngineWorld.spec("http://\(host).example/\($0)") }
  }

  /// Fails the next requests permanently, one after the other.
  private func refuse(_ count: Int, after first: Int = 0, in world: EngineWorld) async -> [String] {
    var asked: [String] = []
    for number in (first + 1)...(first + count) {
      let request = await world.transport.request(number)
      asked.append(request.url.text)
      world.transport.head(request.id, 404)
      world.transport.end(request.id, .complete)
    }
    return asked
  }

  private func sleeping(in world: EngineWorld) -> Set<TransferID> {
    var ids: Set<TransferID> = []
    for event in world.told.all {
      switch event {
      case .evicted(let evicted): ids.formUnion(evicted)
      case .listed(let listed): ids.formUnion(listed.rows.map(\.id))
      case .loaded(let row), .removed(let row): ids.remove(row.id)
      case .recovered, .added, .changed, .progress, .cleared, .uncovered, .limited, .queues,
        .hooksDue:
        break
      }
    }
    return ids
  }

  @Test func `a long queue is processed in order while most of it is dormant`() async throws {
    let world = try await world()
    let ids = try await world.engine.add(urls(40))
    #expect(sleeping(in: world).count > 30)
    let added = world.told.all.flatMap { event -> [TransferID] in
      if case .added(let row) = event { return [row.id] }
      if case .listed(let listed) = event { return listed.rows.map(\.id) }
      return []
    }
    #expect(added == ids)
    let asked = await refuse(40, in: world)
    #expect(asked == (1...40).map { "http://files.example/\($0)" })
    await world.told.wait(for: .failed, of: ids[39])
    // The last reported changes may not be committed yet.
    _ = await world.engine.control(.pause, [])
    #expect(world.journal.records.values.allSatisfy { $0.state == .failed })
  }

  @Test func `transfers of two hosts run in one queue order, loaded or dormant`() async throws {
    let world = try await world()
    let specs = urls(10) + urls(10, host: "others") + urls(5)
    _ = try await world.engine.add(specs)
    let asked = await refuse(25, in: world)
    #expect(asked == specs.map(\.url.text))
  }

  @Test func `a transfer removed while it is being loaded stays removed`() async throws {
    let world = try await world()
    let ids = try await world.engine.add(urls(30))
    let one = ids[25]
    var attempts = world.journal.attempts.makeAsyncIterator()
    _ = await attempts.next()
    world.journal.hold()
    async let removed = world.engine.control(.remove(.stays), [one])
    while let changes = await attempts.next(), !changes.contains(.remove(one)) {}
    #expect(await world.engine.details(of: one) == nil)
    world.journal.release()
    #expect(await removed == [.applied])
    #expect(world.journal.records[one] == nil)
  }

  @Test func `a transfer removed during a queue read stays removed and hides none behind it`()
    async throws
  {
    let world = try await EngineWorld { configuration in
      configuration.limits.runningMax = 1
      configuration.hold.evictableCountMax = 4
      configuration.hold.queuedPerHostCount = 3
      configuration.hold.queuedCountMax = 6
      configuration.hold.readAheadCount = 2
    }
    let gate = world.journal.holdLines()
    let ids = try await world.engine.add(urls(30))
    let first = await refuse(3, in: world)
    // One runs, one is queued in memory, and a read for the next ones is in progress.
    await gate.reached()
    #expect(await world.engine.control(.remove(.stays), [ids[4]]) == [.applied])
    gate.open()
    let rest = await refuse(26, after: 3, in: world)
    #expect(first + rest == (1...30).filter { $0 != 5 }.map { "http://files.example/\($0)" })
    #expect(world.journal.records[ids[4]] == nil)
  }

  @Test func `a fresh link moves a queued transfer to the queue of the new host`()
    async throws
  {
    let world = try await EngineWorld { $0.limits.connectionsPerHostMax = 1 }
    let ids = try await world.engine.add(urls(2))
    _ = await world.transport.request(1)
    let link = EngineWorld.spec("http://elsewhere.example/2").url
    #expect(await world.engine.start(ids[1], with: link) == .applied)
    #expect(await world.transport.request(2).url == link)
  }

  @Test func `a failed transfer that only the store has gets the link of the same file`()
    async throws
  {
    let world = try await world()
    let page = EngineWorld.spec("https://page.example/").url
    func spec(_ number: Int, at host: String) -> TransferSpec {
      var spec = EngineWorld.spec("http://\(host).example/\(number)")
      spec.name = FileName(foreign: "\(number).iso")
      spec.options.page = DownloadPage(page, byteCount: 9)
      return spec
    }
    let ids = try await world.engine.add((1...20).map { spec($0, at: "files") })
    _ = await refuse(20, in: world)
    await world.told.wait(for: .failed, of: ids[19])
    _ = await world.engine.control(.pause, [])
    #expect(sleeping(in: world).contains(ids[2]))
    var new = spec(3, at: "fresh")
    new.beginning = .paused
    let handed = try #require(await world.engine.add([new]).first)
    #expect(await world.engine.begin(handed) == .continues(ids[2]))
    #expect(await world.transport.request(21).url == new.url)
    #expect(world.journal.records[handed] == nil)
    #expect(world.journal.records[ids[2]]?.spec.options.page?.hasFreshLink == true)
  }

  @Test func `a new transfer with a higher priority overtakes dormant ones`()
    async throws
  {
    let world = try await world()
    _ = try await world.engine.add(urls(20))
    var urgent = EngineWorld.spec("http://files.example/urgent")
    urgent.priority = .high
    _ = try await world.engine.add([urgent] + urls(5, host: "others"))
    let asked = await refuse(26, in: world)
    #expect(asked[1] == "http://files.example/urgent")
    #expect(asked[2...] == ["http://files.example/2"] + asked[3...])
    #expect(Set(asked).count == 26)
    #expect(asked.last == "http://others.example/5")
  }

  @Test func `a host at its connection limit does not block a dormant transfer of another host`()
    async throws
  {
    let world = try await EngineWorld { configuration in
      configuration.limits.connectionsPerHostMax = 1
      configuration.hold.evictableCountMax = 2
      configuration.hold.queuedPerHostCount = 2
      configuration.hold.queuedCountMax = 3
    }
    let specs = urls(20) + urls(1, host: "other")
    _ = try await world.engine.add(specs)
    let second = await world.transport.request(2)
    #expect(second.url.text == "http://other.example/1")
  }

  @Test func `the queue continues where it stopped after a restart`() async throws {
    let first = try await world()
    _ = try await first.engine.add(urls(30))
    _ = await refuse(10, in: first)
    await first.transport.called { calls in
      calls.count { if case .begin = $0 { true } else { false } } >= 11
    }
    // The next transfer starts before the last failure and its time are committed.
    while first.journal.records.values.count(where: { $0.state == .failed && $0.isDormant }) < 10 {
      await Task.yield()
    }
    let second = try await world(after: first)
    guard case .recovered(let tally, _, _)? = second.told.all.first else {
      Issue.record("nothing is told of what sleeps")
      return
    }
    #expect(tally.states[.queued]?.count == 20)
    #expect(tally.states[.failed]?.count == 10)
    let asked = await refuse(20, in: second)
    #expect(asked == (11...30).map { "http://files.example/\($0)" })
  }

  @Test func `a transfer started as soon as it is loaded is first reported as it was stored`()
    async throws
  {
    let first = try await world()
    let ids = try await first.engine.add(urls(3))
    let second = try await world(after: first)
    _ = await second.transport.request(1)
    let told = second.told.all.compactMap { event -> TransferState? in
      switch event {
      case .loaded(let row), .changed(let row): row.id == ids[0] ? row.state : nil
      case .recovered, .added, .listed, .progress, .removed, .evicted, .cleared, .uncovered,
        .limited, .queues, .hooksDue:
        nil
      }
    }
    #expect(told.first == .queued)
  }

  @Test func `controls reach dormant transfers and return a result for each`() async throws {
    let world = try await world()
    let ids = try await world.engine.add(urls(30))
    let unknown = TransferID(rawValue: 999)
    let asleep = ids[20]
    #expect(sleeping(in: world).contains(asleep))
    let results = await world.engine.control(.pause, [asleep, unknown, ids[0]])
    #expect(results == [.applied, .refused(.unknown), .applied])
    #expect(world.journal.records[asleep]?.state == .paused)
    #expect(await world.engine.control(.remove(.stays), [asleep]) == [.applied])
    #expect(world.journal.records[asleep] == nil)
    #expect(await world.engine.control(.start, [asleep]) == [.refused(.unknown)])
  }

  @Test func `a control for all transfers includes dormant ones`() async throws {
    let world = try await world()
    let ids = try await world.engine.add(urls(30))
    #expect(await world.engine.controlAll(.pause) == ids)
    #expect(world.journal.records.values.allSatisfy { $0.state == .paused })
    #expect(await world.engine.controlAll(.start) == ids)
    #expect(await world.engine.controlAll(.remove(.stays)) == ids)
    #expect(world.journal.records.isEmpty)
  }

  @Test func `a dormant transfer moves ahead of its dormant neighbour`() async throws {
    let world = try await world()
    let ids = try await world.engine.add(urls(30))
    #expect(sleeping(in: world).isSuperset(of: [ids[19], ids[20]]))
    #expect(await world.engine.move([ids[20]], .up) == [.applied])
    let records = world.journal.records
    #expect(records[ids[20]]?.queuePosition == 20)
    #expect(records[ids[19]]?.queuePosition == 21)
    #expect(await world.engine.move([ids[25]], .toTop) == [.applied])
    let asked = await refuse(30, in: world)
    #expect(asked[1] == "http://files.example/26")
    #expect(asked[20...21] == ["http://files.example/21", "http://files.example/20"])
  }

  @Test func `a request for details loads a dormant transfer and reports it as loaded`()
    async throws
  {
    let world = try await world()
    let ids = try await world.engine.add(urls(30))
    let details = try #require(await world.engine.details(of: ids[22]))
    #expect(details.snapshot.state == .queued)
    #expect(details.history.map(\.text) == ["Added"])
    #expect(world.told.all.last == .loaded(details.snapshot))
  }

  @Test func `clearing counts dormant transfers`() async throws {
    let first = try await world(runningMax: 20)
    for index in 0..<12 {
      let id = try await first.engine.add(urls(1, host: "h\(index)"))[0]
      let attempt = await first.transport.request(index + 1).id
      first.transport.head(attempt, 200, ["Content-Length": "1"])
      await first.transport.called { $0.contains(.accept(attempt)) }
      first.transport.body(attempt, [1])
      first.transport.end(attempt, .complete)
      await first.told.wait(for: .completed, of: id)
    }
    #expect(!sleeping(in: first).isEmpty)
    #expect(await first.engine.clearFinished() == 12)
    #expect(await first.engine.clearFinished() == 0)
    let second = try await world(after: first)
    #expect(await second.engine.clearFinished() == 0)
  }

  @Test func `a failed store read delays the queue and loses nothing`() async throws {
    let world = try await world()
    _ = try await world.engine.add(urls(20))
    world.journal.failNextReads(1, with: Unreadable())
    let asked = await refuse(20, in: world)
    #expect(asked == (1...20).map { "http://files.example/\($0)" })
  }

  private struct Unreadable: Error {}
}
