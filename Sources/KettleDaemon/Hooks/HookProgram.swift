import Glibc
import KettleModel
import KettleSystem

/// The running program of a hook. It leads a process group of its own.
final class HookProgram: Sendable {
  private enum Phase: Sendable {
    /// Not reaped, so that no other process can have its number.
    case running
    /// As `running`; it was sent a signal.
    case signalled
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
      case .running, .signalled:
        kill(-processID, number)
        phase = .signalled
      case .ended: break
      }
    }
  }

  /// Waits for the end of the program, on the calling thread. If it was sent a signal, what is left
  /// of its process group is killed: nothing else would end a process that ignores the signal.
  func waitForEnd() -> HookOutcome {
    var information = siginfo_t()
    while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    let status = phase.withLock { phase in
      switch phase {
      // The number of the group cannot be another's as long as its leader is not reaped.
      case .signalled: kill(-processID, SIGKILL)
      case .running, .ended: break
      }
      phase = .ended
      return ProcessStatus.ofEnded(processID)
    }
    guard let status else { return .interrupted }
    return status.signal.map { .killed(signal: $0) } ?? .exited(code: status.exitCode)
  }
}
