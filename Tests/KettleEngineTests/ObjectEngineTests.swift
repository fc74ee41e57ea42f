import KettleModel
import KettleScheduler
import TestSupport
import Testing

@testable import KettleEngine

/// Files whose destination is an object store.
@Suite(.timeLimit(.minutes(5)))
struct ObjectEngineTests {
  private static let prefix = "s3://data/raw"
  private static let object = prefix + "/a.iso"
  private static let staged = EngineWorld.documents + "/a.iso.part"
  /// More than one request carries.
  private static let large = 9 << 20

  private func spec(_ change: (inout TransferSpec) -> Void = { _ in }) -> TransferSpec {
    var spec = EngineWorld.spec()
    spec.directory = Self.prefix
    change(&spec)
    return spec
  }

  /// A transfer whose bytes have all arrived.
  private func arrived(
    in world: EngineWorld, byteCount: Int = large,
    _ change: (inout TransferSpec) -> Void = { _ in }
  ) async throws -> TransferID {
    let id = try await world.engine.add([spec(change)])[0]
    let attempt = await world.transport.request(1).id
    world.transport.head(attempt, 200, ["Content-Length": "\(byteCount)", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.accept(attempt)) }
    world.transport.body(attempt, [UInt8](repeating: 7, count: byteCount))
    world.transport.end(attempt, .complete)
    return id
  }

  /// Files are removed on other threads.
  private func settle(_ world: EngineWorld, until isSettled: () -> Bool) async {
    while !isSettled() { _ = await world.engine.details(of: TransferID(rawValue: 1)) }
  }

  @Test func `a large file is sent in parts and leaves nothing here`() async throws {
    let store = InMemoryObjectStore()
    let world = try await EngineWorld(objects: store)
    let id = try await arrived(in: world)
    await world.told.wait(for: .completed, of: id)
    #expect(store.objects.keys.sorted() == [Self.object])
    #expect(store.callCount(.send) == 1)
    #expect(store.uploadIDs.isEmpty)
    await settle(world) { world.files.paths.isEmpty }
    let row = try #require(await world.engine.details(of: id)).snapshot
    #expect(row.path == Self.object)
    #expect(row.bytesReceived == Int64(Self.large))
    #expect(row.bytesExpected == Int64(Self.large))
    #expect(store.callCount(.abort) == 0)
  }

  @Test func `a small file is stored in one request`() async throws {
    let store = InMemoryObjectStore()
    let world = try await EngineWorld(objects: store)
    let id = try await arrived(in: world, byteCount: 4)
    await world.told.wait(for: .completed, of: id)
    #expect(store.objects[Self.object]?.byteCount == 4)
    #expect(store.callCount(.begin) == 0)
    await settle(world) { world.files.paths.isEmpty }
  }

  @Test func `the upload is in the store before a part is sent`() async throws {
    let store = InMemoryObjectStore()
    let world = try await EngineWorld(objects: store)
    let gate = store.holdSending()
    let id = try await arrived(in: world)
    await gate.reached()
    #expect(world.journal.records[id]?.resumeData?.upload?.uploadID == "u1")
    // Nobody knows how fast the store is.
    #expect(await world.engine.details(of: id)?.snapshot.readyAt == nil)
    await world.told.wait { events in
      events.contains { event in
        if case .changed(let row) = event { row.storedByteCount == 8 << 20 } else { false }
      }
    }
    gate.open()
    await world.told.wait(for: .completed, of: id)
  }

  @Test func `a pause stops the upload and a start continues it`() async throws {
    let store = InMemoryObjectStore()
    let world = try await EngineWorld(objects: store)
    let gate = store.holdSending()
    let id = try await arrived(in: world)
    await gate.reached()
    #expect(await world.engine.control(.pause, [id]) == [.applied])
    gate.open()
    #expect(await world.engine.details(of: id)?.snapshot.state == .paused)
    _ = await world.engine.control(.start, [id])
    await world.told.wait(for: .completed, of: id)
    #expect(store.callCount(.begin) == 1)
    #expect(store.callCount(.send) == 2)
  }

  @Test func `a service that ends continues the upload at its next start`() async throws {
    let store = InMemoryObjectStore()
    let first = try await EngineWorld(objects: store)
    store.fail(.send, with: TransferFailure(.storeUnavailable, on: Self.object))
    let id = try await arrived(in: first)
    await first.told.wait(for: .waiting, of: id)
    await first.engine.shutDown()
    let second = try await EngineWorld(after: first, objects: store)
    await second.advance(milliseconds: 80_000)
    await second.told.wait(for: .completed, of: id)
    #expect(store.callCount(.begin) == 1)
    #expect(store.objects.keys.sorted() == [Self.object])
    #expect(second.transport.requests.count == 0)
  }

