import BackgroundTransfer
import Foundation
import KettleControl
import KettleModel
import KettleSocket
import TestSupport
import Testing

/// Commands of the user for the tasks of a program, over the real service.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct HandsOnTests {
  private let home: SessionHome
  private let origin: ScriptedOrigin
  private let told = Told()
  private let body = SeededBody(seed: 10, byteCount: 300_000)

  init() throws {
    home = try SessionHome()
    origin = try ScriptedOrigin()
    let whole = OriginBehavior(body)
    origin.serve(
      [whole.with { $0.stall = .init(after: 100_000, until: "go") }, whole], at: "/a.bin")
  }

  private func halfDone(_ session: URLSession) async throws -> URLSessionDownloadTask {
    let task = session.downloadTask(with: try origin.address("/a.bin"))
    task.resume()
    try await told.wait(for: "wrote 1 100000/")
    return task
  }

  @Test func `pause and start by the user make no delegate calls`() async throws {
    let session = home.session(told)
    let task = try await halfDone(session)
    let id = try await home.id(of: task)
    #expect(try await home.kettle("pause", id).code == 0)
    #expect(await task.waits(for: .user))
    #expect(task.state == .running)
    #expect(try await home.kettle("start", id).code == 0)
    try await told.expect(
      ["wrote 1 300000/300000", "finished 1 200", "completed 1 nil", "invalid"], of: session)
    #expect(told.file(of: task)?.elementsEqual(body.bytes) == true)
  }

  @Test func `stop by the user discards the bytes, and the next start begins from zero`()
    async throws
  {
    let session = home.session(told)
    let task = try await halfDone(session)
    let id = try await home.id(of: task)
    #expect(try await home.kettle("stop", id).code == 0)
    #expect(await task.waits(for: .user))
    #expect(try await home.kettle("start", id).code == 0)
    try await told.expect(
      ["wrote 1 300000/300000", "finished 1 200", "completed 1 nil", "invalid"], of: session)
    #expect(origin.beginnings(at: "/a.bin") == 2)
  }

  @Test func `remove by the user completes the task with -999 and the reason`() async throws {
    let session = home.session(told)
    let task = try await halfDone(session)
    #expect(try await home.kettle("remove", try await home.id(of: task)).code == 0)
    try await told.expect(["wrote 1 100000/300000", "completed 1 -999", "invalid"], of: session)
    #expect(told.error(of: task)?.backgroundTaskCancelledReason == .userForceQuitApplication)
    #expect(told.error(of: task)?.downloadTaskResumeData == nil)
  }

  // MARK: While the program is away

  /// Leaves a running task of a program that has exited, and returns its transfer ID.
  private func leave(_ identifier: String) async throws -> String {
    #expect(try await home.kettle("daemon", "start").code == 0)
    let service = try await home.connect()
    let id = SessionID(rawValue: identifier)
    let options = SessionOptions(
      launch: nil, sendsLaunchEvents: false, connectionsPerHostMax: 1)
    _ = try await service.call(AttachSession.self, .init(session: id, options: options))
    var spec = TransferSpec(url: try origin.url("/a.bin"))
    spec.session = id
    spec.task = TaskOptions(kind: .download)
    let ids = try await service.call(AddTransfers.self, .init(transfers: [spec])).ids
    await service.close()
    try await origin.waitForBytesSent(100_000, at: "/a.bin")
    return try #require(ids.first?.description)
  }

  @Test func `a task removed in the program's absence is reported when the program returns`()
    async throws
  {
    let identifier = UUID().uuidString
    let id = try await leave(identifier)
    #expect(try await home.kettle("remove", id).code == 0)
    let session = home.session(told, identifier)
    let tasks = await session.allTasks
    #expect(try await told.wait(for: "completed") == ["completed 1 -999"])
    #expect(tasks.allSatisfy { $0.taskIdentifier == 1 })
    #expect(
      told.state.read { $0.errors[1] }?.backgroundTaskCancelledReason == .userForceQuitApplication)
    try await told.expect(["completed 1 -999", "invalid"], of: session)
  }

  @Test func `a task paused in the program's absence resumes when the user starts it`()
    async throws
  {
    let identifier = UUID().uuidString
    let id = try await leave(identifier)
    #expect(try await home.kettle("pause", id).code == 0)
    let session = home.session(told, identifier)
    let task = try #require(await session.allTasks.first)
    #expect(task.taskIdentifier == 1)
    #expect(task.originalRequest?.url == (try origin.address("/a.bin")))
    #expect(try await home.kettle("start", id).code == 0)
    try await told.expect(
      ["wrote 1 300000/300000", "finished 1 200", "completed 1 nil", "invalid"], of: session)
  }

  @Test func `events in the program's absence are reported in order`() async throws {
    let identifier = UUID().uuidString
    _ = try await leave(identifier)
    origin.release("go")
    #expect(try await home.kettle("wait", "--all", "--timeout", "20").code == 0)
    let session = home.session(told, identifier)
    try await told.expect(["finished 1 200", "completed 1 nil", "invalid"], of: session)
    #expect(told.state.read { $0.files[1] }?.elementsEqual(body.bytes) == true)
    #expect(home.heldFiles.isEmpty)
  }

  @Test func `a program that returns to invalidate its session cancels its earlier tasks`()
    async throws
  {
    let identifier = UUID().uuidString
    _ = try await leave(identifier)
    let session = home.session(told, identifier)
    session.invalidateAndCancel()
    #expect(try await told.wait(for: "invalid") == ["completed 1 -999", "invalid"])
    #expect(try await home.rows().isEmpty)
  }

  @Test func `an adopted session becomes the user's, and its program gets a new one`()
    async throws
  {
    let identifier = UUID().uuidString
    let id = try await leave(identifier)
    origin.release("go")
    #expect(try await home.kettle("wait", id, "--timeout", "20").code == 0)
    let adopted = try await home.kettle("session", "adopt", identifier)
    #expect(adopted.code == 0, "\(adopted.said)")
    let row = try #require(try await home.rows().first)
    #expect(row["session"] as? String == "kettle")
    let path = try #require(row["path"] as? String)
    #expect(body.difference(fromFileAt: path) == nil)
    let session = home.session(told, identifier)
    #expect(await session.allTasks.isEmpty)
    let task = session.downloadTask(with: try origin.address("/a.bin"))
    task.resume()
    let number = task.taskIdentifier
    try await told.expect(
      [
        "wrote \(number) 300000/300000", "finished \(number) 200", "completed \(number) nil",
        "invalid",
      ], of: session)
  }

  @Test func `a dropped session is deleted with its tasks and files`() async throws {
    let identifier = UUID().uuidString
    _ = try await leave(identifier)
    #expect(try await home.kettle("session", "drop", identifier, "--yes").code == 0)
    #expect(try await home.rows().isEmpty)
    #expect(home.heldFiles.isEmpty)
    let session = home.session(told, identifier)
    #expect(await session.allTasks.isEmpty)
    try await told.expect(["invalid"], of: session)
  }

  @Test(arguments: ["adopt", "drop"])
  func `a session in use cannot be adopted or dropped`(verb: String) async throws {
    let identifier = UUID().uuidString
    let session = home.session(told, identifier)
    let task = try await halfDone(session)
    let yes = verb == "drop" ? ["--yes"] : []
    let refused = try await home.kettle(["session", verb, identifier] + yes)
    #expect(refused.code == 2, "\(refused.said)")
    #expect(refused.said.contains("\(getpid())"), "\(refused.said)")
    task.cancel()
    try await told.expect(["wrote 1 100000/300000", "completed 1 -999", "invalid"], of: session)
  }
}
