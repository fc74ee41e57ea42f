import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Servers that require a login.
struct LoginTests {
  let body = SeededBody(seed: 46, byteCount: 4 << 20)
  static let login = Login(user: "ada", password: "wonder:land")
  var locked: OriginBehavior {
    OriginBehavior(body).with {
      $0.login = Self.login
      $0.bytesPerSecond = 16 << 20
    }
  }

  // Fault 52
  @Test(arguments: [1, 8])
  func `the given login is used for every range request`(connections: Int) async throws {
    let world = try await WireWorld()
    world.origin.serve(locked, at: WireWorld.path)
    let row = try await world.download(WireWorld.path) {
      $0.login = Self.login
      $0.connections = connections
    }
    world.expectFile(of: row, is: body)
  }

  // Fault 52
  @Test(arguments: [nil, Login(user: "ada", password: "wrong")], [1, 8])
  func `without a valid login the transfer waits for the user and does not retry`(
    login: Login?, connections: Int
  ) async throws {
    let world = try await WireWorld()
    world.origin.serve(locked, at: WireWorld.path)
    let row = try await world.download(WireWorld.path) {
      $0.login = login
      $0.connections = connections
    }
    #expect(row.state == .waiting)
    #expect(row.reason == .needsLogin)
    #expect(row.error?.code == .loginNeeded)
    #expect(world.origin.requests.count <= 2)
    #expect(world.home.names == [])
  }

  // Fault 52
  @Test func `control bytes in an authentication realm never reach displayed text`() async throws {
    let world = try await WireWorld()
    let realm = "Basic realm=\"\u{1B}]52;c;aGk=\u{7}\u{1B}[2J\""
    world.origin.serve(
      .status(401, headers: [HeaderField(received: "WWW-Authenticate", realm)]),
      at: WireWorld.path)
    let row = try await world.download(WireWorld.path)
    // The whole response may be rejected because of its control bytes.
    #expect(row.state == .failed || row.reason == .needsLogin)
    let shown = try #require(row.error?.sentence)
    #expect(shown.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }, "\(shown)")
  }

  // Fault 52
  @Test(arguments: ["Digest realm=\"r\"", "Negotiate", "NTLM", "Bearer", "", "Basic"])
  func `an unanswerable challenge does not cause a request loop`(challenge: String) async throws {
    let world = try await WireWorld()
    world.origin.serve(
      .status(401, headers: [HeaderField(received: "WWW-Authenticate", challenge)]),
      at: WireWorld.path)
    let row = try await world.download(WireWorld.path) { $0.login = Self.login }
    // A challenge without its fields may also count as a malformed response.
    #expect(row.state == .failed || row.reason == .needsLogin)
    // NTLM takes three rounds; a server that makes no progress must not get requests for ever.
    #expect(world.origin.requests.count <= 12)
  }

  // Fault 56
  @Test(arguments: [1, 8])
  func `a cookie set by the server is never sent back`(connections: Int) async throws {
    let world = try await WireWorld()
    let setting = OriginBehavior(body).with {
      $0.bytesPerSecond = 16 << 20
      $0.headers = (0..<200).map { HeaderField(received: "Set-Cookie", "c\($0)=evil; Path=/") }
    }
    let row = try await world.interruptedDownload(setting, connections: connections) { _ in
      setting
    }
    world.expectFile(of: row, is: body)
    #expect(world.origin.requests.allSatisfy { $0.value(of: "Cookie") == nil })
  }
}
