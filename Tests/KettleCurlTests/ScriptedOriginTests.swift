import Foundation
import KettleCurl
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// The origin of all tests must misbehave exactly as scripted.
struct ScriptedOriginTests {
  let origin: ScriptedOrigin
  let probe: TransportProbe
  let body = SeededBody(seed: 17, byteCount: 10_000)

  init() throws {
    origin = try ScriptedOrigin()
    probe = try TransportProbe()
  }

  private func fetch(
    _ behavior: OriginBehavior, _ headers: [String]
  ) async throws -> TransportProbe.Fetched {
    origin.serve(behavior, at: "/file")
    return try await probe.fetch(origin.url("/file")) {
      $0.headers = headers.compactMap { HeaderField($0) }
    }
  }

  private func expectRange(
    _ ranges: OriginBehavior.Ranges, _ label: String?, _ sent: Range<Int64>, status: Int = 206,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let fetched = try await fetch(
      OriginBehavior(body).with { $0.ranges = ranges }, ["Range: bytes=100-199"])
    #expect(fetched.head?.status == status, sourceLocation: sourceLocation)
    #expect(fetched.head?.value(of: "Content-Range") == label, sourceLocation: sourceLocation)
    #expect(fetched.bytes().elementsEqual(body.bytes(in: sent)), sourceLocation: sourceLocation)
  }

  @Test func `ranges are answered as scripted`() async throws {
    try await expectRange(.honoured, "bytes 100-199/10000", 100..<200)
    try await expectRange(.ignored, nil, 0..<10_000, status: 200)
    try await expectRange(.promisedAndIgnored, nil, 0..<10_000, status: 200)
    try await expectRange(.labeled("bytes 5-6/7"), "bytes 5-6/7", 100..<200)
    try await expectRange(.shifted(by: 10), "bytes 110-209/10000", 110..<210)
    try await expectRange(.shiftedInSecret(by: 10), "bytes 100-199/10000", 110..<210)
    try await expectRange(.withoutContentRange, nil, 100..<200)
    try await expectRange(.shortened(to: 7), "bytes 100-106/10000", 100..<107)
    try await expectRange(.totalUnknown, "bytes 100-199/*", 100..<200)
    try await expectRange(.totalWrong(3), "bytes 100-199/3", 100..<200)
    try await expectRange(.unsatisfiable, "bytes */10000", 0..<0, status: 416)
    try await expectRange(.unsatisfiableWithoutTotal, nil, 0..<0, status: 416)
  }

  @Test func `a range beyond the end cannot be satisfied`() async throws {
    let fetched = try await fetch(OriginBehavior(body), ["Range: bytes=10000-"])
    #expect(fetched.head?.status == 416)
  }

