import Testing

@testable import KettleAria2

struct AccessTests {
  @Test func `only the whole secret matches`() throws {
    let secret = try #require(RPCSecret("correct horse"))
    #expect(secret.matches("correct horse"))
    for wrong in [
      nil, "", "correct hors", "correct horse ", "Correct horse", "correct horsecorrect horse",
      "xorrect horse", String(repeating: "a", count: 100_000),
    ] {
      #expect(!secret.matches(wrong))
    }
    #expect(RPCSecret("short") == nil)
    #expect(RPCSecret(String(repeating: "x", count: 257)) == nil)
  }

  @Test(arguments: [
    ("localhost", true), ("localhost:6800", true), ("LOCALHOST:6800", true),
    ("127.0.0.1:6800", true), ("[::1]:6800", true), ("[::1]", true), ("10.0.0.5:6800", true),
    ("box.localhost", true), ("evil.example", false), ("evil.example:6800", false),
    ("localhost.evil.example", false), ("127.0.0.1.evil.example", false), ("[evil]", false),
    ("", false), ("127.1", false),
  ])
  func `a request names this machine`(host: String, isAdmitted: Bool) {
    #expect(RequestDoor(allowedOrigins: []).admits(host: host) == isAdmitted)
  }

  @Test func `a request without a host is refused`() {
    #expect(!RequestDoor(allowedOrigins: ["*"]).admits(host: nil))
  }

  @Test func `pages of other sites are refused unless they are allowed`() {
    let door = RequestDoor(allowedOrigins: ["http://ariang.example"])
    for origin in [
      nil, "http://ariang.example", "http://localhost:8000", "http://127.0.0.1",
      "moz-extension://5f2c", "chrome-extension://abcdefgh",
    ] {
      #expect(door.admits(origin: origin), "\(origin ?? "none")")
    }
    for origin in [
      "https://ariang.example", "http://ariang.example:81", "http://evil.example", "null", "",
      "http://localhost.evil.example",
    ] {
      #expect(!door.admits(origin: origin), "\(origin)")
    }
    #expect(RequestDoor(allowedOrigins: ["*"]).admits(origin: "http://evil.example"))
    #expect(RequestDoor(allowedOrigins: ["null"]).admits(origin: "null"))
  }

  @Test func `wrong secrets are answered late, and only so many at a time`() {
    var throttle = FailureThrottle()
    for _ in 0..<FailureThrottle.delayedCountMax {
      #expect(throttle.noteFailure(of: "127.0.0.1") == .later(milliseconds: 1000))
    }
    #expect(throttle.noteFailure(of: "127.0.0.1") == .tooMany)
    #expect(throttle.noteFailure(of: "::1") == .later(milliseconds: 1000))
    throttle.noteAnswer(to: "127.0.0.1")
    #expect(throttle.noteFailure(of: "127.0.0.1") == .later(milliseconds: 1000))
  }
}
