import Foundation
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Uploads that are interrupted, over the real engine, network and store.
@Suite(.timeLimit(.minutes(10)))
struct ResumableUploadTests {
  private let body = SeededBody(seed: 31, byteCount: 2_000_000)

  private func upload(
    _ world: WireWorld, _ change: (inout TransferSpec) -> Void = { _ in }
  ) async throws -> TransferID {
    let path = world.home.documents + "/up.bin"
    try Data(body.bytes).write(to: URL(filePath: path))
    return try await world.add("/up") {
      $0.request = RequestContent(method: "POST", body: .file(path: path, byteCount: 2_000_000))
      $0.task = TaskOptions(kind: .upload)
      change(&$0)
    }
  }

  /// Waits until the service knows where to continue and the server has these bytes.
  private func waitForTaken(
    _ byteCount: Int64, _ id: TransferID, of server: ResumableUploadServer, in world: WireWorld
  ) async throws {
    try await world.wait("the upload resource", for: id) { $0.task?.uploadResumption != nil }
    try await world.waitForStored(id) { $0.task?.uploadResumption != nil }
    try await world.origin.waitForBodyBytes(byteCount, at: server.path)
  }

  private func expectWhole(_ row: TransferSnapshot, _ server: ResumableUploadServer) {
    #expect(row.state == .completed)
    #expect(row.task?.reply?.status == 201)
    #expect(server.received.elementsEqual(body.bytes))
  }

  private func methods(_ world: WireWorld) -> [String] { world.origin.requests.map(\.method) }

  @Test(arguments: [WireWorld.End.shutDown, .crash])
  func `an upload continues after the end of the service`(end: WireWorld.End) async throws {
    let world = try await WireWorld()
    let server = ResumableUploadServer(on: world.origin, at: "/up", takesFirst: [500_000])
    let id = try await upload(world)
    try await waitForTaken(500_000, id, of: server, in: world)
    try await world.restart(after: end)
    expectWhole(try await world.end(of: id), server)
    #expect(methods(world) == ["POST", "HEAD", "PATCH"])
    #expect(server.uploads.last?.uploadOffset == 500_000)
  }

  @Test func `an upload to a server that has forgotten it begins again`() async throws {
    let world = try await WireWorld()
    let server = ResumableUploadServer(on: world.origin, at: "/up", takesFirst: [500_000])
    let id = try await upload(world)
    try await waitForTaken(500_000, id, of: server, in: world)
    world.origin.serve(.status(404), at: server.resource)
    world.origin.cutConnections()
    expectWhole(try await world.end(of: id), server)
    #expect(methods(world) == ["POST", "HEAD", "POST"])
  }

  @Test(arguments: ["2000001", "-5", "a lot"])
  func `an upload to a server that lies about its bytes begins again`(offset: String) async throws {
    let world = try await WireWorld()
    let server = ResumableUploadServer(on: world.origin, at: "/up", takesFirst: [500_000])
    let id = try await upload(world)
    try await waitForTaken(500_000, id, of: server, in: world)
    world.origin.serve(
      .status(204, headers: [HeaderField(received: "Upload-Offset", offset)]), at: server.resource)
    world.origin.cutConnections()
    expectWhole(try await world.end(of: id), server)
    #expect(methods(world) == ["POST", "HEAD", "POST"])
  }

  @Test func `the response of a complete upload that was lost is not awaited`() async throws {
    let world = try await WireWorld()
    let server = ResumableUploadServer(on: world.origin, at: "/up", takesFirst: [2_000_000])
    let id = try await upload(world)
    try await waitForTaken(2_000_000, id, of: server, in: world)
    world.origin.cutConnections()
    let row = try await world.end(of: id)
    #expect(row.state == .completed)
    #expect(row.task?.reply?.status == 204)
    #expect(row.bytesReceived == 2_000_000)
    #expect(server.received.elementsEqual(body.bytes))
    #expect(methods(world) == ["POST", "HEAD"])
  }

  @Test func `credentials are not sent to an upload resource on another host`() async throws {
    let world = try await WireWorld()
    let other = try ScriptedOrigin()
    let resource = try other.url("/elsewhere").text
    world.origin.serve(
      .status(201).with {
        $0.interimHeads = [
          ResponseHead(
            status: 104,
            headers: [
              HeaderField(received: "Upload-Draft-Interop-Version", "6"),
              HeaderField(received: "Location", resource),
            ])
        ]
        $0.taking = .first(500_000, then: .wait(until: "for ever"))
      }, at: "/up")
    other.serve(at: "/elsewhere") { request in
      guard request.method == "HEAD" else { return .status(201) }
      return .status(204, headers: [HeaderField(received: "Upload-Offset", "400000")])
    }
    let id = try await upload(world) {
      $0.headers = [HeaderField(received: "Authorization", "Bearer 5f3a")]
    }
    try await world.wait("the upload resource", for: id) { $0.task?.uploadResumption != nil }
    try await world.waitForStored(id) { $0.task?.uploadResumption != nil }
    try await world.origin.waitForBodyBytes(500_000, at: "/up")
    world.origin.cutConnections()
    #expect(try await world.end(of: id).state == .completed)
    #expect(other.requests.map(\.method) == ["HEAD", "PATCH"])
    #expect(other.requests.allSatisfy { $0.value(of: "Authorization") == nil })
    #expect(other.requests.last?.body.elementsEqual(body.bytes.dropFirst(400_000)) == true)
    #expect(world.origin.requests.first?.value(of: "Authorization") == "Bearer 5f3a")
  }
}
