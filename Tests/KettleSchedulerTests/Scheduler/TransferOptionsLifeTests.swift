import KettleModel
import KettleScheduler
import Testing

/// What a user chooses for one transfer, as scripts of events.
struct TransferOptionsLifeTests {
  private let lost = AttemptOutcome.failed(TransferFailure(.connectionLost, on: "files.example"))

  /// How many attempts are made, and the pauses between them in milliseconds.
  private func attempts(
    failing outcome: AttemptOutcome, atMost limit: Int = 40,
    _ change: (inout TransferOptions) -> Void
  ) throws -> (count: Int, pauses: [Int64]) {
    var script = SchedulerScript()
    var wanted = spec()
    change(&wanted.options)
    let id = script.add(wanted)
    var count = 0
    var pauses: [Int64] = []
    while script.state(id) != .failed, count < limit {
      script.settled(try #require(script.attempt), outcome)
      count += 1
      guard let next = script.scheduler.nextWakeUp(at: script.now) else { break }
      let pause = next.milliseconds(since: script.now.monotonic)
      if script.state(id) == .waiting { pauses.append(pause) }
      script.advance(milliseconds: pause)
      script.timePasses()
    }
    return (count, pauses)
  }

  @Test func `the number of attempts is the user's`() throws {
    #expect(try attempts(failing: lost) { $0.attemptsMax = 3 }.count == 3)
    #expect(try attempts(failing: lost) { $0.attemptsMax = 1 }.count == 1)
    #expect(try attempts(failing: lost) { $0.attemptsMax = 0 }.count == 40)
  }

  @Test func `the attempts at a host that cannot be reached count too`() throws {
    let refused = AttemptOutcome.failed(TransferFailure(.connectionRefused, on: "files.example"))
    #expect(try attempts(failing: refused) { $0.attemptsMax = 2 }.count == 2)
  }

  @Test func `the first pause is the user's and doubles`() throws {
    let pauses = try attempts(failing: lost) {
      $0.retryDelaySeconds = 7
      $0.attemptsMax = 4
    }.pauses
    #expect(pauses == [7000, 14_000, 28_000])
  }

  @Test func `a silent server gets twice the time with each attempt, up to a bound`() throws {
    var script = SchedulerScript()
    script.add(spec())
    var doublings: [Int] = []
    for _ in 0..<7 {
      let plan = try #require(script.plan)
      doublings.append(plan.patienceDoublings)
      script.settled(plan.attempt, .failed(TransferFailure(.timedOut, on: "files.example")))
      script.advance(milliseconds: 40_000)
      script.timePasses()
    }
    #expect(doublings == [0, 1, 2, 3, 4, 4, 4])
  }

  @Test func `the time that a program sets is not lengthened`() throws {
    var script = SchedulerScript()
    var wanted = spec()
    wanted.session = SessionID(rawValue: "books")
    wanted.task = TaskOptions(kind: .download)
    wanted.task?.requestTimeoutMilliseconds = 30_000
    script.add(wanted)
    let first = try #require(script.plan)
    script.settled(first.attempt, .failed(TransferFailure(.timedOut, on: "files.example")))
    script.advance(milliseconds: 40_000)
    script.timePasses()
    let second = try #require(script.plan)
    #expect(second.attempt != first.attempt)
    #expect(second.patienceDoublings == 0)
  }

  @Test func `a client certificate is for the origin of the URL`() throws {
    var script = SchedulerScript()
    var wanted = spec("https://files.example/a.iso")
    let certificate = ClientCertificate(certificatePath: "/c", keyPath: "/k")
    wanted.options.certificate = certificate
    script.add(wanted)
    let first = try #require(script.plan)
    #expect(first.certificate == certificate)
    script.head(first.attempt, 302, ["Location": "https://mirror.example/a.iso"])
    script.settled(first.attempt, .cancelled)
    #expect(try #require(script.plan).certificate == nil)
  }

  @Test func `a client certificate does not follow a link to another origin`() throws {
    var script = SchedulerScript()
    var wanted = spec("https://files.example/a.iso")
    wanted.options.certificate = ClientCertificate(certificatePath: "/c", keyPath: "/k")
    let id = script.add(wanted)
    script.settled(try #require(script.attempt), .failed(TransferFailure(.tlsRefused, on: "f")))
    script.control(.relink(url("https://other.example/a.iso"), nil), id)
    if let attempt = script.attempt { script.settled(attempt, .cancelled) }
    let plan = try #require(script.plan)
    #expect(plan.url.host == "other.example")
    #expect(plan.certificate == nil)
  }

  @Test func `no header of the user frames a request`() throws {
    var script = SchedulerScript()
    var wanted = spec("https://files.example/a.iso")
    for name in HeaderField.namesOfFraming { wanted.headers += [HeaderField(received: name, "5")] }
    wanted.headers += [HeaderField(received: "X-Own", "1")]
    script.add(wanted)
    let plan = try #require(script.plan)
    #expect(plan.headers == [HeaderField(received: "X-Own", "1")])
  }

  @Test func `the name comes from the final URL only for its extension`() throws {
    func name(_ url: String, after location: String, _ type: String? = nil) throws -> String? {
      var script = SchedulerScript()
      script.add(spec(url))
      let first = try #require(script.attempt)
      script.head(first, 302, ["Location": location])
      script.settled(first, .cancelled)
      let headers = ["Content-Length": "9"].merging(type.map { ["Content-Type": $0] } ?? [:]) { $1 }
      script.head(try #require(script.attempt), 200, headers)
      guard case .create(let file)? = script.bodyPlan else { return nil }
      return file.preferredName
    }
    #expect(
      try name("https://h.example/download?product=firefox", after: "/firefox-130.tar.bz2")
        == "firefox-130.tar.bz2")
    #expect(try name("https://h.example/a.iso", after: "/evil.exe") == "a.iso")
    #expect(try name("https://h.example/latest", after: "/stable") == "latest")
    #expect(try name("https://h.example/", after: "/docs/", "text/html") == "index.html")
    #expect(try name("https://h.example/", after: "/docs/") == "download")
  }
}
