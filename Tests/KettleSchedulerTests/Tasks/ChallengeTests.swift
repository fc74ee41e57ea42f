import KettleModel
import KettleScheduler
import Testing

/// The challenges that a program receives, and the effects of its responses.
struct ChallengeTests {
  private let login = Login(user: "u", password: "p")
  private let untrusted = TransferFailure(
    .tlsRefused, on: "files.example", detail: "self-signed certificate")

  private func challenged(
    _ header: String = #"Basic realm="files""#, _ text: String = "http://files.example/a.iso"
  ) throws -> (SchedulerScript, TransferID, ServerChallenge) {
    var script = SchedulerScript()
    let id = script.add(taskSpec(text))
    try refuse(&script, header)
    return (script, id, try #require(script.record(id)?.task?.challenge))
  }

  private func refuse(
    _ script: inout SchedulerScript, _ header: String = #"Basic realm="files""#
  ) throws {
    let attempt = try #require(script.attempt)
    script.head(attempt, 401, ["WWW-Authenticate": header])
    script.settled(attempt, .cancelled)
  }

  private func serverTrust(isTrustedBySystem: Bool = false) -> ServerChallenge {
    var challenge = ServerChallenge(
      kind: .serverTrust, origin: "https://files.example", failureCount: 0)
    challenge.serverKey = "ab12"
    challenge.isTrustedBySystem = isTrustedBySystem
    return challenge
  }

  private func untrustedTask(
    _ challenge: ServerChallenge
  ) throws -> (SchedulerScript, TransferID, ServerChallenge) {
    var script = SchedulerScript()
    let id = script.add(taskSpec("https://files.example/a.iso"))
    script.settled(try #require(script.attempt), .untrusted(untrusted, challenge))
    return (script, id, try #require(script.record(id)?.task?.challenge))
  }

  // MARK: Logins

  @Test func `a required login is requested from the program`() throws {
    let (script, id, challenge) = try challenged()
    #expect(script.state(id) == .waiting)
    #expect(script.record(id)?.reason == .needsLogin)
    #expect(
      challenge
        == ServerChallenge(
          kind: .basic, origin: "http://files.example", realm: "files", failureCount: 0))
    #expect(script.plan?.login == nil)
  }

  @Test func `a login is sent only to the origin that requested it`() throws {
    var (script, id, challenge) = try challenged()
    script.answer(id, challenge, .login(login))
    #expect(script.state(id) == .running)
    #expect(script.record(id)?.task?.challenge == nil)
    #expect(script.plan?.login == login)
    let attempt = try #require(script.attempt)
    script.head(attempt, 302, ["Location": "http://other.example/a.iso"])
    script.settled(attempt, .cancelled)
    #expect(script.plan?.url.host == "other.example")
    #expect(script.plan?.login == nil)
  }

  @Test(arguments: [
    (#"Basic realm="files""#, ServerChallenge.Kind.basic),
    (#"Digest realm="files", nonce="n", qop="auth""#, .digest),
  ])
  func `the login uses the requested scheme`(
    header: String, kind: ServerChallenge.Kind
  ) throws {
    var (script, id, challenge) = try challenged(header)
    #expect(script.plan?.loginScheme == nil)
    script.answer(id, challenge, .login(login))
    #expect(script.plan?.loginScheme == kind)
  }

  @Test func `a challenge after a redirect belongs to the new origin`() throws {
    var script = SchedulerScript()
    var spec = taskSpec()
    spec.login = login
    let id = script.add(spec)
    let attempt = try #require(script.attempt)
    script.head(attempt, 302, ["Location": "http://other.example/a.iso"])
    script.settled(attempt, .cancelled)
    try refuse(&script)
    let challenge = try #require(script.record(id)?.task?.challenge)
    #expect(challenge.origin == "http://other.example")
    let other = Login(user: "o", password: "o")
    script.answer(id, challenge, .login(other))
    #expect(script.plan?.login == login)
    let again = try #require(script.attempt)
    script.head(again, 302, ["Location": "http://other.example/a.iso"])
    script.settled(again, .cancelled)
    #expect(script.plan?.login == other)
  }

  @Test func `a challenge after a wrong login has the number of failures`() throws {
    var (script, id, challenge) = try challenged()
    for count in 1...3 {
      script.answer(id, challenge, .login(login))
      try refuse(&script)
      challenge = try #require(script.record(id)?.task?.challenge)
      #expect(challenge.failureCount == count)
    }
  }

  @Test func `trusting a server does not count as a failed login`() throws {
    var (script, id, challenge) = try untrustedTask(serverTrust())
    script.answer(id, challenge, .trust)
    try refuse(&script)
    #expect(script.record(id)?.task?.challenge?.failureCount == 0)
  }

  @Test func `a response to another challenge is ignored`() throws {
    var (script, id, challenge) = try challenged()
    var other = challenge
    other.failureCount = 1
    script.answer(id, other, .login(login))
    #expect(script.state(id) == .waiting)
    script.answer(id, challenge, .login(login))
    let attempt = script.attempt
    script.answer(id, challenge, .cancel)
    #expect(script.state(id) == .running)
    #expect(script.attempt == attempt)
  }

  @Test func `a response before the end of the challenged attempt is accepted`() throws {
    var script = SchedulerScript()
    let id = script.add(taskSpec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 401, ["WWW-Authenticate": "Basic realm=x"])
    let challenge = try #require(script.record(id)?.task?.challenge)
    script.answer(id, challenge, .login(login))
    #expect(script.state(id) == .queued)
    script.settled(attempt, .cancelled)
    #expect(script.plan?.login == login)
  }

  @Test func `the default response accepts the 401 as the result`() throws {
    var (script, id, challenge) = try challenged()
    script.answer(id, challenge, .standard)
    let attempt = try #require(script.attempt)
    script.head(attempt, 401, ["WWW-Authenticate": "Basic realm=x", "Content-Length": "5"])
    #expect(script.record(id)?.task?.challenge == nil)
    #expect(script.record(id)?.task?.reply?.status == 401)
    guard case .create(let page)? = script.bodyPlan else {
      Issue.record("expected the page to be taken, got \(String(describing: script.lastAction))")
      return
    }
    #expect(page.total == 5)
  }

  @Test func `cancelling a challenge cancels the task`() throws {
    var (script, id, challenge) = try challenged()
    script.answer(id, challenge, .cancel)
    #expect(script.state(id) == .failed)
    #expect(script.record(id)?.failure?.code == .cancelled)
    #expect(script.record(id)?.task?.challenge == nil)
  }

  @Test func `a malformed challenge is an ordinary response`() throws {
    var script = SchedulerScript()
    let id = script.add(taskSpec())
    try refuse(&script, #"Basic realm="open"#)
    #expect(script.record(id)?.task?.challenge == nil)
    #expect(script.state(id) != .waiting)
  }

  @Test func `a proxy's challenge is not passed to the program`() throws {
    var script = SchedulerScript()
    let id = script.add(taskSpec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 407, ["Proxy-Authenticate": "Basic realm=x"])
    script.settled(attempt, .cancelled)
    #expect(script.record(id)?.reason == .needsLogin)
    #expect(script.record(id)?.task?.challenge == nil)
  }

  @Test func `a start during a pending challenge repeats the request`() throws {
    var (script, id, challenge) = try challenged()
    script.control(.start, id)
    #expect(script.state(id) == .running)
    try refuse(&script)
    #expect(script.record(id)?.task?.challenge == challenge)
  }

  @Test func `a pending challenge survives a restart`() throws {
    var (script, id, challenge) = try challenged()
    script.restart()
    #expect(script.record(id)?.task?.challenge == challenge)
    script.answer(id, challenge, .login(login))
    #expect(script.plan?.login == login)
  }

  @Test func `a user's transfer passes no challenge to a program`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    try refuse(&script)
    #expect(script.record(id)?.reason == .needsLogin)
    #expect(script.record(id)?.task == nil)
  }

  // MARK: Servers and certificates

  @Test func `a server that the program trusts is trusted by its key`() throws {
    var (script, id, challenge) = try untrustedTask(serverTrust())
    #expect(script.record(id)?.failure == untrusted)
    script.answer(id, challenge, .trust)
    #expect(script.plan?.trust == .keys(["ab12"], asksForOthers: false))
    // With another key it is challenged again, and the first response counts as failed.
    var other = serverTrust()
    other.serverKey = "cd34"
    script.settled(try #require(script.attempt), .untrusted(untrusted, other))
    let second = try #require(script.record(id)?.task?.challenge)
    #expect(second.failureCount == 1)
    script.answer(id, second, .trust)
    #expect(script.plan?.trust == .keys(["ab12", "cd34"], asksForOthers: false))
  }

  @Test func `the default response follows the system's trust decision`() throws {
    var (script, id, challenge) = try untrustedTask(serverTrust(isTrustedBySystem: true))
    script.answer(id, challenge, .standard)
    #expect(script.plan?.trust == .keys(["ab12"], asksForOthers: false))
    (script, id, challenge) = try untrustedTask(serverTrust())
    script.answer(id, challenge, .standard)
    #expect(script.state(id) == .failed)
    #expect(script.record(id)?.failure == untrusted)
    #expect(script.record(id)?.finishedAt == script.now.wall)
  }

  @Test func `a required client certificate is requested from the program`() throws {
    var script = SchedulerScript()
    let id = script.add(taskSpec("https://files.example/a.iso"))
    let wanted = TransferFailure(.tlsRefused, on: "files.example", detail: "certificate required")
    script.settled(try #require(script.attempt), .certificateWanted(wanted))
    let challenge = try #require(script.record(id)?.task?.challenge)
    #expect(
      challenge
        == ServerChallenge(
          kind: .clientCertificate, origin: "https://files.example", failureCount: 0))
    let certificate = ClientCertificate(certificatePath: "/c.pem", keyPath: "/k.pem")
    script.answer(id, challenge, .certificate(certificate))
    #expect(script.plan?.certificate == certificate)
    script.settled(try #require(script.attempt), .certificateWanted(wanted))
    let second = try #require(script.record(id)?.task?.challenge)
    #expect(second.failureCount == 1)
    script.answer(id, second, .standard)
    #expect(script.record(id)?.failure == wanted)
    #expect(script.state(id) == .failed)
  }

  @Test func `a response of the wrong kind counts as the default`() throws {
    var (script, id, challenge) = try untrustedTask(serverTrust())
    script.answer(id, challenge, .login(login))
    #expect(script.record(id)?.failure?.code == .tlsRefused)
    #expect(script.state(id) == .failed)
  }

  @Test func `without a program and a certificate an untrusted server fails the transfer`() throws {
    var script = SchedulerScript()
    let id = script.add(spec("https://files.example/a.iso"))
    #expect(script.plan?.trust == .system)
    script.settled(try #require(script.attempt), .untrusted(untrusted, serverTrust()))
    #expect(script.plan?.trust == .keys([], asksForOthers: false))
    script.settled(try #require(script.attempt), .untrusted(untrusted, serverTrust()))
    #expect(script.state(id) == .failed)
  }

  @Test func `a session determines whether its program judges every server`() throws {
    var script = SchedulerScript()
    let policy = SessionPolicy(asksServerTrust: true)
    script.run(script.scheduler.setPolicy(of: app, policy, at: script.now))
    script.add(taskSpec("https://files.example/a.iso"))
    #expect(script.plan?.trust == .keys([], asksForOthers: true))
    script.add(taskSpec("https://b.example/", session: SessionID(rawValue: "other")))
    #expect(script.plan?.trust == .system)
  }

  @Test(arguments: [true, false])
  func `a server that the system trusts is no challenge if its program does not ask`(
    isPolicyFirst: Bool
  ) throws {
    var challenge = serverTrust()
    challenge.isTrustedBySystem = true
    challenge.serverKey = "abc"
    var script = SchedulerScript()
    let id = script.add(taskSpec("https://files.example/a.iso"))
    let attempt = try #require(script.attempt)
    let policy = SessionPolicy(asksServerTrust: false)
    if isPolicyFirst { script.run(script.scheduler.setPolicy(of: app, policy, at: script.now)) }
    script.settled(attempt, .untrusted(untrusted, challenge))
    if !isPolicyFirst {
      #expect(script.state(id) == .waiting)
      script.run(script.scheduler.setPolicy(of: app, policy, at: script.now))
    }
    #expect(script.state(id) == .running)
    #expect(script.plan?.trust == .keys(["abc"], asksForOthers: false))
  }

  @Test func `a server that the system does not trust is always a challenge`() throws {
    var script = SchedulerScript()
    let id = script.add(taskSpec("https://files.example/a.iso"))
    let policy = SessionPolicy(asksServerTrust: false)
    script.run(script.scheduler.setPolicy(of: app, policy, at: script.now))
    script.settled(try #require(script.attempt), .untrusted(untrusted, serverTrust()))
    #expect(script.state(id) == .waiting)
  }
}
