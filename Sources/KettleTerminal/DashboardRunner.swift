import Glibc
import KettleDashboard
import KettleModel
import KettleSystem

/// How the dashboard ended.
package enum DashboardEnd: Hashable, Sendable {
  /// The user quit.
  case left
  /// A signal requested the end; by convention the program then exits with 128 plus the number.
  case signalled(Int32)
  /// The terminal has disappeared.
  case hungUp
}

/// Runs the dashboard: messages in, effects out, frames to the terminal.
///
/// Messages may be posted from any thread at any time, including before `run` and after it ends.
package final class DashboardRunner: Sendable {
  private let mailbox: Mutex<[DashboardMessage]>
  private let waker: any TerminalWaker
  private let backend: BackendBox
  private let settings: DashboardSettings
  private let effects: @Sendable (ServiceEffect) -> Void

  /// Only the thread that calls `run` uses the backend, `run` is called once, and other threads use
  /// only the mailbox.
  private struct BackendBox: @unchecked Sendable {
    let value: any TerminalBackend
  }

  /// - Parameter effects: Called on the terminal's thread. It must not block.
  package init(
    backend: sending any TerminalBackend, settings: DashboardSettings = DashboardSettings(),
    effects: @escaping @Sendable (ServiceEffect) -> Void
  ) {
    self.settings = settings
    waker = backend.waker
    self.backend = BackendBox(value: backend)
    mailbox = Mutex([])
    self.effects = effects
  }

  /// Sends a message to the dashboard.
  package func post(_ message: DashboardMessage) {
    mailbox.withLock { Self.append(message, to: &$0) }
    waker.wake()
  }

  /// Newer rows replace older ones that have not been shown yet, so that a slow terminal does not
  /// fall behind.
  private static func append(_ message: DashboardMessage, to messages: inout [DashboardMessage]) {
    if case .rowsArrived = message, case .rowsArrived = messages.last {
      messages[messages.count - 1] = message
    } else {
      messages.append(message)
    }
  }

  /// Shows the dashboard until the user leaves it. Blocks, and must be called once.
  package func run() throws(TerminalProblem) -> DashboardEnd {
    let terminal = backend.value
    let look = try terminal.claim()
    defer { terminal.restore() }
    var loop = DashboardLoop(backend: terminal, look: look, settings: settings, effects: effects)
    return loop.run { drainMessages() }
  }

  /// Calls `run` on a new thread, so that it blocks no thread of the concurrency pool.
  package func runOnOwnThread() async throws(TerminalProblem) -> DashboardEnd {
    let result: Result<DashboardEnd, TerminalProblem> = await withCheckedContinuation { waiting in
      // Tasks run with all signals blocked, and a blocked SIGTSTP would not stop the program at
      // Ctrl-Z.
      do throws(SystemError) {
        let thread = try SystemThread(receiving: .all) {
          waiting.resume(returning: Result { () throws(TerminalProblem) in try self.run() })
        }
        thread.detach()
      } catch {
        waiting.resume(returning: .failure(.system(call: "pthread_create", errno: error.code)))
      }
    }
    return try result.get()
  }

  private func drainMessages() -> [DashboardMessage] {
    mailbox.withLock { messages in
      defer { messages = [] }
      return messages
    }
  }
}

/// Why the dashboard cannot run here; the caller prints plain lines instead.
package enum TerminalProblem: Error, Hashable, Sendable {
  /// Standard input or output is a file or a pipe.
  case noTerminal
  /// TERM is not set.
  case nameMissing
  /// No description of this terminal is installed.
  case unknown(name: String)
  /// The terminal cannot place its cursor.
  case tooSimple(name: String)
  /// The system provided no pipe or thread; contains the name of the call and the errno.
  case system(call: String, errno: Int32)

  /// What is wrong and how to fix it, without a period.
  package var sentence: String {
    switch self {
    case .noTerminal:
      "The dashboard needs a terminal for input and output; kettle list works without"
    case .nameMissing:
      "TERM is not set, so the dashboard cannot draw; set it, or use kettle list"
    case .unknown(let name):
      "Unknown terminal \"\(name)\"; set TERM to a known one, for example xterm"
    case .tooSimple(let name):
      "The terminal \"\(name)\" cannot position its cursor; set TERM, or use kettle list"
    case .system(let call, let number):
      "The dashboard could not be set up: \(call) failed (errno \(number)); try again"
    }
  }
}
