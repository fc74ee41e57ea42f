import Testing
import TransferCore
import TransferModel

/// What each reply is good for. "Asked" means bytes=400- with If-Range "v1" of 1000 known bytes.
struct ReplyJudgeTests {
  private let now = BrainScript().now

  private func judge(
    _ status: Int, _ headers: [String: String], asked: Bool = true, total: Int64? = 1000,
    held: Int64 = 400, at path: String = "a.iso"
  ) -> ReplyJudge.Verdict {
    let resumeData = partial(held: held, total: total)
    return ReplyJudge(
      url: url("http://files.example/\(path)"),
      asked: asked ? AskedRange(offset: held, ifRange: "\"v1\"") : nil,
      resumeData: asked ? resumeData : nil
    ).judge(BrainScript.head(status, headers), at: now)
  }

  private var rest: ReplyJudge.Verdict? {
    ByteRange(lower: 400, upper: 1000).map { .takeRange($0) }
  }

  @Test func `the rest that was asked for is taken`() {
    let headers = ["Content-Range": "bytes 400-999/1000", "ETag": "\"v1\""]
    #expect(judge(206, headers) == rest)
    #expect(judge(206, headers.merging(["Content-Length": "600"]) { $1 }) == rest)
    #expect(judge(206, ["Content-Range": "bytes 400-999/*"]) == rest)
    #expect(
      judge(206, headers.merging(["Transfer-Encoding": "chunked"]) { $1 }) == rest,
      "the range is checked whatever frames the body")
  }

  @Test func `a shorter part is taken as far as it goes`() {
    #expect(
      judge(206, ["Content-Range": "bytes 400-499/1000"])
        == ByteRange(lower: 400, upper: 500).map { .takeRange($0) })
  }

  @Test(arguments: [
    "bytes 399-999/1000", "bytes 401-999/1000", "bytes 0-999/1000", "bytes 400-999",
    "bytes 400-1000/1000", "bytes 400-399/1000", "bytes 999-400/1000", "items 400-999/1000",
    "bytes */1000", "bytes -400-999/1000", "bytes 400-99999999999999999999/*", "", "bytes",
    "bytes 400-999/1000, bytes 0-1/1000", "bytes  400-999/1000", "bytes 400-9223372036854775807/*",
    "bytes +400-999/1000", "bytes 400-1200/*",
  ])
  func `a wrong range is never written`(_ contentRange: String) {
    guard case .retry(let failure, after: nil) = judge(206, ["Content-Range": contentRange]) else {
      Issue.record("\(contentRange) was accepted")
      return
    }
    #expect(failure.code == .rangeReplyWrong)
  }

  @Test func `a range reply without Content-Range, encoded, in parts or of another length`() {
    let good = ["Content-Range": "bytes 400-999/1000"]
    let bad: [[String: String]] = [
      [:],
      good.merging(["Content-Encoding": "gzip"]) { $1 },
      good.merging(["Content-Type": "multipart/byteranges; boundary=x"]) { $1 },
      good.merging(["Content-Length": "601"]) { $1 },
    ]
    for headers in bad {
      guard case .retry(let failure, _) = judge(206, headers) else {
        Issue.record("\(headers) was accepted")
        continue
      }
      #expect(failure.code == .rangeReplyWrong)
    }
  }

  @Test func `a 206 that nobody asked for is not the file`() {
    guard case .retry(let failure, _) = judge(206, ["Content-Range": "bytes 0-9/10"], asked: false)
    else {
      Issue.record("accepted")
      return
    }
    #expect(failure.code == .rangeReplyWrong)
  }

  @Test func `another version begins again and says so`() {
    #expect(
      judge(206, ["Content-Range": "bytes 400-999/1000", "ETag": "\"v2\""])
        == .askAgain(.resourceChanged))
    #expect(judge(206, ["Content-Range": "bytes 400-1099/1100"]) == .askAgain(.resourceChanged))
    guard
      case .takeWhole(total: 1000, _, because: .resourceChanged) = judge(
        200, ["Content-Length": "1000", "ETag": "\"v2\""])
    else {
      Issue.record("a new version was not seen")
      return
    }
  }

  @Test func `a server without ranges is taken from zero and says so`() {
    guard
      case .takeWhole(total: 1000, _, because: .rangeIgnored) = judge(
        200, ["Content-Length": "1000", "ETag": "\"v1\""])
    else {
      Issue.record("the whole file was not taken")
      return
    }
  }

  @Test func `a first reply teaches size and validator`() {
    #expect(
      judge(
        200,
        [
          "Content-Length": "5", "ETag": "W/\"x\"",
          "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
          "Date": "Sun, 06 Nov 1994 08:49:38 GMT",
        ], asked: false)
        == .takeWhole(
          total: 5,
          Validator(
            entityTag: "W/\"x\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT",
            isLastModifiedStrong: true), because: nil))
    #expect(judge(200, [:], asked: false) == .takeWhole(total: nil, nil, because: nil))
    #expect(
      judge(200, ["Content-Length": "7", "Transfer-Encoding": "chunked"], asked: false)
        == .takeWhole(total: nil, nil, because: nil))
  }

  @Test func `an encoded whole is refused unless it is the stored file's own coding`() {
    guard case .fail(let failure) = judge(200, ["Content-Encoding": "gzip"], asked: false) else {
      Issue.record("accepted")
      return
    }
    #expect(failure.code == .encodedReply)
    #expect(
      judge(200, ["Content-Encoding": "x-gzip"], asked: false, at: "a.tar.gz")
        == .takeWhole(total: nil, nil, because: nil))
    #expect(
      judge(200, ["Content-Encoding": "identity"], asked: false)
        == .takeWhole(total: nil, nil, because: nil))
  }

  @Test func `416 with the held size is the end, any other begins again`() {
    #expect(judge(416, ["Content-Range": "bytes */1000"], held: 1000) == .alreadyWhole)
    #expect(judge(416, ["Content-Range": "bytes */900"], held: 1000) == .askAgain(.resourceChanged))
    #expect(judge(416, ["Content-Range": "bytes */400"]) == .askAgain(.resourceChanged))
    #expect(judge(416, [:]) == .askAgain(.rangeIgnored))
    guard case .fail = judge(416, [:], asked: false) else {
      Issue.record("a 416 without a range asked for is no answer")
      return
    }
  }

  @Test(arguments: [408, 425, 429, 500, 502, 503, 504, 520, 524])
  func `what passes by itself is retried`(_ status: Int) {
    guard case .retry(let failure, after: nil) = judge(status, [:], asked: false) else {
      Issue.record("\(status) was not retried")
      return
    }
    #expect(failure.detail == String(status))
  }

  @Test(arguments: [204, 205, 300, 304, 400, 403, 404, 405, 410, 412, 451, 501, 505, 599])
  func `what does not pass fails`(_ status: Int) {
    guard case .fail(let failure) = judge(status, [:], asked: false) else {
      Issue.record("\(status) did not fail")
      return
    }
    #expect(failure.code == .httpStatus)
  }

  @Test func `redirects need one location`() {
    #expect(judge(302, ["Location": "/b"], asked: false) == .redirect("/b"))
    guard case .fail = judge(302, [:], asked: false) else {
      Issue.record("accepted")
      return
    }
    let twice = ResponseHead(
      status: 302,
      headers: [HeaderField(received: "Location", "/a"), HeaderField(received: "Location", "/b")])
    let judge = ReplyJudge(url: url("http://files.example/a"), asked: nil, resumeData: nil)
    guard case .fail(let failure) = judge.judge(twice, at: now) else {
      Issue.record("accepted")
      return
    }
    #expect(failure.code == .redirectRefused)
  }

  @Test func `contradicting lengths are no length`() {
    let head = ResponseHead(
      status: 200,
      headers: [
        HeaderField(received: "Content-Length", "5"), HeaderField(received: "Content-Length", "6"),
      ])
    #expect(head.bodyByteCount == nil)
    for text in ["-5", "+5", "5, 5", "0x5", "99999999999999999999", "", "5 5"] {
      #expect(
        ResponseHead(status: 200, headers: [HeaderField(received: "Content-Length", text)])
          .bodyByteCount == nil, "\(text)")
    }
  }
}
