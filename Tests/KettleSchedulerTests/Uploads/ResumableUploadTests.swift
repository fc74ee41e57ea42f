import KettleModel
import KettleScheduler
import Testing

/// Uploads to servers that can continue them, as scripts of events.
struct ResumableUploadTests {
  private let lost = AttemptOutcome.failed(TransferFailure(.connectionLost, on: "files.example"))
  private let resource = "http://files.example/uploads/7"

  private func upload(headers: [String] = []) -> TransferSpec {
    var spec = TransferSpec(url: url("http://files.example/films"))
    spec.request = RequestContent(
      method: "PUT", body: .file(path: "/home/u/film.mov", byteCount: 5000))
    spec.task = TaskOptions(kind: .upload)
    spec.headers = headers.compactMap { HeaderField($0) }
    return spec
  }

  /// A running upload whose server has announced its upload resource.
  private func announced(
    _ location: String = "/uploads/7", headers: [String] = []
  ) -> (SchedulerScript, TransferID) {
    var script = SchedulerScript()
    let id = script.add(upload(headers: headers))
    script.announced(location)
    return (script, id)
  }

  private func fields(_ plan: AttemptPlan?) -> [String: String] {
    Dictionary(plan?.headers.map { ($0.name, $0.value) } ?? [], uniquingKeysWith: { $1 })
  }

  private func resumption(_ script: SchedulerScript, _ id: TransferID) -> UploadResumption? {
    script.record(id)?.task?.uploadResumption
  }

  // MARK: The offer

