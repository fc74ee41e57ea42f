import Foundation
import Glibc
import KettleCurl
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Requests with a method and a body.
struct UploadTests {
  let origin: ScriptedOrigin
  let probe: TransportProbe
  let content = SeededBody(seed: 23, byteCount: 700_001)

  init() throws {
    origin = try ScriptedOrigin()
    probe = try TransportProbe()
    origin.serve(.status(201, text: "thanks"), at: "/up")
  }

  private func send(
    _ content: RequestContent, headers: [String] = [], at path: String = "/up"
  ) async throws -> TransportProbe.Fetched {
    try await probe.fetch(origin.url(path)) {
      $0.content = content
      $0.headers = headers.compactMap { HeaderField($0) }
    }
  }

  private func names(_ request: OriginRequest?) -> [String] {
    request?.headers.map { $0.name.lowercased() } ?? []
  }

  @Test(arguments: [nil, RequestContent(method: "GET")])
  func `a plain GET sends exactly the usual headers`(
    content: RequestContent?
  ) async throws {
    _ = try await probe.fetch(origin.url("/up")) { $0.content = content }
    let request = try #require(origin.requests.first)
    #expect(request.method == "GET")
    #expect(
      request.headers.map { $0.name + ": " + $0.value } == [
        "Host: 127.0.0.1:\(origin.port)", "User-Agent: Kettle/test", "Accept: */*",
        "Accept-Encoding: identity",
      ])
  }

  @Test(arguments: ["PUT", "POST", "PATCH", "DELETE", "GET", "REPORT"])
  func `a file is sent completely with any method`(method: String) async throws {
    let file = try UploadFile(content)
    let fetched = try await send(RequestContent(method: method, body: file.body))
    #expect(fetched.head?.status == 201)
    #expect(fetched.end == .complete)
    #expect(fetched.bytes() == Array("thanks".utf8))
    let request = try #require(origin.requests.first)
    #expect(request.method == method)
    #expect(request.value(of: "Content-Length") == "700001")
    #expect(request.body.elementsEqual(content.bytes))
    #expect(!names(request).contains("expect"))
    #expect(!names(request).contains("content-type"))
    #expect(!names(request).contains("transfer-encoding"))
  }

  @Test func `bytes are sent as they are`() async throws {
    let bytes: [UInt8] = [0, 13, 10, 255, 13, 10, 13, 10]
    let fetched = try await send(
      RequestContent(method: "POST", body: .bytes(Base64Bytes(bytes))),
      headers: ["Content-Type: text/plain"])
    #expect(fetched.end == .complete)
    #expect(origin.requests.first?.body == bytes)
    #expect(origin.requests.first?.value(of: "Content-Type") == "text/plain")
  }

  @Test(arguments: [("POST", "0"), ("PUT", "0"), ("PATCH", "0"), ("DELETE", nil), ("OPTIONS", nil)])
  func `a length of 0 is sent without a body if the method defines one`(
    method: String, length: String?
  ) async throws {
    let fetched = try await send(RequestContent(method: method))
    #expect(fetched.end == .complete)
    let request = try #require(origin.requests.first)
    #expect(request.method == method)
    #expect(request.value(of: "Content-Length") == length)
    #expect(!names(request).contains("content-type"))
    #expect(!names(request).contains("expect"))
  }

  @Test func `an empty file is an empty body`() async throws {
    let file = try UploadFile(SeededBody(seed: 1, byteCount: 0))
    #expect(try await send(RequestContent(method: "PUT", body: file.body)).end == .complete)
    #expect(origin.requests.first?.value(of: "Content-Length") == "0")
  }

  @Test func `a HEAD response has no body`() async throws {
    origin.serve(OriginBehavior(content), at: "/file")
    let fetched = try await send(RequestContent(method: "HEAD"), at: "/file")
    #expect(fetched.head?.value(of: "Content-Length") == "700001")
    #expect(fetched.end == .complete)
    #expect(fetched.bytes().isEmpty)
    #expect(origin.requests.map(\.method) == ["HEAD"])
  }

  @Test func `headers that would contradict the body are not sent`() async throws {
    let fetched = try await send(
      RequestContent(method: "PUT", body: .bytes(Base64Bytes([1, 2, 3]))),
      headers: ["Content-Length: 77", "Transfer-Encoding: chunked", "X-Mine: yes"])
    #expect(fetched.end == .complete)
    #expect(origin.requests.first?.values(of: "Content-Length") == ["3"])
    #expect(origin.requests.first?.value(of: "Transfer-Encoding") == nil)
    #expect(origin.requests.first?.value(of: "X-Mine") == "yes")
    #expect(origin.requests.first?.body == [1, 2, 3])
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\nX: y", "the method is not a word in upper case"),
    ("", "the method is not a word in upper case"),
    ("put", "the method is not a word in upper case"),
    ("CONNECT", "CONNECT is only for proxies"),
  ])
  func `an invalid method is not sent`(method: String, problem: String) async throws {
    let end = try await send(RequestContent(method: method)).end
    #expect(end.failure?.code == .internalProblem)
    #expect(end.failure?.detail == problem)
    #expect(origin.connectionCount == 0)
  }

  @Test func `a HEAD request with a body is not sent`() async throws {
    let end = try await send(RequestContent(method: "HEAD", body: .bytes(Base64Bytes([1])))).end
    #expect(end.failure?.detail == "a HEAD request has no body")
    #expect(origin.connectionCount == 0)
  }

  @Test func `a redirect after an upload is reported and not followed`() async throws {
    origin.serve(.redirect(307, to: "/up"), at: "/moved")
    let fetched = try await send(
      RequestContent(method: "PUT", body: .bytes(Base64Bytes([1]))), at: "/moved")
    #expect(fetched.head?.status == 307)
    #expect(origin.requests.count == 1)
  }

  @Test func `two uploads over one connection do not mix`() async throws {
    for number in 1...3 {
      let content = SeededBody(seed: UInt64(number), byteCount: 100_000)
      let file = try UploadFile(content)
      #expect(try await send(RequestContent(method: "PUT", body: file.body)).end == .complete)
      #expect(origin.requests.last?.body.elementsEqual(content.bytes) == true)
    }
    #expect(Set(origin.requests.map(\.connection)) == [1])
  }

  // MARK: Files

  private func expectUnusable(
    _ body: RequestContent.Body, _ path: String, _ detail: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let end = try await send(RequestContent(method: "PUT", body: body)).end
    let failure = TransferFailure(.uploadFileUnusable, on: path, detail: detail)
    #expect(end == .failed(failure), sourceLocation: sourceLocation)
    #expect(origin.connectionCount == 0, sourceLocation: sourceLocation)
  }

  @Test func `a file that has changed is not sent`() async throws {
    let file = try UploadFile(content)
    file.truncate(to: 700_000)
    try await expectUnusable(file.body, file.path, "it has 700000 bytes and not 700001")
    file.truncate(to: 700_002)
    try await expectUnusable(file.body, file.path, "it has 700002 bytes and not 700001")
    try FileManager.default.removeItem(atPath: file.path)
    try await expectUnusable(file.body, file.path, "No such file or directory")
  }

  @Test func `a pipe or a directory is not sent and blocks nothing`() async throws {
    let file = try UploadFile(content)
    let pipe = file.directory.appendingPathComponent("pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    try await expectUnusable(.file(path: pipe, byteCount: 0), pipe, "it is not a regular file")
    let directory = file.directory.path
    try await expectUnusable(
      .file(path: directory, byteCount: 4096), directory, "it is not a regular file")
  }

  @Test func `a symbolic link is followed`() async throws {
    let file = try UploadFile(content)
    let link = file.directory.appendingPathComponent("link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.path)
    let body = RequestContent.Body.file(path: link, byteCount: content.byteCount)
    #expect(try await send(RequestContent(method: "PUT", body: body)).end == .complete)
    #expect(origin.requests.first?.body.elementsEqual(content.bytes) == true)
  }

  @Test func `a file that shrinks while it is being sent ends the attempt`() async throws {
    let file = try UploadFile(holeOf: 40_000_000)
    origin.serve(
      .status(201).with { $0.taking = .first(10_000, then: .wait(until: "shrunk")) }, at: "/up")
    let id = probe.begin(try origin.url("/up")) {
      $0.content = RequestContent(method: "PUT", body: file.body)
    }
    try await origin.waitForBodyBytes(10_000, at: "/up")
    file.truncate(to: 20_000_000)
    origin.release("shrunk")
    #expect(
      try await probe.end(of: id)
        == .failed(
          TransferFailure(
            .uploadFileUnusable, on: file.path, detail: "it became shorter while it was being sent")
        ))
    #expect(origin.requests.first.map { $0.bodyByteCount < 40_000_000 } == true)
  }

  @Test func `a file that grows while it is sent is sent up to its original size`() async throws {
    let file = try UploadFile(holeOf: 30_000_000)
    origin.serve(
      .status(201).with { $0.taking = .first(10_000, then: .wait(until: "grown")) }, at: "/up")
    let id = probe.begin(try origin.url("/up")) {
      $0.content = RequestContent(method: "PUT", body: file.body)
    }
    try await origin.waitForBodyBytes(10_000, at: "/up")
    file.truncate(to: 50_000_000)
    origin.release("grown")
    #expect(try await probe.head(of: id).status == 201)
    probe.transport.accept(id, into: RecordingSink())
    #expect(try await probe.end(of: id) == .complete)
    #expect(origin.requests.first?.bodyByteCount == 30_000_000)
    // No extra bytes follow it: the connection serves the next request.
    #expect(try await send(RequestContent(method: "GET")).end == .complete)
    #expect(Set(origin.requests.map(\.connection)) == [1])
  }
}
