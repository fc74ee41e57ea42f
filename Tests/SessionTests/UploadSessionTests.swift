import BackgroundTransfer
import Foundation
import KettleModel
import Testing
import TestSupport

/// Uploads of files, over the real service.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct UploadSessionTests {
  private let home: SessionHome
  private let origin: ScriptedOrigin
  private let told: Told
  private let session: URLSession
  private let body = SeededBody(seed: 5, byteCount: 500_000)
  private let answer = OriginBehavior.status(201, text: "Thank you")

  init() throws {
    home = try SessionHome()
    origin = try ScriptedOrigin(receiveBufferByteCount: 16 * 1024)
    told = Told(judge: { _ in
      (.useCredential, URLCredential(user: "me", password: "secret", persistence: .forSession))
    })
    session = home.session(told)
    try Data(body.bytes).write(to: home.file("up.bin"))
  }

  private func upload(_ method: String = "PUT") throws -> URLSessionUploadTask {
    var request = URLRequest(url: try origin.address("/up"))
    request.httpMethod = method
    let task = session.uploadTask(with: request, fromFile: home.file("up.bin"))
    task.resume()
    return task
  }

  private func expectTaken(_ request: OriginRequest?, _ method: String = "PUT") {
    #expect(request?.method == method)
    #expect(request?.contentLength == body.byteCount)
    #expect(request?.body.elementsEqual(body.bytes) == true)
  }

  @Test(arguments: ["PUT", "POST"])
  func `an upload sends the file and delivers the response`(method: String) async throws {
    origin.serve(answer, at: "/up")
    let task = try upload(method)
    try await told.expect(
      [
        "sent 1 500000/500000", "received 1 201 Thank you", "completed 1 nil", "invalid",
      ], of: session)
    #expect(task.countOfBytesSent == 500_000)
    #expect(task.countOfBytesExpectedToSend == 500_000)
    #expect(origin.requests.count == 1)
    expectTaken(origin.requests.first, method)
    #expect(home.heldFiles.isEmpty)
  }

  @Test func `a response without a body only completes the task`() async throws {
    origin.serve(.status(204), at: "/up")
    _ = try upload()
    try await told.expect(["sent 1 500000/500000", "completed 1 nil", "invalid"], of: session)
  }

  @Test func `an interrupted upload restarts from the beginning`() async throws {
    origin.serve(
      [answer.with { $0.taking = .first(100_000, then: .cut(.reset)) }, answer], at: "/up")
    _ = try upload()
    #expect(
      try await told.all(session).filter { !$0.hasPrefix("sent 1 ") }
        == ["received 1 201 Thank you", "completed 1 nil", "invalid"])
    #expect(told.calls.first?.hasPrefix("sent 1 ") == true)
    #expect(told.calls.contains("sent 1 500000/500000"))
    #expect(origin.requests.count == 2)
    expectTaken(origin.requests.last)
  }

  @Test func `an error status from the server is delivered as a response`() async throws {
    origin.serve(.status(413, text: "Too much"), at: "/up")
    _ = try upload()
    #expect(
      try await told.all(session).suffix(3)
        == ["received 1 413 Too much", "completed 1 nil", "invalid"])
  }

  @Test func `a file that changed after its task was created is not sent`() async throws {
    origin.serve(answer, at: "/up")
    var request = URLRequest(url: try origin.address("/up"))
    request.httpMethod = "PUT"
    let task = session.uploadTask(with: request, fromFile: home.file("up.bin"))
    try Data("short".utf8).write(to: home.file("up.bin"))
    task.resume()
    try await told.expect(["completed 1 -1100", "invalid"], of: session)
    #expect(origin.requests.allSatisfy { $0.bodyByteCount < body.byteCount })
    let sentence = told.error(of: task)?.localizedDescription
    #expect(sentence?.contains("up.bin") == true, "\(sentence ?? "")")
  }

  @Test func `a file deleted during its upload fails the task`() async throws {
    origin.serve(
      [
        answer.with { $0.taking = .first(50_000, then: .wait(until: "gone")) },
        answer.with { $0.taking = .first(50_000, then: .wait(until: "gone")) },
      ], at: "/up")
    let task = try upload()
    try await origin.waitForBodyBytes(50_000, at: "/up")
    try FileManager.default.removeItem(at: home.file("up.bin"))
    origin.cutConnections()
    #expect(try await told.all(session).suffix(2) == ["completed 1 -1100", "invalid"])
    #expect(task.state == .completed)
  }

  @Test(arguments: [OriginBehavior.LoginScheme.basic, .digest])
  func `an upload that needs a login is challenged and then sent completely`(
    scheme: OriginBehavior.LoginScheme
  ) async throws {
    origin.serve(
      answer.with {
        $0.login = Login(user: "me", password: "secret")
        $0.loginScheme = scheme
      }, at: "/up")
    _ = try upload()
    let method = scheme == .basic ? "HTTPBasic" : "HTTPDigest"
    let calls = try await told.all(session)
    #expect(
      calls.filter { !$0.hasPrefix("sent 1 ") } == [
        "challenge 1 \(method) kettle 0", "received 1 201 Thank you", "completed 1 nil", "invalid",
      ])
    #expect(calls.contains("sent 1 500000/500000"))
    expectTaken(origin.requests.last)
  }

  @Test func `uploads from data or streams are refused with a suggestion`() async throws {
    var request = URLRequest(url: try origin.address("/up"))
    request.httpMethod = "POST"
    let tasks: [URLSessionTask] = [
      session.uploadTask(with: request, from: Data("x".utf8)),
      session.uploadTask(withStreamedRequest: request),
      session.uploadTask(with: request, fromFile: home.file("not there")),
    ]
    for task in tasks { task.resume() }
    try await told.expect(
      [
        "completed -1 -1", "completed -2 -1", "completed -3 -1100", "invalid",
      ], of: session)
    #expect(
      told.error(of: tasks[0])?.localizedDescription
        == "Uploads from data are not supported in background sessions; "
        + "write the data to a file first")
    #expect(origin.requests.isEmpty)
  }
}
