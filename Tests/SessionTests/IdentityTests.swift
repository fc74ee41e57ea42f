import BackgroundTransfer
import Foundation
import Glibc
import KettleControl
import KettleModel
import Testing
import TestSupport

/// The identity of sessions, and which process may use one.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct IdentityTests {
  private let home: SessionHome
  private let origin: ScriptedOrigin
  private let told = Told()
  private let body = SeededBody(seed: 6, byteCount: 50_000)

  init() throws {
    home = try SessionHome()
    origin = try ScriptedOrigin()
    origin.serve(OriginBehavior(body), at: "/a.bin")
  }

  @Test func `a session without an identifier is invalid from the start`() async throws {
    let session = home.session(told, "")
    session.downloadTask(with: try origin.address("/a.bin")).resume()
    // The session is known to be invalid before it has a task.
    #expect(try await told.wait(for: "completed") == ["invalid -1", "completed -1 -1"])
    #expect(
      told.state.read { $0.sessionError }?.localizedDescription
        == "A background session needs an identifier; give background(withIdentifier:) a name")
    #expect(origin.requests.isEmpty)
  }

  @Test func `the same identifier returns the same session with its first delegate`() async throws {
    let identifier = UUID().uuidString
    let first = home.session(told, identifier)
    let stranger = Told()
    let second = home.session(stranger, identifier)
    #expect(first == second)
    second.downloadTask(with: try origin.address("/a.bin")).resume()
    try await told.expect(
      ["wrote 1 50000/50000", "finished 1 200", "completed 1 nil", "invalid"], of: first)
    #expect(stranger.calls.isEmpty)
  }

  @Test func `an identifier can be reused after its session is invalidated`() async throws {
    let identifier = UUID().uuidString
    let first = home.session(told, identifier)
    first.downloadTask(with: try origin.address("/a.bin")).resume()
    _ = try await told.all(first)
    let next = Told()
    let second = home.session(next, identifier)
    #expect(first != second)
    let task = second.downloadTask(with: try origin.address("/a.bin"))
    task.resume()
    let number = task.taskIdentifier
    try await next.expect(
      [
        "wrote \(number) 50000/50000", "finished \(number) 200", "completed \(number) nil",
        "invalid",
      ], of: second)
  }

  @Test func `an identifier may contain any characters`() async throws {
    let session = home.session(told, "Bücher \"1\"\n\u{1F4DA}/../x")
    session.downloadTask(with: try origin.address("/a.bin")).resume()
    try await told.expect(
      ["wrote 1 50000/50000", "finished 1 200", "completed 1 nil", "invalid"], of: session)
  }

  @Test func `a session in use by another process fails with -996 in both directions`() async throws
  {
    let identifier = "org.example.singleton.even"
    origin.serve(OriginBehavior(body).with { $0.headWaitsFor = "go" }, at: "/slow")
    let log = home.path + "/log"
    let program = BuiltProgram.path(of: "singleton-delegate")
    let url = try origin.address("/slow").absoluteString
    let holder = try Running(program, [home.files, url], home.environment, output: log)
    try await origin.waitForRequests(1, at: "/slow")
    let session = home.session(told, identifier)
    session.downloadTask(with: try origin.address("/a.bin")).resume()
    #expect(try await told.wait(for: "completed") == ["invalid -996", "completed -1 -996"])
    #expect(
      told.state.read { $0.sessionError }?.localizedDescription
        == "The session is in use by process \(holder.processID); "
        + "end it, or use another identifier")
    origin.release("go")
    #expect(await holder.end() == 0)

    // The other direction.
    let next = Told()
    let own = home.session(next, identifier)
    _ = await own.allTasks
    let refused = try Running(program, [home.files, url], home.environment, output: log)
    _ = await refused.end()
    // It sent no request, and took nothing from the owner of the session.
    #expect(origin.requests(at: "/slow").count == 1)
    try await next.expect(["invalid"], of: own)
  }

  @Test func `a missing service executable fails tasks with -997 quickly`() async throws {
    let begin = ContinuousClock.now
    let session = home.session(told) { $0.serviceExecutable = "/nonexistent/kettle" }
    session.downloadTask(with: try origin.address("/a.bin")).resume()
    #expect(try await told.wait(for: "completed") == ["completed -1 -997"])
    #expect(ContinuousClock.now - begin < .seconds(15))
    #expect(
      told.state.read { $0.errors[-1] }?.localizedDescription
        == "The program \"/nonexistent/kettle\" given by serviceExecutable cannot be run; "
        + "give its absolute path")
    try await told.expect(["completed -1 -997", "invalid"], of: session)
  }

  @Test func `a service that exits at once fails tasks with -997 quickly`() async throws {
    let broken = try home.script("broken", "exit 3")
    let begin = ContinuousClock.now
    let session = home.session(told) { $0.serviceExecutable = broken }
    session.downloadTask(with: try origin.address("/a.bin")).resume()
    #expect(try await told.wait(for: "completed") == ["completed -1 -997"])
    #expect(ContinuousClock.now - begin < .seconds(15))
    #expect(
      told.state.read { $0.errors[-1] }?.localizedDescription.contains("it exited with status 3")
        == true)
  }

  @Test func `a service of another protocol version fails tasks with -997 quickly`() async throws {
    let service = try OtherVersion(at: home.paths.socketPath)
    let begin = ContinuousClock.now
    let session = home.session(told)
    session.downloadTask(with: try origin.address("/a.bin")).resume()
    #expect(try await told.wait(for: "completed") == ["completed -1 -997"])
    #expect(ContinuousClock.now - begin < .seconds(15))
    let sentence = told.state.read { $0.errors[-1] }?.localizedDescription ?? ""
    #expect(sentence.contains("99"), "\(sentence)")
    service.stop()
  }
}
