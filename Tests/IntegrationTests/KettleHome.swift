import CKettleLinux
import Foundation
import Testing
import TestSupport

/// A home directory for the real program that no other test uses.
final class KettleHome: Sendable {
  struct Outcome: Sendable {
    var code: Int32
    var output: String
    var errors: String
  }

  let path: String
  let environment: [String: String]

  static let program = BuiltProgram.path(of: "kettle")

  /// - Parameter environment: Additional environment variables of the program.
  init(environment further: [String: String] = [:]) throws {
    // Short, because the path of a socket must be short.
    var template = Array("/tmp/kettle-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
    path = String(cString: made)
    var environment = ["HOME": path, "XDG_RUNTIME_DIR": path + "/run", "LANG": "C.UTF-8"]
    environment["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    environment["TZ"] = "UTC"
    if let libraries = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] {
      environment["LD_LIBRARY_PATH"] = libraries
    }
    environment.merge(further) { _, further in further }
    self.environment = environment
    try FileManager.default.createDirectory(
      atPath: path + "/run", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
  }

  deinit {
    // tmux servers outlive their clients.
    _ = try? Self.run(
      "/usr/bin/env", ["tmux", "-S", path + "/tmux", "kill-server"], environment, path)
    _ = try? Self.run(Self.program, ["daemon", "stop"], environment, path)
    try? FileManager.default.removeItem(atPath: path)
  }

  var downloads: String { path + "/Downloads" }

  /// Runs the program to its end.
  @discardableResult
  func kettle(_ arguments: String...) async throws -> Outcome {
    try await runOnThread(Self.program, arguments)
  }

  /// Runs another program in this home to its end.
  func run(_ program: String, _ arguments: String...) async throws -> Outcome {
    try await run(program, arguments)
  }

  func run(_ program: String, _ arguments: [String]) async throws -> Outcome {
    try await runOnThread(program, arguments)
  }

  /// Waits for the process on a separate thread, not on one that all tests share.
  private func runOnThread(_ program: String, _ arguments: [String]) async throws -> Outcome {
    let (environment, path) = (environment, path)
    return try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result { try Self.run(program, arguments, environment, path) })
      }
    }
  }

  /// The rows of `kettle list --json`.
  func rows() async throws -> [[String: Any]] {
    let outcome = try await kettle("list", "--json")
    let parsed = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    return try #require(parsed as? [[String: Any]])
  }

  func state(of id: String) async throws -> String? {
    try await rows().first { ($0["id"] as? Int).map(String.init) == id }?["state"] as? String
  }

  func servicePID() async throws -> Int32 {
    let outcome = try await kettle("daemon", "status", "--json")
    let parsed = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    let status = try #require(parsed as? [String: Any])
    return Int32(try #require(status["processID"] as? Int))
  }

  func tmux(_ arguments: String...) async throws -> Outcome {
    try await runOnThread(
      "/usr/bin/env", ["tmux", "-S", path + "/tmux", "-f", "/dev/null"] + arguments)
  }

  /// Waits until the terminal shows the expected text, and returns the screen.
  func screen(_ isWanted: (String) -> Bool, budgetMilliseconds: Int = 20_000) async throws -> String
  {
    let deadline = ContinuousClock.now + .milliseconds(budgetMilliseconds)
    var shown = ""
    while ContinuousClock.now < deadline {
      shown = try await tmux("capture-pane", "-p").output
      if isWanted(shown) { return shown }
    }
    Issue.record("The screen never showed what was wanted:\n\(shown)")
    return shown
  }

  // Standard output and error go to files: an unread pipe would block the program. Spawned by hand,
  // because Foundation's Process waits for every descendant that still has one of its descriptors,
  // and the tmux server is one.
  private static func run(
    _ program: String, _ arguments: [String], _ environment: [String: String], _ directory: String
  ) throws -> Outcome {
    let name = directory + "/run-" + UUID().uuidString
    defer {
      for suffix in [".out", ".err"] { try? FileManager.default.removeItem(atPath: name + suffix) }
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, name + ".out", O_WRONLY | O_CREAT, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, name + ".err", O_WRONLY | O_CREAT, 0o600)
    // The started program must not inherit the sockets of other tests in this process.
    _ = kettle_spawn_close_from(&actions, 3)
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The threads of tests block most signals: a tmux server that inherits that never ends.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var processID: pid_t = 0
    let problem = posix_spawn(&processID, program, &actions, &attributes, words, variables)
    guard problem == 0 else { throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .EIO) }
    var status: Int32 = 0
    while waitpid(processID, &status, 0) == -1, errno == EINTR {}
    let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    return Outcome(code: code, output: text(name + ".out"), errors: text(name + ".err"))
  }

  private static func text(_ path: String) -> String {
    String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
  }
}
