import Testing

@testable import KettleRPC

struct AccessTests {
  // Fault 125
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

  // Fault 123
  @Test(arguments: [
    ("localhost", true), ("localhost:6800", true), ("LOCALHOST:6800", true),
    ("127.0.0.1:6800", true), ("[::1]:6800", true), ("[::1]", true), ("10.0.0.5:6800", true),
    ("box.localhost", true), ("evil.example", false), ("evil.example:6800", false),
    ("localhost.evil.example", false), ("127.0.0.1.evil.example", false), ("[evil]", false),
    ("", false), ("127.1", false), ("[::1].evil.example", false), ("[::1", false), ("::1", false),
    ("localhost:", false), ("localhost:x", false), ("[::1]x:80", false),
  ])
  func `a request names this machine`(host: String, isAdmitted: Bool) {
    #expect(RequestDoor(allowedOrigins: []).admits(host: host) == isAdmitted)
  }

  // Fault 123
  @Test func `a request without a host is refused`() {
    #expect(!RequestDoor(allowedOrigins: ["*"]).admits(host: nil))
  }

  // Fault 122
  @Test func `pages of other sites are refused unless they are allowed`() {
    let door = RequestDoor(allowedOrigins: ["http://ariang.example"])
    for origin in [
      nil, "http://ariang.example", "http://localhost:8000", "http://127.0.0.1",
      "http://127.9.9.9:81", "http://[::1]", "https://[::1]:8443", "http://front.localhost",
      "moz-extension://5f2c", "chrome-extension://abcdefgh",
    ] {
      #expect(door.admits(origin: origin), "\(origin ?? "none")")
    }
    for origin in [
      "https://ariang.example", "http://ariang.example:81", "http://evil.example", "null", "",
      "http://localhost.evil.example", "http://8.8.8.8", "http://93.184.216.34:8080",
      "http://192.168.1.1", "http://0.0.0.0", "http://[2606:2800::1]", "http://[fe80::1]",
      "http://[::1].evil.example", "http://127.0.0.1.evil.example", "http://[::1]@evil.example",
    ] {
      #expect(!door.admits(origin: origin), "\(origin)")
    }
    #expect(RequestDoor(allowedOrigins: ["*"]).admits(origin: "http://evil.example"))
    #expect(RequestDoor(allowedOrigins: ["null"]).admits(origin: "null"))
  }

  // Fault 125
  @Test func `a message is one guess, and its wrong secrets are counted`() throws {
    let secret = try #require(RPCSecret("correct horse"))
    var right = SecretCheck(secret)
    let admitted = ["correct horse", "correct horse", nil, "correct horse"].map { right.admits($0) }
    #expect(admitted == [true, true, false, true])
    #expect(right.wrongCount == 0)
    var wrong = SecretCheck(secret)
    // A front end presents the same secret with each call.
    let refused = ["battery staple", "battery staple", "correct horse"].map { wrong.admits($0) }
    #expect(refused == [false, false, false])
    #expect(wrong.wrongCount == 2)
    let guesses = (0..<20_000).map { wrong.admits("guess \($0)") }
    #expect(!guesses.contains(true))
    #expect(wrong.wrongCount > FailureThrottle.delayedCountMax)
  }

  // Fault 125
  @Test func `many wrong secrets in a message get no answer, and few a later one`() {
    var throttle = FailureThrottle()
    #expect(throttle.noteFailure(of: "a", secretCount: 0) == .later(milliseconds: 1000))
    #expect(throttle.noteFailure(of: "a", secretCount: 3) == .later(milliseconds: 3000))
    #expect(throttle.noteFailure(of: "a", secretCount: 9) == .tooMany)
  }

  // Fault 125
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
