import KettleModel
import Testing

@testable import KettleScheduler

/// How responses are classified. By default, bytes=400- of 1000 known bytes is requested with
/// If-Range "v1".
struct ResponseClassifierTests {
  let now = SchedulerScript().now

  func classify(
    _ status: Int, _ headers: [String: String], requested: Bool = true, total: Int64? = 1000,
    durable: Int64 = 400, at path: String = "a.iso",
    proof: RequestedRange.Proof = .ifRange("\"v1\"")
  ) -> ResponseClassifier.Classification {
    let resumeData = partial(durable: durable, total: total)
    return ResponseClassifier(
      url: url("http://files.example/\(path)"),
      requested: requested ? RequestedRange(lower: durable, upper: nil, proof: proof) : nil,
      mode: .resuming,
      resumeData: requested ? resumeData : nil
    ).classify(SchedulerScript.head(status, headers), at: now)
  }

  /// The accepted range; nil for any other result.
  func taken(_ verdict: ResponseClassifier.Classification) -> ByteRange? {
    if case .acceptRange(let range, _) = verdict { range } else { nil }
  }

  func use(_ verdict: ResponseClassifier.Classification) -> ResponseClassifier.Whole.Use? {
    if case .acceptWhole(let whole) = verdict { whole.use } else { nil }
  }

  private let rest = ByteRange(lower: 400, upper: 1000)

