import KettleModel
import KettleScheduler
import Testing

/// What is taken of replies to programs, and to more than a plain GET.
struct AcceptanceTests {
  private let now = SchedulerScript().now
  private let post = RequestContent(method: "POST")

  private func judge(
    _ status: Int, _ headers: [String: String] = [:],
    _ acceptance: ResponseClassifier.Acceptance = .any,
    content: RequestContent? = nil, policy: TaskStatus.ChallengePolicy = .ask
  ) -> ResponseClassifier.Verdict {
    ResponseClassifier(
      url: url("http://files.example/a.iso"), asked: nil, asking: .goingOn, resumeData: nil,
      content: content, acceptance: acceptance, challengePolicy: policy
    ).judge(SchedulerScript.head(status, headers), at: now)
  }

  private func taken(_ verdict: ResponseClassifier.Verdict) -> ResponseClassifier.Facts? {
    if case .takeWhole(let whole) = verdict { whole.facts } else { nil }
  }

  private func fails(_ verdict: ResponseClassifier.Verdict) -> Bool {
    guard case .fail(let failure) = verdict else { return false }
    return failure.code == .httpStatus
  }

  @Test(arguments: [204, 304])
  func `a reply that has no body is an empty file, whatever length it announces`(_ status: Int) {
    #expect(taken(judge(status, ["Content-Length": "500"]))?.total == 0)
  }

  @Test func `the length of a reply to HEAD is not that of its body`() {
    let head = RequestContent(method: "HEAD")
    #expect(taken(judge(200, ["Content-Length": "500"], content: head))?.total == 0)
    #expect(taken(judge(404, ["Content-Length": "500"], content: head))?.total == 0)
    #expect(taken(judge(200, ["Content-Length": "500"], content: post))?.total == 500)
  }

  @Test func `the validator of a page is not taken for that of the file`() {
    let headers = ["ETag": "\"v1\"", "Content-Length": "5"]
    #expect(taken(judge(404, headers))?.validator == nil)
    #expect(taken(judge(200, headers))?.validator?.entityTag == "\"v1\"")
  }

  @Test(arguments: [201, 202, 204, 205])
  func `every success is taken but where a person wants the file`(_ status: Int) {
    #expect(taken(judge(status, [:], .any)) != nil)
    #expect(taken(judge(status, [:], .success)) != nil)
    #expect(fails(judge(status, [:], .file)))
  }

  @Test(arguments: [300, 304, 400, 403, 404, 410, 416, 501])
  func `where a name waits for the file other statuses fail`(_ status: Int) {
    #expect(taken(judge(status, [:], .any)) != nil)
    #expect(fails(judge(status, [:], .success)))
  }

  @Test func `a redirect that leads nowhere is a page`() {
    #expect(judge(302, ["Location": "/b"]) == .redirect("/b"))
    #expect(taken(judge(302)) != nil)
    #expect(fails(judge(302, [:], .success)))
  }

  @Test func `a part that nobody asked for is the reply to what is no GET`() {
    let headers = ["Content-Range": "bytes 0-9/10", "Content-Length": "10"]
    #expect(taken(judge(206, headers, content: post))?.total == 10)
    guard case .retry(let failure, _) = judge(206, headers) else {
      Issue.record("a part was taken for the whole")
      return
    }
    #expect(failure.code == .rangeReplyWrong)
  }

  @Test func `an encoded reply fails a download but not what was sent`() {
    let headers = ["Content-Encoding": "gzip", "Content-Length": "10"]
    guard case .fail(let failure) = judge(200, headers) else {
      Issue.record("encoded bytes were taken for the file")
      return
    }
    #expect(failure.code == .encodedReply)
    #expect(taken(judge(200, headers, content: post))?.total == 10)
    #expect(taken(judge(201, headers, content: post))?.total == 10)
    #expect(taken(judge(404, headers))?.total == 10)
  }

  // MARK: Logins

  @Test(arguments: [(401, "WWW-Authenticate"), (407, "Proxy-Authenticate")])
  func `a question for a login waits for its answer`(_ status: Int, _ header: String) {
    let asks = [header: "Basic realm=\"r\"", "Content-Length": "5"]
    guard case .wait(.needsLogin, _) = judge(status, asks) else {
      Issue.record("\(status) was not waited for")
      return
    }
    #expect(taken(judge(status, asks, policy: .takeReplyAsItStands))?.total == 5)
    #expect(fails(judge(status, asks, .success, policy: .takeReplyAsItStands)))
    #expect(taken(judge(status, ["Content-Length": "5"]))?.total == 5, "nothing is asked")
  }
}
