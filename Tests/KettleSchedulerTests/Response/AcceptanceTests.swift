import KettleModel
import KettleScheduler
import Testing

/// Which responses are accepted for programs and for requests other than a plain GET.
struct AcceptanceTests {
  private let now = SchedulerScript().now
  private let post = RequestContent(method: "POST")

  private func classify(
    _ status: Int, _ headers: [String: String] = [:],
    _ acceptance: ResponseClassifier.Acceptance = .any,
    content: RequestContent? = nil, policy: TaskStatus.ChallengePolicy = .ask
  ) -> ResponseClassifier.Classification {
    ResponseClassifier(
      url: url("http://files.example/a.iso"), requested: nil, mode: .resuming, resumeData: nil,
      content: content, acceptance: acceptance, challengePolicy: policy
    ).classify(SchedulerScript.head(status, headers), at: now)
  }

  private func taken(_ verdict: ResponseClassifier.Classification) -> ResponseClassifier.FileFacts?
  {
    if case .acceptWhole(let whole) = verdict { whole.facts } else { nil }
  }

  private func fails(_ verdict: ResponseClassifier.Classification) -> Bool {
    guard case .fail(let failure) = verdict else { return false }
    return failure.code == .httpStatus
  }

  @Test(arguments: [204, 304])
  func `a response without a body is an empty file regardless of its Content-Length`(_ status: Int)
  {
    #expect(taken(classify(status, ["Content-Length": "500"]))?.total == 0)
  }

  @Test func `the Content-Length of a HEAD response is not the length of its body`() {
    let head = RequestContent(method: "HEAD")
    #expect(taken(classify(200, ["Content-Length": "500"], content: head))?.total == 0)
    #expect(taken(classify(404, ["Content-Length": "500"], content: head))?.total == 0)
    #expect(taken(classify(200, ["Content-Length": "500"], content: post))?.total == 500)
  }

  @Test func `the validator of an error page is not used for the file`() {
    let headers = ["ETag": "\"v1\"", "Content-Length": "5"]
    #expect(taken(classify(404, headers))?.validator == nil)
    #expect(taken(classify(200, headers))?.validator?.entityTag == "\"v1\"")
  }

  @Test(arguments: [201, 202, 204, 205])
  func `tasks accept every success status, and a user's download does not`(_ status: Int) {
    #expect(taken(classify(status, [:], .any)) != nil)
    #expect(taken(classify(status, [:], .success)) != nil)
    // The file of a 202 is being prepared.
    #expect(fails(classify(status, [:], .file)) == (status != 202))
    #expect(taken(classify(status, [:], .file)) == nil)
  }

  // Fault 142
  @Test(arguments: [403, 509, 511, 529, 599], [[:], ["Retry-After": "9"]])
  func `a program without bytes gets a temporary refusal too, and with bytes it is retried`(
    status: Int, headers: [String: String]
  ) {
    #expect(taken(classify(status, headers, .any)) != nil)
    let holding = ResponseClassifier(
      url: url("http://files.example/a.iso"),
      requested: RequestedRange(lower: 400, upper: nil, proof: .ifRange("\"v1\"")),
      mode: .resuming, resumeData: partial(durable: 400), acceptance: .any)
    let verdict = holding.classify(SchedulerScript.head(status, headers), at: now)
    let isFinal = status == 403 && headers.isEmpty
    #expect((taken(verdict) != nil) == isFinal)
  }

  @Test(arguments: [300, 304, 400, 403, 404, 410, 416, 501])
  func `other statuses fail if the file has a destination`(_ status: Int) {
    #expect(taken(classify(status, [:], .any)) != nil)
    #expect(fails(classify(status, [:], .success)))
  }

  @Test func `a redirect without a Location is an ordinary response`() {
    #expect(classify(302, ["Location": "/b"]) == .redirect("/b"))
    #expect(taken(classify(302)) != nil)
    #expect(fails(classify(302, [:], .success)))
  }

  @Test func `a 206 without a requested range is accepted only for requests other than GET`() {
    let headers = ["Content-Range": "bytes 0-9/10", "Content-Length": "10"]
    #expect(taken(classify(206, headers, content: post))?.total == 10)
    #expect(classify(206, headers) == .requestAsRange)
  }

  @Test func `a compressed response is taken with its coding`() {
    let headers = ["Content-Encoding": "gzip", "Content-Length": "10"]
    #expect(taken(classify(200, headers))?.contentCoding == "gzip")
    #expect(taken(classify(200, headers, content: post))?.total == 10)
    #expect(taken(classify(201, headers, content: post))?.total == 10)
    #expect(taken(classify(404, headers))?.total == 10)
  }

  // MARK: Logins

  @Test(arguments: [(401, "WWW-Authenticate"), (407, "Proxy-Authenticate")])
  func `a login challenge waits for a response`(_ status: Int, _ header: String) {
    let asks = [header: "Basic realm=\"r\"", "Content-Length": "5"]
    guard case .wait(.needsLogin, _) = classify(status, asks) else {
      Issue.record("\(status) was not waited for")
      return
    }
    #expect(taken(classify(status, asks, policy: .takeReplyAsItStands))?.total == 5)
    #expect(fails(classify(status, asks, .success, policy: .takeReplyAsItStands)))
    #expect(taken(classify(status, ["Content-Length": "5"]))?.total == 5, "nothing is asked")
  }
}
