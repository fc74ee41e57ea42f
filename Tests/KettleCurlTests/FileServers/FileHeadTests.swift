import KettleModel
import Testing

@testable import KettleCurl

/// What a server of files said, in the vocabulary of HTTP.
struct FileHeadTests {
  private func request(_ range: String?, ifRange: String? = nil) -> FileRequest {
    let fields = [("Range", range), ("If-Range", ifRange)].compactMap { name, value in
      value.map { HeaderField(received: name, $0) }
    }
    return FileRequest(fields)
  }

  private func head(_ range: String?, left: Int64?, modified: Int64? = nil) -> [String]? {
    FileHead.body(of: request(range), left: left, modified: modified).map { head in
      ["\(head.status)"] + head.headers.map { "\($0.name): \($0.value)" }
    }
  }

  @Test(
    arguments: [
      (nil, 0, nil), ("bytes=0-", 0, nil), ("bytes=5-", 5, nil), ("bytes=5-9", 5, 10),
      ("bytes=9-5", 0, nil), ("bytes=-5", 0, nil), ("bytes=5", 0, nil), ("lines=5-", 0, nil),
      ("bytes=5-9223372036854775807", 0, nil), ("bytes=5-6,8-9", 0, nil), ("bytes=+5-", 0, nil),
    ] as [(String?, Int64, Int64?)])
  func `a request is an offset and an end`(range: String?, offset: Int64, upper: Int64?) {
    let request = request(range)
    #expect(request.offset == offset)
    #expect(request.upper == upper)
  }

  /// Otherwise a part would be accepted that nobody has compared.
  @Test func `a request with a validator gets the whole file`() {
    #expect(request("bytes=5-", ifRange: "\"tag\"").offset == 0)
  }

  @Test func `a whole file has status 200 and what is known about it`() {
    #expect(head(nil, left: nil) == ["200"])
    #expect(head(nil, left: 0) == ["200", "Content-Length: 0"])
    #expect(
      head(nil, left: 7, modified: 784_111_777) == [
        "200", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Content-Length: 7",
      ])
  }

  @Test func `a part has status 206 and its place in the file`() {
    #expect(
      head("bytes=5-", left: 7) == ["206", "Content-Range: bytes 5-11/12", "Content-Length: 7"])
    #expect(
      head("bytes=5-9", left: 7) == ["206", "Content-Range: bytes 5-9/12", "Content-Length: 5"])
    #expect(
      head("bytes=5-99", left: 7) == ["206", "Content-Range: bytes 5-11/12", "Content-Length: 7"])
  }

  @Test func `what is not known to be the part has no head`() {
    #expect(head("bytes=5-", left: nil) == nil)
    #expect(head("bytes=5-", left: 0) == nil)
    #expect(head("bytes=5-", left: .max) == nil)
  }

  @Test(arguments: [0, -1, 253_402_300_800, .max] as [Int64])
  func `a time that says nothing is left out`(_ modified: Int64) {
    #expect(head(nil, left: 1, modified: modified) == ["200", "Content-Length: 1"])
  }

  /// The classifier compares bytes then.
  @Test func `the validator is weak`() throws {
    let date = FileHead.body(of: request(nil), left: 1, modified: 784_111_777)?
      .value(of: "Last-Modified")
    #expect(date != nil)
    #expect(FileHead.body(of: request(nil), left: 1, modified: 1)?.value(of: "Date") == nil)
    #expect(FileHead.body(of: request(nil), left: 1, modified: 1)?.value(of: "ETag") == nil)
  }
}
