import CKettleLinux
import Foundation
import TestSupport

/// A program that was spawned by hand, so that the test knows its process ID.
final class StormProcess: Sendable {
  struct Outcome: Sendable {
    /// As in a shell: 128 plus the signal if one ended it.
    var code: Int32
    var output: String
    var errors: String

    static let hungCode: Int32 = -1
  }

  let id: pid_t
  private let name: String
  private let status: Monitor<Int32?>

  /// - Parameter limits: A `ulimit` command for sh(1), which applies to the program.
  init(
    _ words: [String], environment: [String: String], limits: String? = nil
  ) throws {
    name = NSTemporaryDirectory() + "/kstorm-run-" + UUID().uuidString
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, name + ".out", O_WRONLY | O_CREAT, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, name + ".err", O_WRONLY | O_CREAT, 0o600)
    _ = kettle_spawn_close_from(&actions, 3)
    let limited = limits.map { ["/bin/sh", "-c", $0 + " && exec \"$@\"", "sh"] } ?? []
    let arguments = (limited + words).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var processID: pid_t = 0
    let problem = posix_spawnp(
      &processID, (limited + words)[0], &actions, nil, arguments, variables)
    guard problem == 0 else { throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .EIO) }
    id = processID
    let status = Monitor<Int32?>(nil)
    self.status = status
    Thread.detachNewThread { [id] in
      var ended: Int32 = 0
      while waitpid(id, &ended, 0) == -1, errno == EINTR {}
      let code = ended & 0x7F == 0 ? ended >> 8 & 0xFF : 128 + ended & 0x7F
      status.update { $0 = code }
    }
  }

  deinit {
    for suffix in [".out", ".err"] { try? FileManager.default.removeItem(atPath: name + suffix) }
  }

  /// nil while the program runs.
  var exitCode: Int32? { status.read { $0 } }

  /// Blocks the calling thread until the program has ended; nil if the budget runs out first.
  func waitForEnd(milliseconds: Int64) -> Int32? {
    _ = status.block(forMilliseconds: milliseconds) { $0 != nil }
    return exitCode
  }

  /// Blocks until the program has ended. A program that hangs is killed and gets `hungCode`.
  func outcome(budgetMilliseconds: Int64) -> Outcome {
    var code = waitForEnd(milliseconds: budgetMilliseconds)
    if code == nil {
      kill(id, SIGKILL)
      _ = waitForEnd(milliseconds: 5000)
      code = Outcome.hungCode
    }
    return Outcome(
      code: code ?? Outcome.hungCode, output: text(".out").trimmed, errors: text(".err").trimmed)
  }

  private func text(_ suffix: String) -> String {
    String(decoding: FileManager.default.contents(atPath: name + suffix) ?? Data(), as: UTF8.self)
  }
}

extension String {
  var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
