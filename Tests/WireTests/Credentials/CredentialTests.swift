import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Credentials for one scheme, host and port are not sent anywhere else.
struct CredentialTests {
  static let body = SeededBody(seed: 50, byteCount: 3 << 20)
  static var truth: OriginBehavior { OriginBehavior(body).with { $0.bytesPerSecond = 32 << 20 } }

  /// Challenges for a login, so that a client sends the one that it has.
  private static func asking(_ behavior: OriginBehavior)
    -> @Sendable (OriginRequest)
    -> OriginBehavior
  {
    let challenge = HeaderField(received: "WWW-Authenticate", "Basic realm=\"kettle\"")
    return { request in
      let isKnown = request.headers.contains { $0.value.contains(Secret.text) }
      let isLoggedIn = request.value(of: "Authorization") != nil
      return isKnown || isLoggedIn ? behavior : .status(401, headers: [challenge])
    }
  }

  // Fault 49
  @Test(arguments: CredentialCase.all)
  func `credentials do not leave their origin through a redirect`(
    cell: CredentialCase
  ) async throws {
    let world = try await WireWorld()
    let other = try ScriptedOrigin(lastByte: cell.place == .otherHost ? 2 : 1)
    let (own, target) = try addresses(cell.place, world.origin, other)
    // It requires a login for the same realm, and would serve the file.
    let tempter = cell.place == .otherName ? world.origin : other
    tempter.serve(at: "/target", Self.asking(Self.truth))
    let redirect = OriginBehavior.redirect(cell.status, to: target)
    var spec = TransferSpec(url: own)
    spec.connections = 8
    try Secret.give(cell.kind, to: &spec)
    let isFresh = cell.start == .fresh
    let stalling = Self.truth.with { $0.stall = .init(after: 200_000, until: "never") }
    world.origin.serve(at: WireWorld.path, Self.asking(isFresh ? redirect : stalling))
    let id = try #require(await world.engine.add([spec]).first)
    if !isFresh {
      try await world.wait("the first bytes", for: id) { $0.bytesReceived >= 200_000 }
      try await world.restart(after: .shutDown) {
        world.origin.serve(at: WireWorld.path, Self.asking(redirect))
      }
    }
    let row = try await world.end(of: id)
    #expect(row.reason == .needsLogin, "\(row.state)")
    #expect(world.origin.requests(at: WireWorld.path).contains(where: Secret.isIn))
    let strange = tempter.requests(at: "/target")
    #expect(!strange.isEmpty)
    #expect(!strange.contains(where: Secret.isIn))
    #expect(strange.allSatisfy { $0.value(of: "Authorization") == nil })
    #expect(strange.allSatisfy { $0.value(of: "Cookie") == nil })
  }

  private func addresses(
    _ place: CredentialCase.Place, _ own: ScriptedOrigin, _ other: ScriptedOrigin
  ) throws -> (own: TransferURL, target: String) {
    switch place {
    case .otherHost, .otherPort:
      return (try own.url(WireWorld.path), try other.url("/target").text)
    // The same server under a different name is a different host.
    case .otherName:
      let text = "http://localhost:\(own.port)\(WireWorld.path)"
      return (try TransferURL.parse(text).get().url, try own.url("/target").text)
    }
  }

  // Fault 49
  @Test(
    .enabled(if: TLSEndpoint.isThere), arguments: CredentialCase.Kind.allCases,
    CredentialCase.Start.allCases)
  func `credentials given for http are not sent over https`(
    kind: CredentialCase.Kind, start: CredentialCase.Start
  ) async throws {
    let world = try await WireWorld()
    let endpoint = try await TLSEndpoint()
    let redirect = OriginBehavior.redirect(to: try endpoint.url("/target").text)
    var spec = TransferSpec(url: try world.origin.url(WireWorld.path))
    spec.caCertificatePath = endpoint.certificatePath
    try Secret.give(kind, to: &spec)
    let stalling = Self.truth.with { $0.stall = .init(after: 200_000, until: "never") }
    world.origin.serve(
      at: WireWorld.path, Self.asking(start == .fresh ? redirect : stalling))
    let id = try #require(await world.engine.add([spec]).first)
    if start == .resumed {
      try await world.wait("the first bytes", for: id) { $0.bytesReceived >= 200_000 }
      await world.pause(id)
      world.origin.serve(at: WireWorld.path, Self.asking(redirect))
      await world.start(id)
    }
    let request = try await endpoint.waitForRequest()
    #expect(request.contains("GET /target HTTP/1.1"))
    let sent = try #require(request.split(separator: "GET /target").last)
    #expect(!Secret.isIn(String(sent)), "\(sent)")
    await world.pause(id)
  }

  // Fault 48
  @Test(.enabled(if: TLSEndpoint.isThere), arguments: [301, 302, 303, 307, 308])
  func `a redirect from https to http is refused`(status: Int) async throws {
    let world = try await WireWorld()
    let endpoint = try await TLSEndpoint()
    world.origin.serve(Self.truth, at: "/plain")
    let id = try await world.add(try endpoint.url("/file.bin")) {
      $0.caCertificatePath = endpoint.certificatePath
    }
    _ = try await endpoint.waitForRequest()
    try endpoint.send(
      "HTTP/1.1 \(status) Moved\r\nLocation: \(try world.origin.url("/plain").text)\r\n"
        + "Content-Length: 0\r\n\r\n")
    let row = try await world.end(of: id)
    #expect(row.state == .failed)
    #expect(row.error?.code == .redirectRefused)
    #expect(world.origin.requests.isEmpty)
    #expect(world.home.names == [])
  }

  // Fault 49
  @Test(arguments: CredentialCase.Kind.allCases)
  func `credentials are sent with every range request to their own origin`(
    kind: CredentialCase.Kind
  ) async throws {
    let world = try await WireWorld()
    // A redirect within the origin changes nothing.
    world.origin.serve(.redirect(to: "/target"), at: WireWorld.path)
    world.origin.serve(at: "/target", Self.asking(Self.truth))
    var spec = TransferSpec(url: try world.origin.url(WireWorld.path))
    spec.connections = 8
    try Secret.give(kind, to: &spec)
    let id = try #require(await world.engine.add([spec]).first)
    world.expectFile(of: try await world.end(of: id), is: Self.body)
  }

  // Fault 49
  @Test func `a user in a redirect location is ignored`() async throws {
    let world = try await WireWorld()
    let other = try ScriptedOrigin()
    other.serve(at: "/target", Self.asking(Self.truth))
    world.origin.serve(
      .redirect(to: "http://ada:\(Secret.text)@127.0.0.1:\(other.port)/target"),
      at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    #expect(row.reason == .needsLogin)
    #expect(!other.requests.contains(where: Secret.isIn))
  }
}