  @Test func `the requested rest is accepted`() {
    let headers = ["Content-Range": "bytes 400-999/1000", "ETag": "\"v1\""]
    #expect(taken(classify(206, headers)) == rest)
    #expect(taken(classify(206, headers.merging(["Content-Length": "600"]) { $1 })) == rest)
    #expect(taken(classify(206, ["Content-Range": "bytes 400-999/*"])) == rest)
    #expect(
      taken(classify(206, headers.merging(["Transfer-Encoding": "chunked"]) { $1 })) == rest,
      "the range is checked whatever frames the body")
  }

  // Fault 26
  @Test(arguments: [9, 1 << 20])
  func `after a body without a length its end is requested again`(_ durable: Int64) {
    func range(total: Int64?) -> RequestedRange? {
      RequestedRange(
        resuming: partial(durable: durable, total: total), mode: .resuming, kinship: .sameURL,
        form: .untried)
    }
    let proof = RequestedRange.Proof.ifRange("\"v1\"")
    let lower = max(0, durable - 65536)
    #expect(range(total: nil) == RequestedRange(lower: lower, upper: nil, proof: proof))
    #expect(range(total: 2 << 20) == RequestedRange(lower: durable, upper: nil, proof: proof))
  }

  @Test func `a shorter range is accepted up to its end`() {
    #expect(
      taken(classify(206, ["Content-Range": "bytes 400-499/1000"]))
        == ByteRange(lower: 400, upper: 500))
  }

  @Test(arguments: [
    "bytes 399-999/1000", "bytes 401-999/1000", "bytes 0-999/1000", "bytes 400-999",
    "bytes 400-1000/1000", "bytes 400-399/1000", "bytes 999-400/1000", "items 400-999/1000",
    "bytes */1000", "bytes -400-999/1000", "bytes 400-99999999999999999999/*", "", "bytes",
    "bytes 400-999/1000, bytes 0-1/1000", "bytes  400-999/1000", "bytes 400-9223372036854775807/*",
    "bytes +400-999/1000", "bytes 400-1200/*",
  ])
  func `a wrong Content-Range is rejected`(_ contentRange: String) {
    guard case .retry(let failure, after: nil) = classify(206, ["Content-Range": contentRange])
    else {
      Issue.record("\(contentRange) was accepted")
      return
    }
    #expect(failure.code == .rangeReplyWrong)
  }

  @Test func `a 206 without Content-Range, encoded, multipart or of another length is rejected`() {
    let good = ["Content-Range": "bytes 400-999/1000"]
    let bad: [[String: String]] = [
      [:],
      good.merging(["Content-Encoding": "gzip"]) { $1 },
      good.merging(["Content-Type": "multipart/byteranges; boundary=x"]) { $1 },
      good.merging(["Content-Length": "601"]) { $1 },
    ]
    for headers in bad {
      guard case .retry(let failure, _) = classify(206, headers) else {
        Issue.record("\(headers) was accepted")
        continue
      }
      #expect(failure.code == .rangeReplyWrong)
    }
  }

  // Fault 141
  @Test func `after a 206 without a requested range, all bytes are requested as a range`() {
    let part = ["Content-Range": "bytes 0-9/10", "Content-Length": "10", "ETag": "\"v1\""]
    #expect(classify(206, part, requested: false) == .requestAsRange)
    #expect(classify(206, [:], requested: false) == .requestAsRange)
    #expect(RequestedRange.all.headers == [HeaderField(received: "Range", "bytes=0-")])
  }

  // Fault 141
  @Test func `all bytes as a range are the whole file or its beginning`() {
    func classify(
      _ contentRange: String, length: String? = nil, holding resumeData: ResumeData? = nil
    ) -> ResponseClassifier.Classification {
      var headers = ["Content-Range": contentRange, "ETag": "\"v1\""]
      headers["Content-Length"] = length
      return ResponseClassifier(
        url: url("http://files.example/a.iso"), requested: .all, mode: .resuming,
        resumeData: resumeData
      ).classify(SchedulerScript.head(206, headers), at: now)
    }
    func whole(_ verdict: ResponseClassifier.Classification) -> ResponseClassifier.Whole? {
      if case .acceptWhole(let whole) = verdict { whole } else { nil }
    }
    for data in [nil, partial(durable: 0)] {
      let all = whole(classify("bytes 0-999/1000", length: "1000", holding: data))
      #expect(all?.use == .new)
      #expect(all?.facts.total == 1000)
      #expect(all?.endOfBeginning == nil)
      #expect(whole(classify("bytes 0-999/1000", holding: data))?.facts.total == 1000)
      let beginning = whole(classify("bytes 0-399/1000", length: "400", holding: data))
      #expect(beginning?.use == .new)
      #expect(beginning?.facts.total == 1000)
      #expect(beginning?.endOfBeginning == 400)
    }
    let held = partial(durable: 400)
    #expect(
      whole(classify("bytes 0-999/1000", holding: held))?.use == .compared(because: .rangeIgnored))
    for contentRange in ["bytes 1-999/1000", "bytes 0-999/*", "bytes */1000", "x"] {
      #expect(whole(classify(contentRange)) == nil, "\(contentRange)")
    }
    #expect(whole(classify("bytes 0-999/1000", length: "999")) == nil)
    #expect(whole(classify("bytes 0-399/1000", holding: held)) == nil, "it proves too little")
  }

  @Test func `a different size or a missing entity tag means another version`() {
    #expect(
      classify(206, ["Content-Range": "bytes 400-1099/1100"])
        == .requestAgain(.fresh(.resourceChanged)))
    #expect(
      use(classify(200, ["Content-Length": "1100", "ETag": "W/\"v1\""]))
        == .instead(because: .resourceChanged))
    #expect(
      use(classify(200, ["Content-Length": "300", "ETag": "\"v2\""], total: nil))
        == .instead(because: .resourceChanged))
    #expect(
      use(classify(200, ["Content-Length": "1000"])) == .instead(because: .resourceChanged))
  }

  @Test func `a different entity tag means another version only if it is repeated`() {
    let suspect = RequestedRange.Proof.overlap(suspect: "\"v2\"")
    let part = ["Content-Range": "bytes 400-999/1000", "ETag": "\"v2\""]
    #expect(classify(206, part) == .requestAgain(.proving(suspect)))
    let whole = ["Content-Length": "1000", "ETag": "\"v2\""]
    #expect(classify(200, whole) == .requestAgain(.proving(suspect)))
    // The tag is repeated, so it belongs to a new version.
    #expect(classify(206, part, proof: suspect) == .requestAgain(.fresh(.resourceChanged)))
    #expect(use(classify(200, whole, proof: suspect)) == .instead(because: .resourceChanged))
    // A third tag: this server changes its tags at random, or three versions were there.
    let third = ["Content-Range": "bytes 400-999/1000", "ETag": "\"v3\""]
    #expect(classify(206, third, proof: suspect) == .requestAgain(.comparing))
  }

  static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
  static let later = "Sun, 06 Nov 1994 09:00:00 GMT"

  // Fault 137
  @Test func `against the tags of the server only a date or the whole file counts`() {
    let (date, later) = (Self.date, Self.later)
    func verdict(
      _ sent: String?, at now: String = Self.later, knownIsStrong: Bool = true
    ) -> ResponseClassifier.Classification {
      var known = partial(durable: 400)
      known.validator = Validator(
        entityTag: "\"v1\"", lastModified: date, isLastModifiedStrong: knownIsStrong)
      var headers = [
        "Content-Range": "bytes 400-999/1000", "ETag": "\"v3\"", "Date": now,
      ]
      headers["Last-Modified"] = sent
      return ResponseClassifier(
        url: url("http://files.example/a.iso"),
        requested: RequestedRange(
          lower: 400, upper: nil, proof: .overlap(suspect: "\"v2\"")),
        mode: .proving(.overlap(suspect: "\"v2\"")), resumeData: known
      ).classify(SchedulerScript.head(206, headers), at: self.now)
    }
    #expect(taken(verdict(date)) == rest)
    #expect(verdict(date, knownIsStrong: false) == .requestAgain(.comparing))
    #expect(verdict(date, at: date) == .requestAgain(.comparing))
    #expect(verdict(nil) == .requestAgain(.comparing))
    #expect(verdict(later) == .requestAgain(.fresh(.resourceChanged)))
    // The whole file with another tag is compared.
    let whole = ResponseClassifier(
      url: url("http://files.example/a.iso"), requested: nil, mode: .comparing,
      resumeData: partial(durable: 400))
    let head = SchedulerScript.head(200, ["Content-Length": "1000", "ETag": "\"v4\""])
    #expect(use(whole.classify(head, at: now)) == .compared(because: .noValidator))
  }

  @Test func `after a full response with the known tag, the range is requested without If-Range`() {
    let whole = ["Content-Length": "1000", "ETag": "\"v1\""]
    #expect(classify(200, whole) == .requestAgain(.proving(.sameValidator)))
    // If the server does not support ranges, the durable bytes are compared with the full body.
    #expect(use(classify(200, whole, proof: .sameValidator)) == .compared(because: .rangeIgnored))
  }

  @Test func `without durable bytes before the gap, the whole file serves as the overlap`() {
    var resumeData = partial()
    if let end = ByteRange(lower: 400, upper: 1000) { resumeData.durable.insert(end) }
    let classifier = ResponseClassifier(
      url: url("http://files.example/a.iso"), requested: nil,
      mode: .proving(.overlap(suspect: "\"v2\"")), resumeData: resumeData)
    func use(_ entityTag: String) -> ResponseClassifier.Whole.Use? {
      let head = SchedulerScript.head(200, ["Content-Length": "1000", "ETag": entityTag])
      return self.use(classifier.classify(head, at: now))
    }
    #expect(use("\"v3\"") == .compared(because: .noValidator))
    #expect(use("\"v2\"") == .instead(because: .resourceChanged))
  }

  @Test func `without If-Range the entity tag must be present and equal`() {
    let range = ["Content-Range": "bytes 400-999/1000"]
    let same = range.merging(["ETag": "\"v1\""]) { $1 }
    #expect(taken(classify(206, same, proof: .sameValidator)) == rest)
    for headers in [range, range.merging(["ETag": "\"v2\""]) { $1 }] {
      #expect(
        classify(206, headers, proof: .sameValidator) == .requestAgain(.fresh(.resourceChanged)))
    }
  }

  @Test func `an overlap proves nothing unless both sizes are known`() {
    let overlap = RequestedRange.Proof.overlap(suspect: nil)
    let unknown = ["Content-Range": "bytes 400-999/*"]
    #expect(classify(206, unknown, proof: overlap) == .requestAgain(.comparing))
    #expect(taken(classify(206, ["Content-Range": "bytes 400-999/1000"], proof: overlap)) == rest)
  }

  @Test func `a response beyond the requested range is rejected`() {
    let requested = RequestedRange(lower: 400, upper: 500, proof: .ifRange("\"v1\""))
    let classifier = ResponseClassifier(
      url: url("http://files.example/a"), requested: requested, mode: .resuming,
      resumeData: partial(durable: 400))
    let verdict = classifier.classify(
      SchedulerScript.head(206, ["Content-Range": "bytes 400-999/1000"]), at: now)
    guard case .retry(let failure, _) = verdict else {
      Issue.record("more than was asked for was accepted")
      return
    }
    #expect(failure.code == .rangeReplyWrong)
  }

  @Test func `a web page instead of an archive is not a new version`() {
    var known = partial(durable: 400)
    known.mediaType = "application/octet-stream"
    let classifier = ResponseClassifier(
      url: url("http://files.example/a"),
      requested: RequestedRange(lower: 400, upper: nil, proof: .ifRange("\"v1\"")), mode: .resuming,
      resumeData: known)
    let head = SchedulerScript.head(
      200, ["Content-Length": "17", "Content-Type": "text/html; charset=utf-8"])
    guard case .wait(.needsLink, _) = classifier.classify(head, at: now) else {
      Issue.record("the page was taken for the file")
      return
    }
  }

  // Fault 45
  @Test func `a new link to another file keeps the durable bytes`() {
    var known = partial(durable: 400)
    known.validatorURL = "http://files.example/old"
    let requested = RequestedRange(lower: 400, upper: nil, proof: .ifRange("\"v1\""))
    let classifier = ResponseClassifier(
      url: url("http://files.example/a"), requested: requested, mode: .resuming, resumeData: known)
    let heads = [
      SchedulerScript.head(200, ["Content-Length": "1001", "ETag": "\"zz\""]),
      SchedulerScript.head(206, ["Content-Range": "bytes 400-1000/1001", "ETag": "\"zz\""]),
      SchedulerScript.head(416, ["Content-Range": "bytes */300"]),
    ]
    for head in heads {
      guard case .wait(.needsLink, let failure) = classifier.classify(head, at: now) else {
        Issue.record("\(head.status) gave up what is held")
        continue
      }
      #expect(failure.code == .otherFile)
    }
  }

  @Test func `the first response provides size, validator, digest and media type`() {
    let digest = "RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o="
    let verdict = classify(
      200,
      [
        "Content-Length": "5", "ETag": "W/\"x\"",
        "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
        "Date": "Sun, 06 Nov 1994 08:49:38 GMT", "Content-Type": "Text/Plain;charset=x",
        "Repr-Digest": "md5=:AAAA:, sha-256=:\(digest):",
      ], requested: false)
    let validator = Validator(
      entityTag: "W/\"x\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT",
      isLastModifiedStrong: true)
    let checksum = Checksum(
      algorithm: .sha256, hex: "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a")
    #expect(checksum != nil)
    #expect(
      verdict
        == .acceptWhole(
          ResponseClassifier.Whole(
            facts: ResponseClassifier.FileFacts(
              total: 5, validator: validator, checksum: checksum, mediaType: "text/plain"),
            use: .new)))
    let nothing = ResponseClassifier.Whole(facts: ResponseClassifier.FileFacts(), use: .new)
    #expect(classify(200, [:], requested: false) == .acceptWhole(nothing))
    #expect(
      classify(200, ["Content-Length": "7", "Transfer-Encoding": "chunked"], requested: false)
        == .acceptWhole(nothing))
  }

  @Test func `a whole response in another compression replaces the bytes`() {
    let validator = ["ETag": "\"v1\"", "Content-Length": "1000"]
    #expect(
      use(classify(200, validator.merging(["Content-Encoding": "gzip"]) { $1 }))
        == .instead(because: .resourceChanged))
  }

  /// Validators of a known file and of a response to it.
  enum Bond: CaseIterable {
    case sameTag, otherTag, sameWeakTag, otherWeakTag, sameDate, otherDate, sameWeakDate, none
    case tagGone

    /// Whether a server that has another version could send both.
    var provesOther: Bool {
      switch self {
      case .otherTag, .otherWeakTag, .otherDate: true
      case .sameTag, .sameWeakTag, .sameDate, .sameWeakDate, .none, .tagGone: false
      }
    }

    var known: Validator? {
      switch self {
      case .sameTag, .otherTag, .tagGone:
        Validator(entityTag: "\"v1\"", lastModified: nil, isLastModifiedStrong: false)
      case .sameWeakTag, .otherWeakTag:
        Validator(entityTag: "W/\"v1\"", lastModified: nil, isLastModifiedStrong: false)
      case .sameDate, .otherDate, .sameWeakDate:
        Validator(
          entityTag: nil, lastModified: "Sun, 06 Nov 1994 08:49:37 GMT",
          isLastModifiedStrong: self != .sameWeakDate)
      case .none: nil
      }
    }

    var sent: [String: String] {
      switch self {
      case .sameTag: ["ETag": "\"v1\""]
      case .otherTag: ["ETag": "\"v2\""]
      case .sameWeakTag: ["ETag": "W/\"v1\""]
      case .otherWeakTag: ["ETag": "W/\"v2\""]
      case .sameDate:
        [
          "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
          "Date": "Sun, 06 Nov 1994 09:00:00 GMT",
        ]
      case .otherDate: ["Last-Modified": "Sun, 06 Nov 1994 08:59:37 GMT"]
      case .sameWeakDate: ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]
      case .none, .tagGone: [:]
      }
    }
  }

  /// A whole body of so many bytes; nil for chunks. 400 of 1000 bytes are known.
  func whole(
    _ byteCount: Int64?, _ bond: Bond, asking proof: RequestedRange.Proof?,
    kinship: Kinship = .sameURL, mode: RequestMode = .comparing
  ) -> ResponseClassifier.Classification {
    var known = partial(durable: 400)
    known.validator = bond.known
    let requested = proof.map { RequestedRange(lower: 400, upper: nil, proof: $0) }
    var headers = bond.sent
    headers["Content-Length"] = byteCount.map(String.init)
    if byteCount == nil { headers["Transfer-Encoding"] = "chunked" }
    return ResponseClassifier(
      url: url("http://files.example/a.iso"), requested: requested,
      mode: requested == nil ? mode : .resuming, resumeData: known, kinship: kinship
    ).classify(SchedulerScript.head(200, headers), at: now)
  }

  // Fault 136
  @Test(arguments: Bond.allCases, [Kinship.sameURL, .otherServer, .otherURL])
  func `the missing part never becomes the file in reply to a range`(
    bond: Bond, kinship: Kinship
  ) {
    for proof in [
      RequestedRange.Proof.ifRange("\"v1\""), .sameValidator, .overlap(suspect: nil),
      .overlap(suspect: "\"v9\""),
    ] {
      for byteCount in [600, nil] as [Int64?] {
        let verdict = whole(byteCount, bond, asking: proof, kinship: kinship)
        switch verdict {
        case .requestAgain(.comparing), .retry, .requestAgain(.proving): break
        case .acceptWhole(let whole):
          // Then the bytes decide.
          guard case .compared = whole.use, byteCount == nil else {
            Issue.record("\(proof), \(byteCount ?? -1): \(verdict)")
            continue
          }
        default: Issue.record("\(proof), \(byteCount ?? -1): \(verdict)")
        }
      }
    }
  }

  // Fault 136
  @Test(arguments: Bond.allCases)
  func `another length is believed with other validators, or without a range`(bond: Bond) {
    // In reply to a range.
    let inReply = whole(500, bond, asking: .ifRange("\"v1\""))
    if bond.provesOther {
      #expect(use(inReply) == .instead(because: .resourceChanged))
    } else if bond == .sameTag || bond == .sameDate {
      #expect(contradiction(inReply) != nil)
    } else {
      #expect(inReply == .requestAgain(.comparing))
    }
    // In reply to a request for the whole file.
    let plain = whole(500, bond, asking: nil)
    switch bond {
    case .otherTag, .otherWeakTag, .otherDate, .none, .tagGone:
      #expect(use(plain) == .instead(because: .resourceChanged))
    case .sameTag, .sameWeakTag, .sameDate, .sameWeakDate: #expect(contradiction(plain) != nil)
    }
    // Of exactly the missing part.
    let part = whole(600, bond, asking: nil)
    if bond.provesOther {
      #expect(use(part) == .instead(because: .resourceChanged))
    } else {
      #expect(contradiction(part) != nil)
    }
    #expect(
      (contradiction(whole(600, bond, asking: nil, mode: .fresh(.resourceChanged))) == nil)
        == bond.provesOther)
    // A longer file is no part of the known one.
    if bond == .none || bond.provesOther {
      #expect(
        use(whole(1100, bond, asking: .ifRange("\"v1\"")))
          == .instead(because: .resourceChanged))
    }
  }

  // Fault 138
  @Test(arguments: [Kinship.otherServer, .otherURL])
  func `the validator of another URL proves nothing and refutes nothing`(kinship: Kinship) {
    var known = partial(durable: 2 << 20, total: 4 << 20)
    known.validator?.lastModified = "Sun, 06 Nov 1994 08:49:37 GMT"
    for mode in [RequestMode.resuming, .proving(.sameValidator)] {
      let requested = RequestedRange(
        resuming: known, mode: mode, kinship: kinship, form: .untried)
      #expect(requested?.proof == .overlap(suspect: nil))
      #expect(requested?.lower == (2 << 20) - (64 << 10))
      #expect(requested?.headers.contains { $0.name == "If-Range" } == false)
    }
    let requested = RequestedRange(
      lower: (2 << 20) - (64 << 10), upper: nil, proof: .overlap(suspect: nil))
    let classifier = ResponseClassifier(
      url: url("http://b.example/a.iso"), requested: requested, mode: .resuming,
      resumeData: known, kinship: kinship)
    func verdict(_ status: Int, total: Int64) -> ResponseClassifier.Classification {
      let part = "bytes \(requested.lower)-\(total - 1)/\(total)"
      let headers = [
        "ETag": "\"other\"", "Last-Modified": "Sun, 06 Nov 1994 10:49:37 GMT",
        status == 206 ? "Content-Range" : "Content-Length": status == 206 ? part : "\(total)",
      ]
      return classifier.classify(SchedulerScript.head(status, headers), at: now)
    }
    #expect(taken(verdict(206, total: 4 << 20)) != nil)
    #expect(use(verdict(200, total: 4 << 20)) == .compared(because: .rangeIgnored))
    // A difference is another version, or another file.
    let other = verdict(206, total: 5 << 20)
    switch kinship {
    case .otherURL:
      guard case .wait(.needsLink, _) = other else {
        Issue.record("\(other)")
        return
      }
    case .otherServer, .sameURL: #expect(other == .requestAgain(.fresh(.resourceChanged)))
    }
  }
}
