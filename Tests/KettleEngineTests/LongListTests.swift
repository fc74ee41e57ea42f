import KettleModel
import KettleScheduler
import Testing
import TestSupport

@testable import KettleEngine

/// Long lists: all or none, in several turns of the engine.
@Suite(.timeLimit(.minutes(5)))
struct LongListTests {
  private struct DiskFull: Error {}

  private let pageCount = TransferEngine.addedInTurnCountMax

  private func specs(_ count: Int) -> [TransferSpec] {
    (0..<count).map { number in
      var spec = EngineWorld.spec("http://files.example/\(number)")
      spec.beginning = .paused
      return spec
    }
  }

  private func added(_ id: TransferID) -> @Sendable (EngineEvent) -> Bool {
    { event in
      switch event {
      case .added(let row): row.id == id
      case .listed(let listed): listed.rows.contains { $0.id == id }
      case .recovered, .loaded, .evicted, .changed, .progress, .removed, .cleared, .uncovered,
        .limited, .queues, .hooksDue:
        false
      }
    }
  }

  @Test func `a long list is one commit, and others have turns while it is added`() async throws {
    let world = try await EngineWorld()
    let first = TransferID(rawValue: 1)
    let isAdded = added(first)
    world.told.react { [engine = world.engine] event in
      // Arrives after the first page, and waits for its turn like a request of another client.
      if isAdded(event) { engine.post(.committed([], announce: [first], kept: [])) }
    }
    let count = 2 * pageCount + 7
    let ids = try await world.engine.add(specs(count))
    #expect(ids == (1...Int64(count)).map(TransferID.init(rawValue:)))
    #expect(world.journal.commits.first?.count == count)
    let events = world.told.all
    let turn = try #require(
      events.firstIndex { if case .changed(let row) = $0 { row.id == first } else { false } })
    let secondPage = try #require(
      events.firstIndex(where: added(TransferID(rawValue: Int64(pageCount) + 1))))
    #expect(turn < secondPage)
  }

  @Test func `lists that are added at the same time do not mix`() async throws {
    let world = try await EngineWorld()
    let lists = [specs(2 * pageCount + 1), specs(3), specs(pageCount + 1), specs(1)]
    let added = try await withThrowingTaskGroup(of: [TransferID].self) { group in
      for list in lists { group.addTask { try await world.engine.add(list) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    for ids in added {
      let first = try #require(ids.first).rawValue
      #expect(ids.map(\.rawValue) == Array(first..<first + Int64(ids.count)))
    }
    #expect(Set(added.joined()).count == lists.joined().count)
    let told = world.told.all.compactMap { event -> [TransferID]? in
      switch event {
      case .added(let row): [row.id]
      case .listed(let listed): listed.rows.map(\.id)
      case .recovered, .loaded, .evicted, .changed, .progress, .removed, .cleared, .uncovered,
        .limited, .queues, .hooksDue:
        nil
      }
    }
    #expect(told.joined().elementsEqual(told.joined().sorted()))
  }

  @Test func `a long list that cannot be stored is not added in part`() async throws {
    let world = try await EngineWorld()
    world.journal.failNextCommits(1, with: DiskFull())
    await #expect(throws: EngineError.self) {
      _ = try await world.engine.add(specs(2 * pageCount))
    }
    #expect(world.journal.records.isEmpty)
    #expect(world.told.all.count == 1)
    #expect(try await world.engine.add(specs(pageCount + 1)).count == pageCount + 1)
  }
}
