import CKettleLinux
import Foundation
import Glibc

/// A running program with access to its input.
package final class Running: Sendable {
  package let processID: pid_t
  private let input: Int32

  // Spawned directly, because Foundation's Process waits for every descendant that holds one of its
  // descriptors, and the service is such a descendant.
  package init(
    _ program: String, _ arguments: [String], _ environment: [String: String], output: String
  ) throws {
    var ends: [Int32] = [-1, -1]
    guard kettle_pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    let flags = O_WRONLY | O_CREAT | O_APPEND
    posix_spawn_file_actions_addopen(&actions, 1, output, flags, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    _ = kettle_spawn_close_from(&actions, 3)
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Threads of tests may have signals blocked, and a server that inherits that never ends.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var processID: pid_t = 0
    let problem = posix_spawn(&processID, program, &actions, &attributes, words, variables)
    close(ends[0])
    guard problem == 0 else {
      close(ends[1])
      throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .EIO)
    }
    self.processID = processID
    input = ends[1]
  }

  deinit { close(input) }

  /// A program that has ended reads nothing, which is not an error.
  package func type(_ line: String) { try? write(line + "\n") }

  /// Writes to its input and blocks until everything is in the pipe.
  package func write(_ text: String) throws {
    var rest = ArraySlice(text.utf8)
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
      guard count > 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      rest = rest.dropFirst(count)
    }
  }

  package func send(_ signal: Int32) { kill(processID, signal) }

  /// Blocks until the program has ended. Returns its status; like a shell, 128 plus the signal if
  /// one ended it. Call it once.
  package func waitForEnd() -> Int32 {
    var status: Int32 = 0
    while waitpid(processID, &status, 0) == -1, errno == EINTR {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  /// Waits on a separate thread until the program has ended. A test that times out kills it, so
  /// that one hanging program does not block all tests.
  package func end() async -> Int32 {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: self.waitForEnd()) }
      }
    } onCancel: {
      send(SIGKILL)
    }
  }

  /// Blocks until the program has stopped itself.
  package func stopped() async -> Bool {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var status: Int32 = 0
        while waitpid(self.processID, &status, WUNTRACED) == -1, errno == EINTR {}
        continuation.resume(returning: status & 0xFF == 0x7F)
      }
    }
  }
}
