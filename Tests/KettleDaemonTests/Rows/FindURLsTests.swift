import KettleControl
import KettleModel
import Testing

@testable import KettleDaemon

struct FindURLsTests {
  private func row(_ id: Int64, url: String, _ state: TransferState) -> TransferSnapshot {
    TransferSnapshot(
      id: TransferID(rawValue: id), session: .kettle, taskIdentifier: id, title: "", url: url,
      state: state, createdAt: WallTime(millisecondsSince1970: id))
  }

  @Test func `the first transfer with a URL is found`() async throws {
    let world = try ListWorld(
      awake: (1...9).map { row($0, url: "http://a/\($0 % 3)", $0 == 2 ? .completed : .running) })
    let found = try await world.list.find(["http://a/2", "http://a/0", "http://a/9"])
    #expect(
      found == [
        .init(url: "http://a/2", id: TransferID(rawValue: 2), state: .completed),
        .init(url: "http://a/0", id: TransferID(rawValue: 3), state: .running),
      ])
    world.list.update { $0.remove(TransferID(rawValue: 2)) }
    #expect(try await world.list.find(["http://a/2"]).map(\.id.rawValue) == [5])
    #expect(try await world.list.find([]) == [])
  }

  @Test func `stored and loaded transfers are found`() async throws {
    let world = try ListWorld(
      dormant: [try ListWorld.record(1), try ListWorld.record(2), try ListWorld.record(3)])
    try world.load(2)
    try world.load(3)
    world.list.update { $0.update(row(2, url: "http://files.example/2", .running)) }
    world.list.update { $0.update(row(3, url: "http://elsewhere.example/", .running)) }
    let found = try await world.list.find(Set((1...3).map { "http://files.example/\($0)" }))
    #expect(found.map(\.id.rawValue) == [1, 2])
    #expect(found.map(\.state) == [.queued, .running])
    world.list.update { $0.remove(TransferID(rawValue: 2)) }
    #expect(try await world.list.find(["http://files.example/2"]) == [])
  }

  @Test func `a transfer evicted or cleared while the store is read is found`() async throws {
    let world = try ListWorld(dormant: [
      ListWorld.record(1), ListWorld.record(2, name: "", .completed),
    ])
    try world.load(1)
    world.archive.whenAsked {
      world.list.update { table in
        table.evict([TransferID(rawValue: 1)])
        table.clear(upTo: 9)
      }
    }
    let found = try await world.list.find(Set((1...2).map { "http://files.example/\($0)" }))
    #expect(found.map(\.id.rawValue) == [1, 2])
  }

  @Test func `a transfer removed while the store is read is not found`() async throws {
    let world = try ListWorld(dormant: [ListWorld.record(1)])
    world.archive.whenAsked {
      try? world.load(1)
      world.list.update { $0.remove(TransferID(rawValue: 1)) }
    }
    #expect(try await world.list.find(["http://files.example/1"]) == [])
  }
}
