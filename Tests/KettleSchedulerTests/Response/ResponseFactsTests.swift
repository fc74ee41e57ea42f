import KettleModel
import KettleScheduler
import Testing

/// What the head of a whole response says about its bytes: their digest and their compression.
struct ResponseFactsTests {
  private func classify(
    _ status: Int, _ headers: [String: String], at path: String = "a.iso"
  ) -> ResponseClassifier.Classification {
    ResponseClassifier(
      url: url("http://files.example/\(path)"), requested: nil, mode: .resuming, resumeData: nil
    ).classify(SchedulerScript.head(status, headers), at: SchedulerScript().now)
  }

  private func use(_ verdict: ResponseClassifier.Classification) -> ResponseClassifier.Whole.Use? {
    if case .acceptWhole(let whole) = verdict { whole.use } else { nil }
  }

  @Test(arguments: [
    ("x-goog-hash", "crc32c=n03x6A==, md5=XUFAKrxLKna5cZ2REBfFkg==", Checksum.Algorithm.md5),
    ("Content-MD5", "XUFAKrxLKna5cZ2REBfFkg==", .md5),
    ("x-amz-checksum-sha1", "qvTGHdzF6KLavt4PO0gs2a6pQ00=", .sha1),
    ("x-amz-checksum-sha256", "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=", .sha256),
  ])
  func `the digest of an object store is compared`(
    header: String, value: String, algorithm: Checksum.Algorithm
  ) {
    guard case .acceptWhole(let whole) = classify(200, [header: value]) else {
      Issue.record("not accepted")
      return
    }
    #expect(whole.facts.checksum?.algorithm == algorithm)
    let composite = classify(200, [header: value + "-3"])
    #expect(use(composite) == .new)
    if case .acceptWhole(let whole) = composite, header.hasPrefix("x-amz") {
      #expect(whole.facts.checksum == nil)
    }
  }

  @Test func `the MD5 of a part is not that of the file`() {
    let head = ResponseHead(
      status: 206, headers: [HeaderField(received: "Content-MD5", "XUFAKrxLKna5cZ2REBfFkg==")])
    #expect(head.representationDigest == nil)
  }

  private func coding(_ verdict: ResponseClassifier.Classification) -> String? {
    guard case .acceptWhole(let whole) = verdict else { return nil }
    return whole.facts.contentCoding
  }

  @Test(arguments: [
    ("gzip", "gzip"), ("BR", "br"), ("deflate, gzip", "deflate, gzip"), ("identity", nil),
    ("utf-8", nil), ("none", nil), ("aws-chunked", nil), ("aws-chunked,gzip", "gzip"),
  ])
  func `a compressed response is taken as it was sent`(sent: String, coding expected: String?) {
    let verdict = classify(200, ["Content-Encoding": sent])
    #expect(use(verdict) == .new)
    #expect(coding(verdict) == expected)
  }

  @Test func `the compression of a stored file is its own`() {
    let verdict = classify(
      200, ["Content-Encoding": "x-gzip"], at: "a.tar.gz")
    #expect(use(verdict) == .new)
    #expect(coding(verdict) == nil)
  }
}