  @Test func `a single range is sent as multipart if scripted`() async throws {
    let fetched = try await fetch(
      OriginBehavior(body).with { $0.ranges = .multipart }, ["Range: bytes=100-199"])
    #expect(fetched.end == .complete)
    #expect(
      fetched.head?.value(of: "Content-Type") == "multipart/byteranges; boundary=cut")
    #expect(fetched.bytes().count > 100)
  }

  @Test func `a range depends on the validator`() async throws {
    let tag = try #require(
      try await fetch(OriginBehavior(body), []).head?.value(of: "ETag"))
    let range = "Range: bytes=0-9"
    let cases: [(OriginBehavior.IfRange, String, Int)] = [
      (.honoured, tag, 206), (.honoured, "\"other\"", 200), (.honoured, "W/" + tag, 200),
      (.honoured, "Wed, 21 Oct 2015 07:28:00 GMT", 206), (.ignored, "\"other\"", 206),
      (.alwaysWhole, tag, 200),
    ]
    for (ifRange, validator, status) in cases {
      let fetched = try await fetch(
        OriginBehavior(body).with { $0.ifRange = ifRange }, [range, "If-Range: " + validator])
      #expect(fetched.head?.status == status, "\(ifRange), \(validator)")
    }
  }

  @Test func `a list of behaviors is used in order, and the last one repeats`() async throws {
    origin.serve([.status(503), .status(404), OriginBehavior(body)], at: "/file")
    var statuses: [Int?] = []
    for _ in 1...4 {
      statuses.append(try await probe.fetch(origin.url("/file")).head?.status)
    }
    #expect(statuses == [503, 404, 200, 200])
  }

  @Test func `a chain of redirects leads to its end`() async throws {
    origin.serveRedirects(3, from: "/a", to: "/end")
    var path = "/a"
    var seen: [String] = []
    while path != "/end", seen.count < 10 {
      seen.append(path)
      let head = try await probe.fetch(origin.url(path)).head
      path = try #require(head?.value(of: "Location"))
    }
    #expect(seen == ["/a", "/a/1", "/a/2"])
  }

  @Test func `the log records what was sent and how it ended`() async throws {
    origin.serve(
      OriginBehavior(body).with { $0.stall = .init(after: 4000, until: "go") }, at: "/file")
    let id = probe.begin(try origin.url("/file"))
    try await origin.waitForBytesSent(4000, at: "/file")
    #expect(origin.requests.map(\.progress) == [.answering])
    _ = try await probe.head(of: id)
    probe.transport.accept(id, into: RecordingSink())
    origin.release("go")
    #expect(try await probe.end(of: id) == .complete)
    try await origin.waitForRequest("an answered one") { $0.progress == .answered }
    #expect(origin.bytesSent == 10_000)
  }

  @Test func `the log records the received bytes of a request body`() async throws {
    origin.serve(
      .status(200).with { $0.taking = .first(4000, then: .wait(until: "go")) }, at: "/file")
    let sent = body.bytes
    let id = probe.begin(try origin.url("/file")) {
      $0.content = RequestContent(method: "PUT", body: .bytes(Base64Bytes(sent)))
    }
    try await origin.waitForBodyBytes(4000, at: "/file")
    #expect(origin.requests.first?.bodyByteCount == 4000)
    #expect(origin.requests.first?.body.elementsEqual(sent.prefix(4000)) == true)
    origin.release("go")
    #expect(try await probe.head(of: id).status == 200)
    #expect(origin.requests.first?.body.elementsEqual(sent) == true)
  }

  @Test func `a Digest login succeeds only with the correct user and password`() async throws {
    let login = Login(user: "me", password: "secret")
    let guarded = OriginBehavior(body).with {
      $0.login = login
      $0.loginScheme = .digest
    }
    origin.serve(guarded, at: "/file")
    let url = try origin.url("/file")
    #expect(try await probe.fetch(url).head?.status == 401)
    let others = [Login(user: "me", password: "other"), Login(user: "you", password: "secret")]
    for other in others {
      #expect(try await probe.fetch(url) { $0.login = other }.head?.status == 401)
    }
    #expect(try await probe.fetch(url) { $0.login = login }.head?.status == 200)
  }

  @Test func `a timeout names what it waited for`() async throws {
    let error = await #expect(throws: BudgetSpent.self) {
      try await origin.waitForRequests(1, at: "/never", budgetMilliseconds: 10)
    }
    #expect(error?.what == "request 1 at /never")
  }

  @Test func `the body is the same from every offset, and each byte counts`() {
    let whole = body.bytes
    for lower in [0, 1, 7, 8, 9, 4095, 9_999] {
      let part = body.bytes(in: Int64(lower)..<Int64(min(lower + 100, 10_000)))
      #expect(part == Array(whole[lower..<min(lower + 100, 10_000)]))
    }
    #expect(SeededBody(seed: 18, byteCount: 10_000).bytes(in: 0..<64) != body.bytes(in: 0..<64))
    var changed = whole
    changed[7777] ^= 1
    #expect(changed.withUnsafeBytes { body.firstDifference(in: $0, at: 0) } == 7777)
  }

  @Test func `a file is compared byte by byte`() throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("kettle-" + UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(body.difference(fromFileAt: path) == .unreadable(errno: ENOENT))
    try Data(body.bytes).write(to: URL(fileURLWithPath: path))
    #expect(body.difference(fromFileAt: path) == nil)
    try Data(body.bytes.dropLast()).write(to: URL(fileURLWithPath: path))
    #expect(body.difference(fromFileAt: path) == .byteCount(9999))
    #expect(body.matches(fileAt: path, in: 100..<9999))
    #expect(!body.matches(fileAt: path, in: 100..<10_000))
    var wrong = body.bytes
    wrong[5000] ^= 255
    try Data(wrong).write(to: URL(fileURLWithPath: path))
    #expect(body.difference(fromFileAt: path) == .byte(at: 5000))
  }
}