  @Test func `the end of the service does not fail an upload`() async throws {
    let store = InMemoryObjectStore()
    let world = try await EngineWorld(objects: store)
    let gate = store.holdSending()
    let id = try await arrived(in: world)
    await gate.reached()
    async let end: Void = world.engine.shutDown()
    // The inbox is open for a while after the work was stopped.
    await world.engine.turn()
    gate.open()
    await end
    #expect(world.journal.records[id]?.state != .failed)
    #expect(world.journal.records[id]?.resumeData?.upload?.uploadID == "u1")
  }

  @Test func `a file whose end a crash has left unrecorded is stored, and not fetched again`()
    async throws
  {
    let store = InMemoryObjectStore()
    let first = try await EngineWorld(objects: store)
    store.fail(.send, with: TransferFailure(.storeUnavailable, on: Self.object))
    let id = try await arrived(in: first)
    await first.told.wait(for: .waiting, of: id)
    await first.engine.shutDown()
    var record = try #require(first.journal.records[id])
    record.resumeData?.lastWriteNanoseconds = nil
    try first.journal.commit([.put(record)])
    let second = try await EngineWorld(after: first, objects: store)
    await second.advance(milliseconds: 80_000)
    await second.told.wait(for: .completed, of: id)
    #expect(second.transport.requests.isEmpty)
    #expect(store.objects[Self.object]?.modifiedNanoseconds != 0)
  }

  @Test func `a file on its way to a store keeps its slot`() async throws {
    let store = InMemoryObjectStore()
    let world = try await EngineWorld(objects: store) { $0.limits.runningMax = 1 }
    let gate = store.holdSending()
    let id = try await arrived(in: world)
    await gate.reached()
    let other = try await world.engine.add([EngineWorld.spec("http://other.example/b")])[0]
    #expect(await world.engine.details(of: other)?.snapshot.state == .queued)
    gate.open()
    await world.told.wait(for: .completed, of: id)
    await world.told.wait(for: .running, of: other)
  }

  @Test func `removal aborts the upload`() async throws {
    let store = InMemoryObjectStore()
    let world = try await EngineWorld(objects: store)
    let gate = store.holdSending()
    let id = try await arrived(in: world)
    await gate.reached()
    _ = await world.engine.control(.remove(.stays), [id])
    gate.open()
    await settle(world) { store.callCount(.abort) == 1 }
    #expect(store.uploadIDs.isEmpty)
    #expect(store.objects.isEmpty)
  }

  @Test func `an object is never deleted with its transfer`() async throws {
    let store = InMemoryObjectStore()
    let world = try await EngineWorld(objects: store)
    let id = try await arrived(in: world, byteCount: 4)
    await world.told.wait(for: .completed, of: id)
    _ = await world.engine.control(.remove(.goes), [id])
    #expect(store.objects.keys.sorted() == [Self.object])
  }

  @Test func `an object is compared with what its store has`() async throws {
    let store = InMemoryObjectStore()
    let world = try await EngineWorld(objects: store)
    let id = try await arrived(in: world, byteCount: 4)
    await world.told.wait(for: .completed, of: id)
    func finding() async -> FileCheck.Finding? {
      await world.advance(milliseconds: 1000)
      let since = world.clock.now().wall
      while true {
        let progress = await world.engine.verify([id], since: since, repairsSince: since, .report)
        if case .ended(let check)? = progress.first { return check.finding }
        if progress.first == .refused { return nil }
      }
    }
    #expect(await finding() == .intact)
    var other = try #require(store.objects[Self.object])
    other.byteCount = 5
    store.put(other, at: Self.object)
    #expect(await finding() == .edited)
    store.remove(Self.object)
    #expect(await finding() == .missing)
    store.fail(.exists, with: TransferFailure(.storeUnavailable, on: Self.object, detail: "503"))
    #expect(await finding() == .unreadable)
  }

  @Test func `a store that is away is waited for, also beyond ten attempts`() async throws {
    let store = InMemoryObjectStore()
    let world = try await EngineWorld(objects: store)
    let away = TransferFailure(.storeUnavailable, on: Self.object, detail: "503 SlowDown")
    for _ in 0..<12 { store.fail(.send, with: away) }
    let id = try await arrived(in: world)
    for count in 1...12 {
      await settle(world) { store.callCount(.send) == count }
      await world.engine.turn()
      let row = try #require(await world.engine.details(of: id)).snapshot
      #expect(row.state == .waiting)
      #expect(row.error == away)
      await world.advance(milliseconds: 80_000)
    }
    await world.told.wait(for: .completed, of: id)
    #expect(store.callCount(.begin) == 1)
    #expect(world.transport.requests.count == 1)
  }

  @Test func `a complete file is stored while the host that had it is closed`() async throws {
    let store = InMemoryObjectStore()
    let world = try await EngineWorld(objects: store)
    store.fail(.send, with: TransferFailure(.storeUnavailable, on: Self.object))
    let id = try await arrived(in: world)
    await world.told.wait(for: .waiting, of: id)
    let other = try await world.engine.add([EngineWorld.spec("http://files.example/b")])[0]
    let attempt = await world.transport.request(2).id
    world.transport.head(attempt, 503, ["Retry-After": "3600"])
    await world.transport.called { $0.contains(.cancel(attempt)) }
    world.transport.end(attempt, .cancelled)
    await world.told.wait(for: .waiting, of: other)
    await world.advance(milliseconds: 80_000)
    await world.told.wait(for: .completed, of: id)
  }