  @Test func `an upload says that it can continue`() {
    var script = SchedulerScript()
    script.add(upload())
    #expect(
      fields(script.plan) == [
        "Upload-Draft-Interop-Version": "6", "Upload-Complete": "?1", "Upload-Length": "5000",
      ])
    #expect(script.plan?.content?.rest == nil)
  }

  @Test(arguments: ["Upload-Offset: 0", "Tus-Resumable: 1.0.0", "upload-complete: ?0"])
  func `a program that speaks such a protocol itself is left alone`(header: String) {
    var script = SchedulerScript()
    let id = script.add(upload(headers: [header]))
    #expect(script.plan?.headers == [HeaderField(header)].compactMap { $0 })
    script.announced("/uploads/7")
    #expect(resumption(script, id) == nil)
  }

  @Test func `a request with a body that is no file makes no offer`() {
    var script = SchedulerScript()
    var form = upload()
    form.request = RequestContent(method: "POST", body: .bytes(Base64Bytes([1])))
    script.add(form)
    #expect(script.plan?.headers == [])
    var users = upload()
    users.task = nil
    script.add(users)
    #expect(script.plan?.headers == [])
  }

  @Test func `the upload resource is stored when the server announces it`() throws {
    let (script, id) = announced()
    let expected = UploadResumption(
      url: url(resource), minimumReach: .machine, modifiedNanoseconds: 77)
    #expect(resumption(script, id) == expected)
    guard case .put(let stored)? = script.changes.last else {
      Issue.record("nothing was stored")
      return
    }
    #expect(stored.task?.uploadResumption == expected)
  }

  @Test(arguments: [
    (104, "5", "/uploads/7"), (103, "6", "/uploads/7"), (104, "6", "ftp://files.example/7"),
    (104, "", "/uploads/7"),
  ])
  func `another announcement is ignored`(status: Int, version: String, location: String) {
    var script = SchedulerScript()
    let id = script.add(upload())
    script.announced(location, status: status, version: version)
    #expect(resumption(script, id) == nil)
    #expect(script.record(id)?.task?.informationalReplies?.count == 1)
  }

  @Test func `an upload resource on another host may not be closer than its server`() throws {
    let (script, id) = announced("http://other.example/7")
    #expect(resumption(script, id)?.minimumReach == .world)
  }

  @Test func `an https server cannot name an upload resource without TLS`() {
    var script = SchedulerScript()
    var spec = upload()
    spec.source = ChainedURL(given: url("https://files.example/films"))
    let id = script.add(spec)
    script.announced("http://files.example/uploads/7")
    #expect(resumption(script, id) == nil)
  }

  @Test func `informational responses are kept for the program, the last eight of them`() {
    var script = SchedulerScript()
    let id = script.add(upload())
    for number in 1...10 { script.announced("/uploads/\(number)", status: 103) }
    let replies = script.record(id)?.task?.informationalReplies
    #expect(replies?.count == 10)
    #expect(replies?.latest.count == 8)
    #expect(replies?.after(9).map { $0.headers.last?.value } == ["/uploads/10"])
    #expect(replies?.after(10).isEmpty == true)
  }

  // MARK: Going on

  @Test func `an upload that is interrupted twice continues at the offset of the server`() throws {
    var (script, id) = announced(headers: [
      "Authorization: Bearer 5", "Content-Type: video/mp4", "If-None-Match: *",
    ])
    script.interrupted(lost, sent: 3000)
    #expect(script.state(id) == .waiting)

    script.goesOn()
    #expect(script.plan?.url == url(resource))
    #expect(script.plan?.content == RequestContent(method: "HEAD"))
    #expect(
      fields(script.plan) == [
        "Authorization": "Bearer 5", "Upload-Draft-Interop-Version": "6",
      ])
    #expect(script.record(id)?.task?.sentByteCount == 3000)
    script.offset("2500")
    #expect(script.plan?.url == url(resource))
    #expect(script.plan?.content?.method == "PATCH")
    #expect(script.plan?.content?.rest == .init(offset: 2500, modifiedNanoseconds: 77))
    #expect(script.plan?.content?.body == upload().request?.body)
    #expect(script.plan?.reuse == ConnectionReuse.none)
    #expect(
      fields(script.plan) == [
        "Authorization": "Bearer 5", "Upload-Draft-Interop-Version": "6",
        "Upload-Complete": "?1", "Upload-Offset": "2500",
        "Content-Type": "application/partial-upload",
      ])
    #expect(script.record(id)?.task?.sentByteCount == 2500)

    script.interrupted(lost, sent: 4000)
    script.goesOn()
    script.offset("4000")
    #expect(script.plan?.content?.rest?.offset == 4000)
    script.finishes(201)
    #expect(script.state(id) == .verifying)
    #expect(script.record(id)?.task?.reply?.status == 201)
    script.placed(id)
    #expect(script.state(id) == .completed)
    #expect(resumption(script, id) == nil)
  }

  @Test func `an upload continues after a restart of the service`() throws {
    let (before, id) = announced()
    let stored = before.changes.compactMap { change in
      if case .put(let record) = change { record } else { nil }
    }.last
    var script = SchedulerScript()
    script.run(script.scheduler.recover([try #require(stored)], at: script.now))
    #expect(script.plan?.content == RequestContent(method: "HEAD"))
    script.offset("5000")
    #expect(script.plan?.content?.rest?.offset == 5000)
    #expect(script.state(id) == .running)
  }

  @Test func `bytes that the server keeps reset the retry count`() {
    var (script, id) = announced()
    for sent: Int64 in [1000, 2000, 3000] {
      script.interrupted(lost, sent: sent)
      script.goesOn()
      script.offset("\(sent)")
      #expect(script.record(id)?.retryCount == 0)
    }
    script.interrupted(lost, sent: 4000)
    script.goesOn()
    script.offset("3000")
    #expect(script.record(id)?.retryCount == 1)
  }

  @Test func `pausing and stopping keep and discard the upload resource`() {
    var (script, id) = announced()
    script.control(.pause, id)
    script.interrupted(.cancelled, sent: 3000)
    #expect(script.state(id) == .paused)
    script.control(.start, id)
    #expect(script.plan?.content?.method == "HEAD")
    script.control(.stop, id)
    script.interrupted(.cancelled, sent: nil)
    #expect(resumption(script, id) == nil)
    script.control(.start, id)
    #expect(script.plan?.content?.method == "PUT")
  }

  @Test func `a complete upload whose response was lost takes the answer in its place`() {
    var (script, id) = announced()
    script.interrupted(lost, sent: 5000)
    script.goesOn()
    script.offset("5000", isComplete: "?1")
    script.finishOpened()
    script.placed(id)
    #expect(script.state(id) == .completed)
    #expect(script.record(id)?.task?.reply?.status == 204)
    #expect(script.record(id)?.task?.sentByteCount == 5000)
    #expect(script.plans.map { $0.content?.method } == ["PUT", "HEAD"])
  }

  @Test func `the upload resource asks for the login of its host`() throws {
    var (script, id) = announced()
    script.interrupted(lost, sent: 3000)
    script.goesOn()
    script.head(
      try #require(script.attempt), 401, ["WWW-Authenticate": "Basic realm=\"films\""])
    script.interrupted(.cancelled, sent: nil)
    let challenge = try #require(script.record(id)?.task?.challenge)
    let (_, output) = script.scheduler.answerChallenge(
      of: id, challenge, .login(Login(user: "me", password: "x")), at: script.now)
    script.run(output)
    #expect(script.plan?.content?.method == "HEAD")
    #expect(script.plan?.login == Login(user: "me", password: "x"))
  }

  @Test func `headers and logins of the program stay with its host`() {
    var (script, _) = announced("http://other.example/7", headers: ["Authorization: Bearer 5"])
    script.interrupted(lost, sent: 3000)
    script.goesOn()
    #expect(script.plan?.url == url("http://other.example/7"))
    #expect(script.plan?.minimumReach == .world)
    #expect(fields(script.plan) == ["Upload-Draft-Interop-Version": "6"])
    script.offset("10")
    #expect(fields(script.plan)["Authorization"] == nil)
  }

  @Test func `redirects of the upload resource are followed`() throws {
    var (script, _) = announced()
    script.interrupted(lost, sent: 3000)
    script.goesOn()
    script.head(try #require(script.attempt), 307, ["Location": "/uploads/8"])
    script.interrupted(.cancelled, sent: nil)
    #expect(script.plan?.url == url("http://files.example/uploads/8"))
    #expect(script.plan?.content?.method == "HEAD")
    script.offset("100")
    #expect(script.plan?.url == url("http://files.example/uploads/8"))
    #expect(script.plan?.content?.rest?.offset == 100)
    // The outcome of the upload is elsewhere.
    script.head(try #require(script.attempt), 303, ["Location": "/films/9"])
    script.interrupted(.cancelled, sent: 5000)
    #expect(script.plan?.content == nil)
    #expect(script.plan?.headers == [])
  }

  @Test func `a busy upload resource is asked again later`() throws {
    var (script, id) = announced()
    script.interrupted(lost, sent: 3000)
    script.goesOn()
    script.head(try #require(script.attempt), 503, ["Retry-After": "5"])
    script.interrupted(.cancelled, sent: nil)
    #expect(script.state(id) == .waiting)
    #expect(resumption(script, id) != nil)
    script.goesOn()
    #expect(script.plan?.content?.method == "HEAD")
  }

  // MARK: Beginning again

  private func expectFromZero(_ script: SchedulerScript, _ id: TransferID) {
    #expect(script.plan?.url == url("http://files.example/films"))
    #expect(script.plan?.content == upload().request)
    #expect(script.record(id)?.task?.sentByteCount == 0)
    #expect(resumption(script, id) == nil)
    #expect(fields(script.plan)["Upload-Complete"] == "?1")
  }

  @Test(arguments: [400, 403, 404, 405, 410, 501])
  func `an upload that the server has forgotten begins again`(status: Int) throws {
    var (script, id) = announced()
    script.interrupted(lost, sent: 3000)
    script.goesOn()
    script.head(try #require(script.attempt), status)
    script.interrupted(.cancelled, sent: nil)
    expectFromZero(script, id)
  }

  @Test(arguments: [
    ("5001", "?0"), ("-1", "?0"), ("abc", "?0"), ("", "?0"), ("4999", "?1"),
    ("99999999999999999999", "?0"),
  ])
  func `an offset that cannot be right begins the upload again`(offset: String, complete: String) {
    var (script, id) = announced()
    script.interrupted(lost, sent: 3000)
    script.goesOn()
    script.offset(offset, isComplete: complete)
    expectFromZero(script, id)
  }

  @Test(arguments: [404, 410])
  func `a forgotten upload begins again when its rest is refused`(status: Int) throws {
    var (script, id) = announced()
    script.interrupted(lost, sent: 3000)
    script.goesOn()
    script.offset("2000")
    script.head(try #require(script.attempt), status)
    script.interrupted(.cancelled, sent: nil)
    expectFromZero(script, id)
  }

  @Test func `an error status of the complete upload is its outcome`() throws {
    var (script, id) = announced()
    script.interrupted(lost, sent: 3000)
    script.goesOn()
    script.offset("2000")
    script.finishes(404, ["Upload-Complete": "?1"])
    script.placed(id)
    #expect(script.record(id)?.task?.reply?.status == 404)
    #expect(script.state(id) == .completed)
  }

  @Test func `a server that refuses its own offsets gets the file as if it had none`() throws {
    var (script, id) = announced()
    script.interrupted(lost, sent: 3000)
    script.goesOn()
    for _ in 1...3 {
      script.offset("2000")
      script.head(try #require(script.attempt), 409, ["Upload-Offset": "2000"])
      script.interrupted(.cancelled, sent: nil)
    }
    #expect(script.plan?.content == upload().request)
    #expect(script.plan?.headers == [])
    script.announced("/uploads/8")
    #expect(resumption(script, id) == nil)
  }

  @Test func `a server that never keeps anything does not upload for ever`() throws {
    var script = SchedulerScript()
    let id = script.add(upload())
    var attempts = 0
    while script.state(id) != .failed, attempts < 100 {
      attempts += 1
      switch script.plan?.content?.method {
      case "HEAD":
        script.head(try #require(script.attempt), 404)
        script.interrupted(.cancelled, sent: nil)
      default:
        script.announced("/uploads/\(attempts)")
        script.interrupted(lost, sent: 3000)
        script.goesOn()
      }
    }
    #expect(script.state(id) == .failed)
    #expect(attempts < 20)
  }

  @Test func `a rest that the server calls incomplete is asked about again`() throws {
    var (script, _) = announced()
    script.interrupted(lost, sent: 3000)
    script.goesOn()
    script.offset("2000")
    script.head(try #require(script.attempt), 201, ["Upload-Complete": "?0"])
    script.interrupted(.cancelled, sent: 5000)
    #expect(script.plan?.content?.method == "HEAD")
  }

  @Test func `an upload resource at a forbidden address begins the upload again`() {
    var (script, id) = announced("http://other.example/7")
    script.interrupted(lost, sent: 3000)
    script.goesOn()
    script.interrupted(
      .failed(TransferFailure(.redirectRefused, on: "other.example")), sent: nil)
    expectFromZero(script, id)
  }

  @Test func `a file that changed meanwhile fails the upload`() {
    var (script, id) = announced()
    script.interrupted(lost, sent: 3000)
    script.goesOn()
    script.offset("2000")
    let changed = TransferFailure(.uploadFileUnusable, on: "/home/u/film.mov")
    script.interrupted(.failed(changed), sent: nil)
    #expect(script.state(id) == .failed)
    #expect(script.record(id)?.failure == changed)
  }

  // MARK: Another task

  @Test func `a later task continues an interrupted upload`() {
    var script = SchedulerScript()
    var spec = upload()
    spec.task?.continues = UploadResumption(
      url: url(resource), minimumReach: .machine, modifiedNanoseconds: 77)
    let id = script.add(spec)
    #expect(script.plan?.url == url(resource))
    #expect(script.plan?.content?.method == "HEAD")
    script.offset("4000")
    #expect(script.plan?.content?.rest == .init(offset: 4000, modifiedNanoseconds: 77))
    #expect(script.state(id) == .running)
  }

  @Test func `a cancelled upload keeps its upload resource for the program`() {
    var (script, id) = announced()
    script.control(.cancel(keepsBytes: true), id)
    script.interrupted(.cancelled, sent: 3000)
    #expect(script.state(id) == .failed)
    #expect(resumption(script, id) != nil)
  }

  @Test func `another link does not continue the upload to the old one`() {
    var (script, id) = announced()
    script.interrupted(lost, sent: 3000)
    script.control(.relink(url("http://files.example/other"), nil), id)
    #expect(script.plan?.url == url("http://files.example/other"))
    #expect(script.plan?.content?.method == "PUT")
  }
}

extension SchedulerScript {
  var plans: [AttemptPlan] {
    actions.compactMap { if case .beginAttempt(_, let plan) = $0 { plan } else { nil } }
  }

  /// The server announces an upload resource while it receives the file.
  fileprivate mutating func announced(
    _ location: String, status: Int = 104, version: String = "6"
  ) {
    guard let attempt else { return }
    let head = ResponseHead(
      status: status,
      headers: [
        HeaderField(received: "Upload-Draft-Interop-Version", version),
        HeaderField(received: "Location", location),
      ])
    handle(.attempt(attempt, .informed(head, from: .world, sending: 77)))
  }

  /// The attempt ends before its response.
  fileprivate mutating func interrupted(_ outcome: AttemptOutcome, sent: Int64?) {
    guard let attempt else { return }
    handle(.attempt(attempt, .ended(outcome, receivedUpTo: nil, sentByteCount: sent)))
    closed(durable: nil)
  }

  /// The delay before the next attempt is over.
  fileprivate mutating func goesOn() {
    advance(milliseconds: 600_000)
    timePasses()
  }

  /// The upload resource says how many bytes it has.
  fileprivate mutating func offset(_ text: String, isComplete: String = "?0") {
    guard let attempt else { return }
    head(attempt, 204, ["Upload-Offset": text, "Upload-Complete": isComplete])
    guard case .openBody(_, attempt, _)? = actions.last else {
      return interrupted(.cancelled, sent: nil)
    }
  }

  /// The response to the upload arrives, with an empty body.
  fileprivate mutating func finishes(_ status: Int, _ headers: [String: String] = [:]) {
    guard let attempt else { return }
    head(attempt, status, headers.merging(["Content-Length": "0"]) { $1 })
    finishOpened()
  }

  fileprivate mutating func finishOpened() {
    guard let attempt else { return }
    opened(attempt, partial(total: 0, entityTag: nil))
    settled(attempt, .complete, durable: 0)
  }

  fileprivate mutating func placed(_ id: TransferID) {
    for case .placeFile(id, let operation, _, _) in actions {
      let file = FinishedFile(path: "/held/a", identity: nil)
      handle(.file(id, .placed(.success(file), by: operation)))
    }
  }
}
