import BackgroundTransfer
import Foundation
import Testing
import TestSupport

/// Awaited uploads, over the real service.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct AwaitedUploadSessionTests {
  private let home: SessionHome
  private let origin: ScriptedOrigin
  private let told = Told()
  private let session: URLSession
  private let body = SeededBody(seed: 17, byteCount: 500_000)

  init() throws {
    home = try SessionHome()
    origin = try ScriptedOrigin(receiveBufferByteCount: 16 * 1024)
    session = home.session(told)
    try Data(body.bytes).write(to: home.file("up.bin"))
  }

  private func request() throws -> URLRequest {
    var request = URLRequest(url: try origin.address("/up"))
    request.httpMethod = "PUT"
    return request
  }

  @Test(arguments: [(201, "Thank you"), (413, "Too much"), (204, "")])
  func `an awaited upload returns the response without delegate calls`(
    status: Int, text: String
  ) async throws {
    origin.serve(.status(status, text: text), at: "/up")
    let (data, response) = try await session.upload(
      for: try request(), fromFile: home.file("up.bin"))
    #expect(String(decoding: data, as: UTF8.self) == text)
    #expect((response as? HTTPURLResponse)?.statusCode == status)
    #expect(origin.requests.first?.body.elementsEqual(body.bytes) == true)
    try await told.expect(["invalid"], of: session)
    #expect(try await home.rows().isEmpty)
    #expect(home.heldFiles.isEmpty)
  }

  @Test func `a file that is missing throws`() async throws {
    let error = await #expect(throws: URLError.self) {
      try await session.upload(for: try request(), fromFile: home.file("none"))
    }
    #expect(error?.code == .fileDoesNotExist)
  }

  @Test func `cancelling the Swift task cancels the upload`() async throws {
    origin.serve(
      .status(201).with { $0.taking = .first(100_000, then: .wait(until: "for ever")) }, at: "/up")
    let (request, file) = (try request(), home.file("up.bin"))
    let waiting = Task { [session] in try await session.upload(for: request, fromFile: file).0 }
    try await origin.waitForBodyBytes(100_000, at: "/up")
    waiting.cancel()
    let error = await #expect(throws: URLError.self) { try await waiting.value }
    #expect(error?.code == .cancelled)
    try await told.expect(["invalid"], of: session)
    #expect(try await home.rows().isEmpty)
  }
}
