import Foundation
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Interim responses to uploads, and requests with the rest of a file.
struct ResumedUploadTests {
  let origin: ScriptedOrigin
  let probe: TransportProbe
  let content = SeededBody(seed: 29, byteCount: 2_000_001)

  init() throws {
    origin = try ScriptedOrigin(receiveBufferByteCount: 16 * 1024)
    probe = try TransportProbe()
  }

  private func send(_ content: RequestContent) async throws -> TransportProbe.Fetched {
    try await probe.fetch(origin.url("/up")) { $0.content = content }
  }

  private var interim: [(status: Int, modified: Int64?)] {
    probe.reported.read { events in
      events.compactMap { event in
        guard case .informed(_, let head, _, let modified) = event else { return nil }
        return (head.status, modified)
      }
    }
  }

  private func modified(_ file: UploadFile) throws -> Int64 {
    var status = stat()
    try #require(stat(file.path, &status) == 0)
    return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
  }

  @Test func `interim responses are reported with the time of the file`() async throws {
    origin.serve(
      .status(201).with {
        $0.interimHeads = [102, 104].map { ResponseHead(status: $0, headers: []) }
      }, at: "/up")
    let file = try UploadFile(content)
    let fetched = try await send(RequestContent(method: "PUT", body: file.body))
    #expect(fetched.head?.status == 201)
    #expect(origin.requests.first?.body.elementsEqual(content.bytes) == true)
    #expect(interim.map(\.status) == [102, 104])
    let time = try modified(file)
    #expect(interim.allSatisfy { $0.modified == time })
  }

  @Test func `an interim response arrives while the file is being sent`() async throws {
    origin.serve(
      .status(201).with {
        $0.interimHeads = [ResponseHead(status: 104, headers: [])]
        $0.taking = .first(100_000, then: .wait(until: "informed"))
      }, at: "/up")
    let file = try UploadFile(content)
    let id = try probe.begin(origin.url("/up")) {
      $0.content = RequestContent(method: "PUT", body: file.body)
    }
    try await probe.reported.wait(for: "the interim response") { events in
      events.contains { if case .informed(id, _, _, _) = $0 { true } else { false } }
    }
    origin.release("informed")
    #expect(try await probe.head(of: id).status == 201)
  }

  @Test(arguments: [0, 1, 1_500_000, 2_000_001])
  func `the rest of a file is sent, and counts behind its beginning`(offset: Int64) async throws {
    origin.serve(.status(201), at: "/up")
    let file = try UploadFile(content)
    let rest = RequestContent.Rest(
      offset: offset, modifiedNanoseconds: try modified(file))
    let fetched = try await send(RequestContent(method: "PATCH", body: file.body, rest: rest))
    #expect(fetched.end == .complete)
    let request = try #require(origin.requests.first)
    #expect(request.value(of: "Content-Length") == "\(2_000_001 - offset)")
    #expect(request.body.elementsEqual(content.bytes.dropFirst(Int(offset))))
    let counts = probe.reported.read { events in
      events.compactMap { if case .sent(_, let count) = $0 { count } else { nil } }
    }
    #expect(counts.allSatisfy { $0 > offset })
    #expect(counts.last == (offset == 2_000_001 ? nil : 2_000_001))
  }

  @Test func `the rest is sent once, even if a kept connection could have carried it`() async throws
  {
    origin.serve(at: "/up") { request in
      .status(204).with {
        guard request.method == "PATCH" else { return }
        $0.taking = .first(1000, then: .cut(.reset))
      }
    }
    let file = try UploadFile(content)
    _ = try await send(RequestContent(method: "HEAD"))
    let rest = RequestContent.Rest(offset: 0, modifiedNanoseconds: try modified(file))
    let fetched = try await probe.fetch(origin.url("/up")) {
      $0.content = RequestContent(method: "PATCH", body: file.body, rest: rest)
      $0.reuse = .none
    }
    #expect(fetched.end.failure != nil)
    #expect(origin.requests.map(\.method) == ["HEAD", "PATCH"])
  }

  @Test(arguments: [(0, 1), (2_000_002, 0), (-1, 0)])
  func `the rest of another file is not sent`(offset: Int64, laterNanoseconds: Int64) async throws {
    let file = try UploadFile(content)
    let rest = RequestContent.Rest(
      offset: offset, modifiedNanoseconds: try modified(file) + laterNanoseconds)
    let end = try await send(RequestContent(method: "PATCH", body: file.body, rest: rest)).end
    #expect(end.failure?.code == .uploadFileUnusable)
    #expect(end.failure?.detail == "it was changed after a part of it had been sent")
    #expect(origin.requests.isEmpty)
  }
}
