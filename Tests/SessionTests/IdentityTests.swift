import BackgroundTransfer
import Foundation
import Glibc
import KettleControl
import KettleModel
import Testing
import TestSupport

/// Who a session is, and who may be it.
@Suite(.serialized, .timeLimit(.minutes(2)))
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

  @Test func `a session without an identifier is invalid from the beginning`() async throws {
    let session = home.session(told, "")
    session.downloadTask(with: try origin.address("/a.bin")).resume()
    // That the session cannot be is known before it has a task.
    #expect(try await told.wait(for: "completed") == ["invalid -1", "completed -1 -1"])
    #expect(
      told.state.read { $0.sessionError }?.localizedDescription
        == "A background session needs an identifier; give background(withIdentifier:) a name")
    #expect(origin.requests.isEmpty)
  }

  @Test func `the same identifier is the same session, with the first delegate`() async throws {
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

  @Test func `an identifier is free when its session is over`() async throws {
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

  @Test func `an identifier of any letters is one`() async throws {
    let session = home.session(told, "Bücher \"1\"\n\u{1F4DA}/../x")
    session.downloadTask(with: try origin.address("/a.bin")).resume()
    try await told.expect(
      ["wrote 1 50000/50000", "finished 1 200", "completed 1 nil", "invalid"], of: session)
  }

  @Test func `a session that another process has is -996 here, and there`() async throws {
    let identifier = "org.example.singleton.even"
    origin.serve(OriginBehavior(body).with { $0.headWaitsFor = "go" }, at: "/slow")
    let log = home.path + "/log"
    let program = SessionHome.program("singleton-delegate")
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

    // The other way round.
    let next = Told()
    let own = home.session(next, identifier)
    _ = await own.allTasks
    let refused = try Running(program, [home.files, url], home.environment, output: log)
    _ = await refused.end()
    // It asked for nothing, and took nothing from whoever has the session.
    #expect(origin.requests(at: "/slow").count == 1)
    try await next.expect(["invalid"], of: own)
  }

  @Test func `a service that cannot be found is -997, soon`() async throws {
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

  @Test func `a service that ends at once is -997, soon`() async throws {
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

  @Test func `a service of another version is -997, soon`() async throws {
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
