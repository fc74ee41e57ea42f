import KettleEngine
import KettleModel
import KettleScheduler
import TestSupport
import Testing

/// The engine's interface for programs: when a call returns, and what is on disk by then.
@Suite(.timeLimit(.minutes(5)))
struct TaskEngineTests {
  private let app = SessionID(rawValue: "app")

  private func spec(_ text: String = "http://files.example/a.iso") -> TransferSpec {
    var spec = EngineWorld.spec(text)
    spec.session = app
    // These tests do not depend on where the files of tasks are held.
    spec.directory = EngineWorld.documents
    spec.task = TaskOptions(kind: .download)
    return spec
  }

  private func flowing(
    _ world: EngineWorld, total: Int, entityTag: String? = "\"v1\""
  ) async throws -> (TransferID, AttemptID) {
    let id = try await world.engine.add([spec()])[0]
    let attempt = await world.transport.request(1).id
    var headers = ["Content-Length": "\(total)"]
    headers["ETag"] = entityTag
    world.transport.head(attempt, 200, headers)
    await world.transport.called { $0.contains(.accept(attempt)) }
    return (id, attempt)
  }

  private func completedAndHeld(
    _ world: EngineWorld, request number: Int
  ) async throws -> TransferID {
    var held = spec()
    held.directory = nil
    let id = try await world.engine.add([held])[0]
    let attempt = await world.transport.request(number).id
    world.transport.head(attempt, 200, ["Content-Length": "3"])
    await world.transport.called { $0.contains(.accept(attempt)) }
    world.transport.body(attempt, [1, 2, 3])
    world.transport.end(attempt, .complete)
    await world.told.wait(for: .completed, of: id)
    return id
  }

