import Glibc
import KettleModel
import KettleSystem

/// The running program of a hook. It leads a process group of its own.
final class HookProgram: Sendable {
  private enum Phase: Sendable {
    /// Not reaped, so that no other process can have its number.
    case running
    case ended
  }

  private let processID: pid_t
  private let phase = Mutex(Phase.running)

  /// - Parameter processID: a child of this process that leads a process group.
  init(processID: pid_t) { self.processID = processID }

  /// Sends a signal to the program and the processes that it has started. Does nothing once the
  /// program has ended.
  func signal(_ number: Int32) {
    phase.withLock { phase in
      switch phase {
      case .running: kill(-processID, number)
      case .ended: break
      }
    }
  }

  /// Waits for the end of the program, on the calling thread.
  func waitForEnd() -> HookOutcome {
    var information = siginfo_t()
    while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    let status = phase.withLock { phase in
      phase = .ended
      return ProcessStatus.ofEnded(processID)
    }
    guard let status else { return .interrupted }
    return status.signal.map { .killed(signal: $0) } ?? .exited(code: status.exitCode)
  }
}
