import BackgroundTransfer
import Foundation
import Glibc
import Testing
import TestSupport

/// Uploads to a server that can continue them, over the real service.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ResumableUploadSessionTests {
  private let home: SessionHome
  private let origin: ScriptedOrigin
  private let told = Told()
  private let body = SeededBody(seed: 11, byteCount: 3_000_000)

  init() throws {
    home = try SessionHome()
    origin = try ScriptedOrigin(receiveBufferByteCount: 16 * 1024)
    try Data(body.bytes).write(to: home.file("up.bin"))
  }

  private func upload(in session: URLSession) throws -> URLSessionUploadTask {
    var request = URLRequest(url: try origin.address("/up"))
    request.httpMethod = "POST"
    request.setValue("video/mp4", forHTTPHeaderField: "Content-Type")
    let task = session.uploadTask(with: request, fromFile: home.file("up.bin"))
    task.resume()
    return task
  }

  /// Waits until the server has these bytes of an upload request, and cuts the connection.
  private func interrupt(_ server: ResumableUploadServer, after byteCount: Int64, _ count: Int)
    async throws
  {
    try await origin.waitForTaken(byteCount, upload: count, of: server)
    origin.cutConnections()
  }

  private func expectWhole(_ server: ResumableUploadServer) {
    #expect(server.received.elementsEqual(body.bytes))
  }

  @Test func `an upload that is interrupted twice sends every byte once more at most`() async throws
  {
    let server = ResumableUploadServer(
      on: origin, at: "/up", takesFirst: [700_000, 900_000])
    let session = home.session(told)
    let task = try upload(in: session)
    try await told.wait(for: "informed 1 104")
    try await interrupt(server, after: 700_000, 1)
    try await interrupt(server, after: 900_000, 2)
    try await told.expect(
      [
        "informed 1 104", "sent 1 3000000/3000000", "received 1 201 Thank you", "completed 1 nil",
        "invalid",
      ], of: session)
    expectWhole(server)
    #expect(task.countOfBytesSent == 3_000_000)
    #expect(
      origin.requests.map { "\($0.method) \($0.path) \($0.value(of: "Upload-Offset") ?? "")" } == [
        "POST /up ", "HEAD /up/resource ", "PATCH /up/resource 700000", "HEAD /up/resource ",
        "PATCH /up/resource 1600000",
      ])
    #expect(home.heldFiles.isEmpty)
  }

  enum Loss: CaseIterable {
    case killed, stopped
  }

  @Test(arguments: Loss.allCases)
  func `an upload continues after the loss of the service`(loss: Loss) async throws {
    let server = ResumableUploadServer(on: origin, at: "/up", takesFirst: [700_000])
    let session = home.session(told)
    _ = try upload(in: session)
    try await told.wait(for: "informed 1 104")
    try await origin.waitForTaken(700_000, upload: 1, of: server)
    switch loss {
    case .killed: kill(try await home.servicePID(), SIGKILL)
    case .stopped: #expect(try await home.kettle("daemon", "stop").code == 0)
    }
    let calls = try await told.all(session).filter { !$0.hasPrefix("sent 1 ") }
    #expect(
      calls == ["informed 1 104", "received 1 201 Thank you", "completed 1 nil", "invalid"])
    expectWhole(server)
    #expect(server.uploads.map(\.uploadOffset) == [nil, 700_000])
  }

  @Test func `a cancelled upload continues from its resume data`() async throws {
    let server = ResumableUploadServer(on: origin, at: "/up", takesFirst: [700_000])
    let session = home.session(told)
    let task = try upload(in: session)
    try await told.wait(for: "informed 1 104")
    try await origin.waitForTaken(700_000, upload: 1, of: server)
    let resumeData = try #require(await task.cancelByProducingResumeData())
    try await told.wait(for: "completed 1 -999")
    #expect(told.error(of: task)?.uploadTaskResumeData == resumeData)
    #expect(told.error(of: task)?.downloadTaskResumeData == nil)
    let next = session.uploadTask(withResumeData: resumeData)
    #expect(next.taskIdentifier == 2)
    #expect(next.originalRequest?.url == task.originalRequest?.url)
    next.resume()
    let calls = try await told.all(session).filter { !$0.hasPrefix("sent ") }
    #expect(
      calls == [
        "informed 1 104", "completed 1 -999", "received 2 201 Thank you", "completed 2 nil",
        "invalid",
      ])
    expectWhole(server)
    #expect(server.uploads.map(\.uploadOffset) == [nil, 700_000])
  }

  @Test func `a file that was changed meanwhile is not continued`() async throws {
    let server = ResumableUploadServer(on: origin, at: "/up", takesFirst: [700_000])
    let session = home.session(told)
    let task = try upload(in: session)
    try await told.wait(for: "informed 1 104")
    try await origin.waitForTaken(700_000, upload: 1, of: server)
    // The same length, and another time.
    try Data(SeededBody(seed: 12, byteCount: 3_000_000).bytes).write(to: home.file("up.bin"))
    origin.cutConnections()
    let calls = try await told.all(session).filter { !$0.hasPrefix("sent ") }
    #expect(calls == ["informed 1 104", "completed 1 -1100", "invalid"])
    let sentence = told.error(of: task)?.localizedDescription
    #expect(
      sentence?.contains("it was changed after a part of it had been sent") == true,
      "\(sentence ?? "")")
    #expect(server.uploads.count == 1)
  }

  @Test func `data that is no resume data of an upload is refused`() async throws {
    let session = home.session(told)
    session.uploadTask(withResumeData: Data("x".utf8)).resume()
    try await told.expect(["completed -1 -1002", "invalid"], of: session)
  }

  @Test func `an upload without an offer has no resume data`() async throws {
    origin.serve(
      .status(201).with { $0.taking = .first(700_000, then: .wait(until: "for ever")) }, at: "/up")
    let session = home.session(told)
    let task = try upload(in: session)
    try await origin.waitForBodyBytes(700_000, at: "/up")
    #expect(await task.cancelByProducingResumeData() == nil)
    try await told.wait(for: "completed 1 -999")
    #expect(told.error(of: task)?.uploadTaskResumeData == nil)
  }
}

extension ScriptedOrigin {
  /// Waits until the server has so many bytes of the content of an upload request.
  fileprivate func waitForTaken(
    _ byteCount: Int64, upload count: Int, of server: ResumableUploadServer
  ) async throws {
    let paths = [server.path, server.resource]
    _ = try await waitForRequest("\(byteCount) bytes of upload \(count)") { request in
      request.method != "HEAD" && paths.contains(request.path)
        && request.bodyByteCount >= byteCount
        && (count == 1) == (request.path == server.path)
    }
  }
}