  private func setAside(_ world: EngineWorld) async throws -> ResumeToken {
    let (id, attempt) = try await flowing(world, total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    _ = await world.engine.cancelTasks([id], keepsBytes: true)
    let tokens = await world.engine.acknowledgeTasks([id], keepsResumeData: true)
    return try #require(tokens.first)
  }

  @Test func `a cancel that keeps no bytes deletes the partial file before it returns`()
    async throws
  {
    let world = try await EngineWorld()
    let (id, attempt) = try await flowing(world, total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    #expect(await world.engine.cancelTasks([id], keepsBytes: false) == [.applied])
    #expect(world.files.paths.isEmpty)
    #expect(world.journal.records[id]?.failure?.code == .cancelled)
  }

  @Test func `the end of a task is reported once, after it is committed`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await flowing(world, total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    _ = await world.engine.cancelTasks([id], keepsBytes: true)
    await world.told.wait(for: .failed, of: id)
    #expect(world.told.states(of: id).filter { $0 == .failed }.count == 1)
    #expect(world.journal.records[id]?.resumeData?.durable.byteCount == 4)
  }

  @Test func `an acknowledge removes the record and the partial file before it returns`()
    async throws
  {
    let world = try await EngineWorld()
    let (id, attempt) = try await flowing(world, total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    _ = await world.engine.cancelTasks([id], keepsBytes: true)
    #expect(world.files.paths.count == 1)
    #expect(await world.engine.acknowledgeTasks([id], keepsResumeData: false).isEmpty)
    #expect(world.files.paths.isEmpty)
    #expect(world.journal.records[id] == nil)
  }

  @Test func `an acknowledge of a completed task deletes its held file before it returns`()
    async throws
  {
    let world = try await EngineWorld()
    let id = try await completedAndHeld(world, request: 1)
    #expect(world.files.paths.count == 1)
    _ = await world.engine.acknowledgeTasks([id], keepsResumeData: false)
    #expect(world.files.paths.isEmpty)
    // Queued after the commit in progress.
    try await world.engine.keep([])
    #expect(world.journal.records[id] == nil)
  }

  // A task with another executor preference leaves the engine at every potential suspension point.
  @Test func `an acknowledge returns even if its work completes before it starts to wait`()
    async throws
  {
    let world = try await EngineWorld()
    let elsewhere = WorkerPool("elsewhere", width: 2)
    for number in 1...200 {
      let id = try await completedAndHeld(world, request: number)
      await Task(executorPreference: elsewhere) {
        _ = await world.engine.acknowledgeTasks([id], keepsResumeData: false)
      }.value
    }
    try await world.engine.keep([])
    #expect(world.journal.records.isEmpty)
  }

  @Test
  func `a held file left by a killed service is deleted at the next start`()
    async throws
  {
    let world = try await EngineWorld()
    let path = EngineWorld.held + "/a.iso"
    world.files.makeDirectory(EngineWorld.held)
    world.files.put([1, 2, 3], at: path)
    var held = spec()
    held.directory = nil
    held.beginning = .idle
    let id = try await world.engine.add([held])[0]
    var record = try #require(world.journal.records[id])
    record.state = .completed
    record.finishedFile = FinishedFile(path: path, identity: nil)
    record.resumeData = ResumeData(
      partialPath: path, device: 1, inode: 1, durable: ByteRangeSet(), totalByteCount: nil,
      validator: nil, finalName: "a.iso")
    try world.journal.commit([.put(record)])
    let next = try await EngineWorld(after: world)
    await next.told.wait { events in
      events.contains { if case .removed(let row) = $0 { row.id == id } else { false } }
    }
    #expect(next.files.paths.isEmpty)
    try await next.engine.keep([])
    #expect(next.journal.records.isEmpty)
  }

  @Test func `an acknowledge waits for a cancel in progress`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await flowing(world, total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    async let cancelled = world.engine.cancelTasks([id], keepsBytes: true)
    await world.transport.called { $0.contains(.cancel(attempt)) }
    let tokens = await world.engine.acknowledgeTasks([id], keepsResumeData: true)
    #expect(await cancelled == [.applied])
    #expect(tokens.map(\.id) == [id])
    #expect(tokens.allSatisfy { $0.secret.count == 32 })
    #expect(world.journal.records[id]?.task?.resumeToken == tokens.first)
    #expect(await world.engine.tasks(of: app).isEmpty)
  }

  @Test func `an acknowledge returns the resume tokens that were already created`() async throws {
    let world = try await EngineWorld()
    let (id, attempt) = try await flowing(world, total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    _ = await world.engine.cancelTasks([id], keepsBytes: true)
    let tokens = await world.engine.makeTokens(for: [id])
    #expect(tokens.map(\.id) == [id])
    #expect(world.journal.records[id]?.task?.resumeToken == tokens.first)
    #expect(await world.engine.tasks(of: app).map(\.snapshot.state) == [.failed])
    #expect(await world.engine.acknowledgeTasks([id], keepsResumeData: true) == tokens)
    #expect(await world.engine.tasks(of: app).isEmpty)
  }

  @Test func `a new task resumes from the partial file of the old one`() async throws {
    let world = try await EngineWorld()
    let token = try await setAside(world)
    var again = spec()
    again.task?.resumes = token
    let id = try await world.engine.add([again])[0]
    #expect(world.journal.records[token.id] == nil)
    #expect(
      world.told.all.contains {
        if case .removed(let row) = $0 { row.id == token.id } else { false }
      })
    let request = await world.transport.request(2)
    #expect(request.headers.contains(HeaderField(received: "Range", "bytes=4-")))
    world.transport.head(
      request.id, 206,
      ["Content-Range": "bytes 4-9/10", "Content-Length": "6", "ETag": "\"v1\""])
    await world.transport.called { $0.contains(.accept(request.id)) }
    world.transport.body(request.id, [5, 6, 7, 8, 9, 10])
    world.transport.end(request.id, .complete)
    await world.told.wait(for: .completed, of: id)
    #expect(world.files.paths == ["/home/u/Downloads/a.iso"])
    #expect(
      world.files.bytes(at: "/home/u/Downloads/a.iso")?.elementsEqual(1...10) == true)
    let row = await world.engine.tasks(of: app).first?.snapshot
    #expect(row?.task?.resumedAtByteCount == 4)
  }

  @Test func `a failed commit of a takeover leaves the old partial file resumable`() async throws {
    let world = try await EngineWorld()
    let token = try await setAside(world)
    var again = spec()
    again.task?.resumes = token
    world.journal.failNextCommits(1, with: StoreFull())
    await #expect(throws: EngineError.self) { _ = try await world.engine.add([again]) }
    #expect(world.files.paths.count == 1)
    _ = try await world.engine.add([again])
    let request = await world.transport.request(2)
    #expect(request.headers.contains(HeaderField(received: "Range", "bytes=4-")))
  }

  private struct StoreFull: Error {}

  @Test func `start all and stop all skip tasks that have ended`() async throws {
    let world = try await EngineWorld()
    let token = try await setAside(world)
    let (ids, cancelled) = (
      await world.engine.selection(for: .start), await world.engine.selection(for: .stop)
    )
    #expect(ids.isEmpty)
    #expect(cancelled.isEmpty)
    #expect(await world.engine.selection(for: .remove(.stays)) == [token.id])
  }

  @Test func `start all does not override the conditions of a task`() async throws {
    let world = try await EngineWorld()
    await world.engine.conditionsChanged([])
    var waiting = spec()
    waiting.task?.conditions = [.mainsPower]
    let id = try await world.engine.add([waiting])[0]
    #expect(await world.engine.selection(for: .start).isEmpty)
    await world.engine.conditionsChanged([.mainsPower])
    await world.told.wait(for: .running, of: id)
  }

  @Test func `a server challenge reaches the program and its answer reaches the transport`()
    async throws
  {
    let world = try await EngineWorld()
    let id = try await world.engine.add([spec("https://files.example/a.iso")])[0]
    let refused = await world.transport.request(1)
    #expect(refused.serverTrust == .system)
    let failure = TransferFailure(.tlsRefused, on: "files.example")
    world.transport.end(refused.id, .failed(failure))
    // The next attempt reads the certificate for the program.
    let first = await world.transport.request(2)
    #expect(first.serverTrust == .keys([], asksForOthers: false))
    var challenge = ServerChallenge(
      kind: .serverTrust, origin: "https://files.example", failureCount: 0)
    challenge.serverKey = "ab12"
    world.transport.end(first.id, .untrusted(failure, challenge))
    await world.told.wait(for: .waiting, of: id)
    #expect(await world.engine.tasks(of: app).first?.snapshot.task?.challenge == challenge)
    #expect(await world.engine.answerChallenge(of: id, challenge, .trust) == .applied)
    let second = await world.transport.request(3)
    #expect(second.serverTrust == .keys(["ab12"], asksForOthers: false))
    #expect(world.journal.records[id]?.spec.task?.credentials.first?.trustedKeys == ["ab12"])
  }

  @Test func `a drop removes the records and files of the session before it returns`() async throws
  {
    let world = try await EngineWorld()
    let (id, attempt) = try await flowing(world, total: 10)
    world.transport.body(attempt, [1, 2, 3, 4])
    #expect(await world.engine.drop(app) == [id])
    #expect(world.files.paths.isEmpty)
    #expect(world.journal.records.isEmpty)
  }

  @Test func `an adopt makes the transfers the user's own before it returns`() async throws {
    let world = try await EngineWorld()
    let (id, _) = try await flowing(world, total: 10)
    #expect(await world.engine.adopt(app) == [id])
    #expect(world.journal.records[id]?.spec.session == .kettle)
    #expect(world.journal.records[id]?.task == nil)
    #expect(await world.engine.tasks(of: app).isEmpty)
    #expect(await world.engine.lastTaskIdentifier(of: app) == 1)
  }

  @Test func `sessions are stored and recovered after a restart`() async throws {
    let world = try await EngineWorld()
    let record = SessionRecord(
      id: app, options: SessionOptions(launch: nil),
      createdAt: WallTime(millisecondsSince1970: 1))
    try await world.engine.keep([.putSession(record)])
    #expect(try await EngineWorld(after: world).recovered.sessions == [record])
    world.journal.failNextCommits(1, with: StoreFull())
    await #expect(throws: EngineError.self) {
      try await world.engine.keep([.removeSession(app)])
    }
  }

  @Test func `a task update is committed before it returns`() async throws {
    let world = try await EngineWorld()
    let (id, _) = try await flowing(world, total: 10)
    var changes = TaskChanges()
    changes.programData = "{}"
    #expect(await world.engine.updateTask(id, changes) == .applied)
    #expect(world.journal.records[id]?.spec.task?.programData == "{}")
    #expect(
      await world.engine.updateTask(TransferID(rawValue: 99), changes) == .refused(.unknown))
  }
}
