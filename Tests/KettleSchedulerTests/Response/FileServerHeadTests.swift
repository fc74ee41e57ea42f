import KettleModel
import KettleScheduler
import Testing

/// What the heads of servers of files lead to.
struct FileServerHeadTests {
  private let now = SchedulerScript().now
  private let link = url("ftp://files.example/a.iso")

  private func classify(
    _ head: ResponseHead, at link: TransferURL, durable: Int64 = 0, user: String? = nil,
    requested: RequestedRange? = nil
  ) -> ResponseClassifier.Classification {
    ResponseClassifier(
      url: link, requested: requested, mode: .resuming,
      resumeData: durable > 0 ? weak(durable: durable) : nil, user: user
    ).classify(head, at: now)
  }

  private func weak(durable: Int64, time: String = "Sun, 06 Nov 1994 08:49:37 GMT") -> ResumeData {
    var data = partial(durable: durable, total: 4_000_000)
    data.validator = Validator(entityTag: nil, lastModified: time, isLastModifiedStrong: false)
    return data
  }

  private func refused(_ status: Int, _ words: String) -> ResponseHead {
    ResponseHead(status: status, serverWords: words)
  }

  @Test func `a refusal is told in the words of the server`() {
    #expect(
      classify(refused(404, "550 no such file"), at: link)
        == .fail(TransferFailure(.httpStatus, on: link.text, detail: "550 no such file")))
    #expect(
      classify(refused(404, "550 no such file"), at: link, durable: 5)
        == .refused(TransferFailure(.httpStatus, on: link.text, detail: "550 no such file")))
    #expect(
      classify(refused(401, "530 no"), at: link, user: "ann")
        == .wait(
          .needsLogin,
          TransferFailure(
            .loginNeeded, on: link.text, detail: "530 no; it rejected the login of \"ann\"")))
    #expect(
      classify(refused(503, "421 full"), at: link)
        == .retry(TransferFailure(.httpStatus, on: link.text, detail: "421 full"), after: nil))
  }

  /// A web server must not choose its own sentence, or be retried for ever.
  @Test func `words in a response over HTTP do not count`() {
    let web = url("https://files.example/a.iso")
    #expect(
      classify(refused(503, "421 full"), at: web)
        == .retry(TransferFailure(.httpStatus, on: web.text, detail: "503"), after: nil))
  }

  @Test func `a download is resumed with an overlap, and another time is another version`() throws {
    let data = weak(durable: 2_000_000)
    #expect(data.validator?.strongValue == nil)
    let requested = RequestedRange(
      lower: 2_000_000 - 65_536, upper: nil, proof: .overlap(suspect: nil))
    func part(_ time: String) -> ResponseHead {
      SchedulerScript.head(
        206,
        [
          "Content-Range": "bytes \(requested.lower)-3999999/4000000", "Last-Modified": time,
          "Content-Length": "\(4_000_000 - requested.lower)",
        ])
    }
    let same = classify(
      part("Sun, 06 Nov 1994 08:49:37 GMT"), at: link, durable: 2_000_000, requested: requested)
    guard case .acceptRange(let range, _) = same else {
      Issue.record("\(same)")
      return
    }
    #expect(range.lower == requested.lower)
    #expect(
      classify(
        part("Sun, 06 Nov 1994 08:49:38 GMT"), at: link, durable: 2_000_000, requested: requested)
        == .requestAgain(.fresh(.resourceChanged)))
  }

  @Test(arguments: ["ftp://h/a", "ftps://h/a", "sftp://h/a"])
  func `no redirect leads to a server of files`(location: String) {
    guard
      case .refuse(let failure) = RedirectPolicy.decide(
        location: location, from: url("http://h/"), redirectCount: 0)
    else {
      Issue.record("followed")
      return
    }
    #expect(failure.code == .redirectRefused)
  }

  @Test(arguments: [("ftp://h/", 8), ("sftp://h/", 8), ("http://h/", 20)])
  func `a server of files gets few logins at once`(base: String, count: Int) {
    var script = SchedulerScript()
    for number in 0..<30 { script.add(TransferSpec(url: url("\(base)\(number)"))) }
    let begun = script.actions.count { if case .beginAttempt = $0 { true } else { false } }
    #expect(begun == count)
  }
}