  @Test func `a refusal fails the transfer and a start continues it`() async throws {
    let store = InMemoryObjectStore()
    let world = try await EngineWorld(objects: store)
    let refusal = TransferFailure(.storeRefused, on: Self.object, detail: "403 AccessDenied")
    store.fail(.publish, with: refusal)
    let id = try await arrived(in: world, byteCount: 4)
    await world.told.wait(for: .failed, of: id)
    #expect(await world.engine.details(of: id)?.snapshot.error == refusal)
    #expect(world.files.paths == [Self.staged])
    _ = await world.engine.control(.start, [id])
    await world.told.wait(for: .completed, of: id)
    #expect(world.transport.requests.count == 1)
  }

  @Test func `an upload that the store has lost begins again`() async throws {
    let store = InMemoryObjectStore()
    let world = try await EngineWorld(objects: store)
    let gate = store.holdSending()
    let id = try await arrived(in: world)
    await gate.reached()
    store.forgetUploads()
    gate.open()
    await world.told.wait(for: .completed, of: id)
    #expect(store.callCount(.begin) == 2)
    #expect(world.transport.requests.count == 1)
  }

  @Test func `a store that loses every upload is given up`() async throws {
    let store = InMemoryObjectStore()
    let world = try await EngineWorld(objects: store)
    let gone = TransferFailure(.uploadGone, on: Self.object)
    store.fail(.send, with: gone, gone, gone, gone, gone)
    let id = try await arrived(in: world)
    await world.told.wait(for: .failed, of: id)
    #expect(await world.engine.details(of: id)?.snapshot.error == gone)
    #expect(world.files.paths == [Self.staged])
  }

  @Test func `an object that is there is not fetched again if the user wants it kept`()
    async throws
  {
    let store = InMemoryObjectStore()
    let world = try await EngineWorld(objects: store)
    let other = FileToStore(
      transfer: TransferID(rawValue: 9),
      destination: ObjectDestination(
        try #require(
          ObjectPrefix(Self.prefix))), name: "a.iso", path: "", byteCount: 1,
      modifiedNanoseconds: 0, onConflict: .rename)
    store.put(other, at: Self.object)
    let id = try await world.engine.add([spec { $0.onConflict = .skip }])[0]
    let attempt = await world.transport.request(1).id
    world.transport.head(attempt, 200, ["Content-Length": "4", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.cancel(attempt)) }
    world.transport.end(attempt, .cancelled)
    await world.told.wait(for: .completed, of: id)
    #expect(store.callCount(.publish) == 0)
    #expect(world.files.paths.isEmpty)
  }

  @Test func `a store that is away before the first byte is waited for`() async throws {
    let store = InMemoryObjectStore()
    let world = try await EngineWorld(objects: store)
    let away = TransferFailure(.connectionRefused, on: "s3.example")
    store.fail(.exists, with: away)
    let id = try await world.engine.add([spec { $0.onConflict = .skip }])[0]
    let attempt = await world.transport.request(1).id
    world.transport.head(attempt, 200, ["Content-Length": "4", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.cancel(attempt)) }
    world.transport.end(attempt, .cancelled)
    await world.told.wait(for: .waiting, of: id)
    #expect(await world.engine.details(of: id)?.snapshot.error == away)
    await world.advance(milliseconds: 80_000)
    let second = await world.transport.request(2).id
    world.transport.head(second, 200, ["Content-Length": "4", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.accept(second)) }
    world.transport.body(second, [1, 2, 3, 4])
    world.transport.end(second, .complete)
    await world.told.wait(for: .completed, of: id)
  }

  @Test func `a file of the same name in the downloads directory changes no key`() async throws {
    let store = InMemoryObjectStore()
    let world = try await EngineWorld(objects: store)
    world.files.put([1], at: EngineWorld.documents + "/a.iso")
    let id = try await arrived(in: world, byteCount: 4)
    await world.told.wait(for: .completed, of: id)
    #expect(store.objects.keys.sorted() == [Self.object])
    await settle(world) { world.files.paths == [EngineWorld.documents + "/a.iso"] }
  }

  @Test func `a path that no object can have is refused before the first byte`() async throws {
    let store = InMemoryObjectStore()
    let world = try await EngineWorld(objects: store)
    let name = String(repeating: "n", count: 255)
    let path = Array(repeating: name, count: 4).joined(separator: "/")
    // As the members of a collection get them.
    let id = try await world.engine.add([spec { $0.directory = Self.prefix + "/" + path }])[0]
    let attempt = await world.transport.request(1).id
    world.transport.head(attempt, 200, ["Content-Length": "4", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.cancel(attempt)) }
    world.transport.end(attempt, .cancelled)
    await world.told.wait(for: .failed, of: id)
    #expect(await world.engine.details(of: id)?.snapshot.error?.code == .storeRefused)
  }
}
