import Foundation
import KettleModel
import Testing
import TestSupport

/// The real dashboard in a real terminal.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RealDashboardTests {
  private let home: KettleHome
  private let origin: ScriptedOrigin

  init() throws {
    home = try KettleHome()
    origin = try ScriptedOrigin()
  }

  private func open(
    _ command: String = "", columns: Int = 80, rows: Int = 24
  ) async throws {
    let line = Self.line(command)
    _ = try await home.tmux("new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", line)
  }

  /// Starts the dashboard in the terminal in which the last one has ended. A session that is made
  /// while its server is still ending would be lost with it.
  private func openAgain() async throws {
    _ = try await home.tmux("respawn-pane", "-k", Self.line(""))
  }

  private static func line(_ command: String) -> String {
    "\(command) \(KettleHome.program); echo ended with $?; exec sh"
  }

  /// Adds a transfer that takes longer than any of these tests.
  private func addSlow(_ name: String, seed: UInt64) async throws -> SeededBody {
    let body = SeededBody(seed: seed, byteCount: 24_000_000)
    origin.serve(OriginBehavior(body).with { $0.bytesPerSecond = 400_000 }, at: "/" + name)
    let added = try await home.kettle(
      "add", "--paused", "--connections", "1", origin.url("/" + name).text)
    #expect(added.code == 0)
    return body
  }

  @Test func `keys control the transfers and quit the dashboard`() async throws {
    let body = try await addSlow("one.bin", seed: 1)
    try await open()
    _ = try await home.screen { $0.contains("one.bin") && $0.contains("paused") }
    _ = try await home.tmux("send-keys", "s")
    _ = try await home.screen { $0.contains("▶1") && $0.contains("KiB/s") }
    _ = try await home.tmux("send-keys", "p")
    _ = try await home.screen { $0.contains("‖1") }
    origin.serve(OriginBehavior(body), at: "/one.bin")
    _ = try await home.tmux("send-keys", "S")
    _ = try await home.screen { $0.contains("All done") && $0.contains("✔1") }
    _ = try await home.tmux("send-keys", "q")
    _ = try await home.screen { $0.contains("ended with 0") }
    #expect(body.difference(fromFileAt: home.downloads + "/one.bin") == nil)
  }

  // Fault 133
  @Test func `killing the dashboard does not affect the download`() async throws {
    let body = try await addSlow("two.bin", seed: 2)
    try await open()
    _ = try await home.screen { $0.contains("two.bin") }
    _ = try await home.tmux("send-keys", "S")
    try await origin.waitForBytesSent(600_000, at: "/two.bin")
    let pid = try await home.tmux("display-message", "-p", "#{pane_pid}").output.trimmed
    _ = try await home.tmux("kill-server")
    #expect(!pid.isEmpty)
    let row = try #require(try await home.rows().first)
    #expect(row["state"] as? String == "running")
    let before = origin.bytesSent
    try await origin.waitForBytesSent(before + 400_000, at: "/two.bin")
    try await open()
    _ = try await home.screen { $0.contains("▶1") }
    origin.serve(OriginBehavior(body), at: "/two.bin")
    origin.cutConnections()
    #expect(try await home.kettle("wait", "--all", "--timeout", "60").code == 0)
    #expect(body.difference(fromFileAt: home.downloads + "/two.bin") == nil)
  }

  @Test func `the rows remain when the service is killed, and the dashboard reconnects`()
    async throws
  {
    _ = try await addSlow("three.bin", seed: 3)
    try await open()
    _ = try await home.screen { $0.contains("three.bin") && $0.contains("paused") }
    kill(try await home.servicePID(), SIGKILL)
    _ = try await home.screen { $0.contains("three.bin") }
    // A key that is pressed before the dashboard has reconnected shows an error and is not kept,
    // and starting twice has no further effect.
    var isRunning = false
    for _ in 0..<200 where !isRunning {
      _ = try await home.tmux("send-keys", "S")
      isRunning = try await home.tmux("capture-pane", "-p").output.contains("▶1")
    }
    #expect(isRunning)
    _ = try await home.screen { $0.contains("▶1") && $0.contains("three.bin") }
  }

  @Test func `the next dashboard says what happened since the last one`() async throws {
    try await open()
    let watched = home.path + "/.local/state/kettle/watched"
    _ = try await home.screen { _ in FileManager.default.fileExists(atPath: watched) }
    _ = try await home.tmux("send-keys", "q")
    _ = try await home.screen { $0.contains("ended with 0") }
    _ = try await home.tmux("kill-server")
    origin.serve(OriginBehavior(SeededBody(seed: 5, byteCount: 2_000_000)), at: "/five.bin")
    #expect(try await home.kettle("add", origin.url("/five.bin").text).code == 0)
    #expect(try await home.kettle("wait", "--all", "--timeout", "60").code == 0)
    try await open()
    _ = try await home.screen { $0.contains("since ") && $0.contains(": 1 done (1.9 MiB)") }
    _ = try await home.tmux("send-keys", "j")
    _ = try await home.screen { !$0.contains("since ") && $0.contains("five.bin") }
  }

  @Test func `the next dashboard has the order and the pane of the last one`() async throws {
    _ = try await addSlow("six.bin", seed: 6)
    try await open()
    _ = try await home.screen { $0.contains("six.bin") && $0.contains("paused") }
    for key in ["o", "h", "Tab", "]"] { _ = try await home.tmux("send-keys", key) }
    _ = try await home.screen { $0.contains("by host") && $0.contains("2/6 Parts") }
    _ = try await home.tmux("send-keys", "q")
    _ = try await home.screen { $0.contains("ended with 0") }
    try await openAgain()
    _ = try await home.screen { $0.contains("by host") && $0.contains("2/6 Parts") }
  }

  @Test func `a terminal that is too small shows the required size`() async throws {
    try await open(columns: 20, rows: 5)
    _ = try await home.screen { $0.contains("36x8") }
  }

  // Fault 130
  @Test(arguments: ["TERM=dumb", "TERM=no-such-terminal", "env -u TERM"])
  func `a terminal that cannot draw gets plain lines`(terminal: String) async throws {
    _ = try await addSlow("four.bin", seed: 4)
    try await open(terminal == "env -u TERM" ? terminal : "env \(terminal)")
    _ = try await home.screen { $0.contains("four.bin") }
  }
}
