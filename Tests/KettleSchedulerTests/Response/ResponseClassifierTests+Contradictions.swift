import KettleModel
import Testing

@testable import KettleScheduler

/// Responses that contradict themselves or what is known.
extension ResponseClassifierTests {
  func contradiction(_ verdict: ResponseClassifier.Classification) -> String? {
    guard case .retry(let failure, after: nil) = verdict, failure.code == .contradictoryReply
    else { return nil }
    return failure.detail
  }

  // Fault 1
  @Test(arguments: [200, 203], ["bytes 400-999/1000", "bytes 0-999/1000", "bytes */1000", "x"])
  func `a full response with a Content-Range is contradictory`(
    status: Int, contentRange: String
  ) {
    for requested in [true, false] {
      let headers = [
        "Content-Range": contentRange, "Content-Length": "600", "ETag": "\"v1\"",
      ]
      #expect(
        contradiction(classify(status, headers, requested: requested))
          == "\(status) with Content-Range: \(contentRange)")
    }
  }

  // Fault 1
  // Fault 141
  @Test(arguments: [200, 203], ["bytes 0-999/1000", "bytes 0-999/*", "bytes */1000"])
  func `a Content-Range that only repeats the length of a full response does no harm`(
    status: Int, contentRange: String
  ) {
    func headers(_ length: String?) -> [String: String] {
      var headers = ["Content-Range": contentRange, "ETag": "\"v1\""]
      headers["Content-Length"] = length
      return headers
    }
    #expect(use(classify(status, headers("1000"), requested: false)) == .new)
    // Beside present bytes it is what any full response is.
    #expect(
      classify(status, headers("1000")) == .requestAgain(.proving(.sameValidator)))
    for length in ["999", "1001", nil] {
      #expect(
        contradiction(classify(status, headers(length), requested: false)) != nil,
        "\(length ?? "none")")
    }
    let twice = ResponseHead(
      status: status,
      headers: [
        HeaderField(received: "Content-Range", contentRange),
        HeaderField(received: "Content-Range", contentRange),
        HeaderField(received: "Content-Length", "1000"),
      ])
    let classifier = ResponseClassifier(
      url: url("http://files.example/a"), requested: nil, mode: .resuming, resumeData: nil)
    #expect(contradiction(classifier.classify(twice, at: now)) != nil)
  }

  // Fault 1
  // Fault 7
  @Test func `a different length with the known validator is a contradiction, not a new version`() {
    let detail = "600 bytes in place of 1000 under the same validator"
    let shorter = ["Content-Length": "600", "ETag": "\"v1\""]
    #expect(contradiction(classify(200, shorter)) == detail)
    #expect(contradiction(classify(200, shorter, proof: .sameValidator)) == detail)
    let part = ["Content-Range": "bytes 400-599/600", "ETag": "\"v1\""]
    #expect(contradiction(classify(206, part)) == detail)
    let end = ["Content-Range": "bytes */600", "ETag": "\"v1\""]
    #expect(contradiction(classify(416, end)) == detail)
    // A length below the durable size is different, too.
    let few = ["Content-Length": "300", "ETag": "\"v1\""]
    #expect(
      contradiction(classify(200, few, total: nil))
        == "300 bytes in place of 400 under the same validator")
  }

  @Test func `a full response to a fresh request must not contradict known facts either`() {
    let classifier = ResponseClassifier(
      url: url("http://files.example/a"), requested: nil, mode: .fresh(.resourceChanged),
      resumeData: partial(durable: 400))
    let same = SchedulerScript.head(200, ["Content-Length": "600", "ETag": "\"v1\""])
    #expect(contradiction(classifier.classify(same, at: now)) != nil)
    let other = SchedulerScript.head(200, ["Content-Length": "600", "ETag": "\"v2\""])
    #expect(use(classifier.classify(other, at: now)) == .instead(because: .resourceChanged))
  }

  // Fault 27
  @Test func `a full response without a length has the known one if the validator matches`() {
    let classifier = ResponseClassifier(
      url: url("http://files.example/a"), requested: nil, mode: .fresh(.resourceChanged),
      resumeData: partial(durable: 400))
    let total = { (entityTag: String) -> Int64? in
      let chunks = ["Transfer-Encoding": "chunked", "ETag": entityTag]
      guard
        case .acceptWhole(let whole) = classifier.classify(
          SchedulerScript.head(200, chunks), at: now)
      else {
        return -1
      }
      return whole.facts.total
    }
    #expect(total("\"v1\"") == 1000)
    #expect(total("\"v2\"") == nil)
    #expect(total("W/\"v1\"") == nil)
  }

  // Fault 18
  @Test func `a 416 completes a file of unknown length only with the known validator`() {
    let end = ["Content-Range": "bytes */400"]
    #expect(classify(416, end, total: nil) == .requestAgain(.comparing))
    #expect(
      classify(416, end.merging(["ETag": "\"v2\""]) { $1 }, total: nil) == .requestAgain(.comparing)
    )
    #expect(
      classify(416, end.merging(["ETag": "\"v1\""]) { $1 }, total: nil) == .alreadyWhole)
  }

  @Test func `a 416 with the durable size completes the file, and any other requests it again`() {
    #expect(classify(416, ["Content-Range": "bytes */1000"], durable: 1000) == .alreadyWhole)
    #expect(
      classify(416, ["Content-Range": "bytes */900"], durable: 1000)
        == .requestAgain(.fresh(.resourceChanged)))
    #expect(
      classify(416, ["Content-Range": "bytes */400"]) == .requestAgain(.fresh(.resourceChanged)))
    // The size is unchanged, so the refused range is inside the file.
    #expect(classify(416, ["Content-Range": "bytes */1000"]) == .requestAgain(.comparing))
    #expect(classify(416, [:]) == .requestAgain(.comparing))
    guard case .fail = classify(416, [:], requested: false) else {
      Issue.record("a 416 without a range asked for is no answer")
      return
    }
  }

  // Fault 1
  @Test func `a fetch from the beginning after contradictions keeps what it can`() {
    let classifier = ResponseClassifier(
      url: url("http://files.example/a"), requested: nil, mode: .fresh(.contradictoryReplies),
      resumeData: partial(durable: 400))
    func verdict(_ headers: [String: String]) -> ResponseClassifier.Classification {
      classifier.classify(SchedulerScript.head(200, headers), at: now)
    }
    #expect(
      use(verdict(["Content-Length": "1000", "ETag": "\"v1\""]))
        == .compared(because: .contradictoryReplies))
    #expect(
      use(verdict(["Content-Length": "900", "ETag": "\"v2\""]))
        == .instead(because: .resourceChanged))
    #expect(contradiction(verdict(["Content-Length": "600", "ETag": "\"v1\""])) != nil)
  }

  private enum Kind: Hashable {
    case retry, refused, login, fail, other

    init(_ verdict: ResponseClassifier.Classification) {
      switch verdict {
      case .retry: self = .retry
      case .refused: self = .refused
      case .wait(.needsLogin, _): self = .login
      case .fail: self = .fail
      case .acceptWhole, .acceptRange, .alreadyWhole, .requestAgain, .redirect, .wait,
        .requestAsRange:
        self = .other
      }
    }
  }

  // Fault 142
  @Test(arguments: [true, false])
  func `every status is treated as the table of meanings says`(hasRetryAfter: Bool) {
    let files: Set<Int> = [200, 203, 206]
    for status in 201...599 where !files.contains(status) {
      let headers = hasRetryAfter ? ["Retry-After": "60"] : [:]
      let expected: Kind =
        switch StatusMeaning(status: status, hasRetryAfter: hasRetryAfter) {
        case .passing, .host, .network: .retry
        case .user: .login
        case .final: .fail
        }
      #expect(Kind(classify(status, headers, requested: false)) == expected, "\(status)")
      // A range that does not exist has rules of its own.
      if status == 416 { continue }
      #expect(
        Kind(classify(status, headers)) == (expected == .fail ? .refused : expected),
        "\(status) with bytes")
    }
  }

  // Fault 142
  @Test func `a Retry-After makes a final refusal one that may pass`() {
    for status in [400, 403, 404, 409, 410, 423, 451, 202, 421, 501, 509, 529, 598] {
      let verdict = classify(status, ["Retry-After": "30"], requested: false)
      guard case .retry(let failure, let after?) = verdict else {
        Issue.record("\(status) was not retried: \(verdict)")
        continue
      }
      #expect(after.milliseconds == 30_000)
      #expect(failure.detail == "\(status)")
    }
    guard case .fail = classify(403, ["Retry-After": "soon"], requested: false) else {
      Issue.record("a time that is none was believed")
      return
    }
  }

  @Test(arguments: [
    202, 408, 421, 425, 429, 500, 502, 503, 504, 507, 509, 511, 520, 524, 529, 530, 598, 599,
  ])
  func `a temporary failure is retried`(_ status: Int) {
    guard case .retry(let failure, after: nil) = classify(status, [:], requested: false) else {
      Issue.record("\(status) was not retried")
      return
    }
    #expect(failure.detail == String(status))
  }

  @Test(arguments: [201, 204, 205, 300, 304, 400, 403, 404, 405, 410, 412, 451, 501, 505, 508])
  func `a permanent failure is not retried`(_ status: Int) {
    guard case .fail(let failure) = classify(status, [:], requested: false) else {
      Issue.record("\(status) did not fail")
      return
    }
    #expect(failure.code == .httpStatus)
  }

  @Test func `a redirect needs exactly one Location`() {
    #expect(classify(302, ["Location": "/b"], requested: false) == .redirect("/b"))
    guard case .fail = classify(302, [:], requested: false) else {
      Issue.record("accepted")
      return
    }
    let twice = ResponseHead(
      status: 302,
      headers: [HeaderField(received: "Location", "/a"), HeaderField(received: "Location", "/b")])
    let classifier = ResponseClassifier(
      url: url("http://files.example/a"), requested: nil, mode: .resuming, resumeData: nil)
    guard case .fail(let failure) = classifier.classify(twice, at: now) else {
      Issue.record("accepted")
      return
    }
    #expect(failure.code == .redirectRefused)
  }

  @Test func `contradictory or malformed lengths are ignored`() {
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
