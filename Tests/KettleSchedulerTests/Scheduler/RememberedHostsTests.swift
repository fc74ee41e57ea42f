import KettleModel
import Testing

@testable import KettleScheduler

/// Servers that the system does not trust, and what the user decides for hosts.
struct RememberedHostsTests {
  private static let key = String(repeating: "ab", count: 32)

  private static func refused(_ origin: String = "https://nas.local") -> TransferFailure {
    var failure = TransferFailure(.tlsRefused, on: "nas.local", detail: "self-signed certificate")
    failure.certificate = ServerCertificate(
      origin: origin, fingerprint: String(repeating: "cd", count: 32), key: key,
      subject: "nas.local", issuer: "nas.local")
    return failure
  }

  private static let challenge = ServerChallenge(
    kind: .serverTrust, origin: "https://nas.local", failureCount: 0)

  /// Refuses the last attempt as libcurl does, and then its inspection.
  private func refuse(_ script: inout SchedulerScript) throws {
    var plain = Self.refused()
    plain.certificate = nil
    script.settled(try #require(script.attempt), .failed(plain))
    script.settled(try #require(script.attempt), .untrusted(Self.refused(), Self.challenge))
  }

  @Test func `a server that is not trusted is inspected once, and the user decides`() throws {
    var script = SchedulerScript()
    let id = script.add(spec("https://nas.local/a.iso"))
    #expect(script.plan?.trust == .system)
    var plain = Self.refused()
    plain.certificate = nil
    script.settled(try #require(script.attempt), .failed(plain))
    #expect(script.plan?.trust == .keys([], asksForOthers: false))
    script.settled(try #require(script.attempt), .untrusted(Self.refused(), Self.challenge))
    #expect(script.record(id)?.reason == .needsDecision)
    #expect(script.record(id)?.failure == Self.refused())

    #expect(script.control(.accept, id) == .applied)
    #expect(script.plan?.trust == .keys([Self.key], asksForOthers: false))
    #expect(script.state(id) == .running)
    script.head(try #require(script.attempt), 200, ["Content-Length": "1000"])
    #expect(script.state(id) == .running)
    // Only for this transfer.
    script.add(spec("https://nas.local/b.iso"))
    #expect(script.plan?.trust == .system)
  }

  @Test func `an inspection that fails as well ends the transfer`() throws {
    var script = SchedulerScript()
    let id = script.add(spec("https://nas.local/a.iso"))
    var plain = Self.refused()
    plain.certificate = nil
    script.settled(try #require(script.attempt), .failed(plain))
    script.settled(try #require(script.attempt), .failed(plain))
    #expect(script.state(id) == .failed)
  }

  @Test func `a server without TLS has nothing to decide`() throws {
    var script = SchedulerScript()
    let id = script.add(spec("https://nas.local/a.iso"))
    let failure = TransferFailure(.tlsRefused, on: "nas.local", detail: "wrong version number")
    script.settled(try #require(script.attempt), .failed(failure))
    #expect(script.state(id) == .failed)
  }

  @Test func `another key than the trusted one needs another decision`() throws {
    var script = SchedulerScript()
    var spec = spec("https://nas.local/a.iso")
    spec.trustedServers = [
      TrustedServer(origin: "https://nas.local", key: String(repeating: "00", count: 32))
    ]
    let id = script.add(spec)
    script.settled(try #require(script.attempt), .untrusted(Self.refused(), Self.challenge))
    #expect(script.record(id)?.reason == .needsDecision)
  }

  @Test func `a decision survives a restart`() throws {
    var script = SchedulerScript()
    let id = script.add(spec("https://nas.local/a.iso"))
    try refuse(&script)
    let record = try #require(script.record(id))
    var after = SchedulerScript()
    after.scheduler = TransferScheduler(lastID: id)
    after.run(after.scheduler.recover([record], at: after.now))
    #expect(after.record(id)?.reason == .needsDecision)
    after.control(.accept, id)
    #expect(after.plan?.trust == .keys([Self.key], asksForOthers: false))
  }

  @Test func `what is remembered holds for those that wait and for later ones`() throws {
    var script = SchedulerScript()
    let ids = try (0..<3).map { index in
      let id = script.add(spec("https://nas.local/\(index).iso"))
      try refuse(&script)
      return id
    }
    let elsewhere = script.add(spec("https://other.local/a.iso"))
    #expect(script.plan?.trust == .system)
    script.control(.accept, ids[0])
    script.control(.remember, ids[0])
    #expect(ids.allSatisfy { script.state($0) == .running })
    #expect(script.state(elsewhere) == .running)
    let later = script.add(spec("https://nas.local/later.iso"))
    #expect(script.plan?.trust == .keys([Self.key], asksForOthers: false))
    // It is not recorded, so that it can be forgotten.
    #expect(script.record(later)?.spec.trustedServers.isEmpty == true)
    let host = Origin(scheme: .https, host: "nas.local", port: 443)
    let recorded = script.changes.compactMap { change -> RememberedHost? in
      if case .rememberHost(host, let remembered) = change { remembered } else { nil }
    }
    #expect(recorded == [RememberedHost(trustedKeys: [Self.key])])

    // Forgotten, it holds no more.
    let (origins, output) = script.scheduler.forgetHosts(named: "nas.local")
    script.run(output)
    #expect(origins == ["https://nas.local"])
    script.add(spec("https://nas.local/after.iso"))
    #expect(script.plan?.trust == .system)
    #expect(script.scheduler.forgetHosts(named: "nas.local").origins.isEmpty)
  }

  @Test func `what was forgotten is not remembered again with another decision`() throws {
    var script = SchedulerScript()
    let first = script.add(spec("https://nas.local/a.iso"))
    try refuse(&script)
    script.control(.accept, first)
    script.control(.remember, first)
    var second = spec("https://files.example/b.iso")
    second.login = Login(user: "ada", password: "secret")
    let other = script.add(second)
    script.run(script.scheduler.forgetHosts(named: "nas.local").1)
    script.control(.remember, other)
    script.add(spec("https://nas.local/c.iso"))
    #expect(script.plan?.trust == .system)
  }

  @Test func `a transfer without a decision has nothing to remember`() throws {
    var script = SchedulerScript()
    let id = script.add(spec("https://files.example/a.iso"))
    #expect(script.control(.remember, id) == .refused(.nothingToDecide))
    #expect(!script.changes.contains { if case .rememberHost = $0 { true } else { false } })
  }

  @Test func `a remembered login continues all that wait for one, and is the host's own`() throws {
    var script = SchedulerScript()
    let wrong = Login(user: "ada", password: "wrong")
    let ids = (0..<3).map { index in
      var spec = spec("http://files.example/\(index)")
      spec.login = index == 0 ? nil : wrong
      let id = script.add(spec)
      if let attempt = script.attempt, script.scheduler.owner(of: attempt) == id {
        script.head(attempt, 401)
        script.settled(attempt, .cancelled)
      }
      return id
    }
    #expect(ids.allSatisfy { script.record($0)?.reason == .needsLogin })
    let right = Login(user: "ada", password: "right")
    let url = try #require(script.record(ids[0])?.spec.url)
    script.control(.relink(url, right), ids[0])
    script.control(.remember, ids[0])
    #expect(ids.allSatisfy { script.record($0)?.spec.login == right })
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000"])
    #expect(ids.allSatisfy { script.state($0) == .running })

    // Never for another origin, and a login of its own has precedence.
    let other = script.add(spec("http://other.example/a"))
    #expect(script.record(other)?.spec.login == nil)
    var own = spec("http://files.example/own")
    own.login = Login(user: "eve", password: "hers")
    let owned = script.add(own)
    #expect(script.record(owned)?.spec.login?.user == "eve")
  }

  @Test func `a rejected login is named`() throws {
    var script = SchedulerScript()
    var request = spec("http://files.example/a")
    request.login = Login(user: "ada", password: "secret")
    let id = script.add(request)
    script.head(try #require(script.attempt), 401)
    script.settled(try #require(script.attempt), .cancelled)
    let sentence = try #require(script.record(id)?.failure?.sentence)
    #expect(sentence.contains("(401; it rejected the login of \"ada\")"))
    #expect(!sentence.contains("secret"))
  }
}
