import KettleDashboard
import Glibc
import KettleSystem
import KettleModel

/// How the dashboard ended.
package enum DashboardEnd: Hashable, Sendable {
  /// The user left.
  case left
  /// A signal asked for it; by custom the program then ends with 128 and the number.
  case signalled(Int32)
  /// The terminal is gone.
  case hungUp
}

/// Runs the dashboard: messages in, effects out, frames to the terminal.
///
/// Messages may be posted from any thread and at any time, also before `run` and after its end.
package final class DashboardRunner: Sendable {
  private let mailbox: Mutex<[DashboardMessage]>
  private let waker: any TerminalWaker
  private let backend: BackendBox
  private let settings: DashboardSettings
  private let effects: @Sendable (DashboardEffect) -> Void

  /// Only the thread that `run` is called on touches the backend inside, `run` is called once, and
  /// the mailbox is the only door for other threads.
  private struct BackendBox: @unchecked Sendable {
    let value: any TerminalBackend
  }

  /// - Parameter effects: Called on the terminal's thread for everything but `suspend`, `redraw`
  ///   and `leave`, which are done here; it must not wait for anything.
  package init(
    backend: sending any TerminalBackend, settings: DashboardSettings = DashboardSettings(),
    effects: @escaping @Sendable (DashboardEffect) -> Void
  ) {
    self.settings = settings
    waker = backend.waker
    self.backend = BackendBox(value: backend)
    mailbox = Mutex([])
    self.effects = effects
  }

  /// Tells the dashboard something.
  package func post(_ message: DashboardMessage) {
    mailbox.withLock { Self.append(message, to: &$0) }
    waker.wake()
  }

  /// Newer rows replace older ones that nobody has seen yet, so a slow terminal does not fall
  /// behind.
  private static func append(_ message: DashboardMessage, to messages: inout [DashboardMessage]) {
    if case .rowsArrived = message, case .rowsArrived = messages.last {
      messages[messages.count - 1] = message
    } else {
      messages.append(message)
    }
  }

  /// Shows the dashboard until it is left. Blocks, and must be called once.
  package func run() throws(TerminalProblem) -> DashboardEnd {
    let terminal = backend.value
    let look = try terminal.claim()
    defer { terminal.restore() }
    var loop = DashboardLoop(backend: terminal, look: look, settings: settings, effects: effects)
    return loop.run { takeMessages() }
  }

  /// `run` on a thread made for it, so that no thread of the concurrency pool is held up.
  package func runOnOwnThread() async throws(TerminalProblem) -> DashboardEnd {
    let result: Result<DashboardEnd, TerminalProblem> = await withCheckedContinuation { waiting in
      let work = ThreadWork {
        waiting.resume(returning: Result { () throws(TerminalProblem) in try self.run() })
      }
      if let number = work.startThread() {
        waiting.resume(returning: .failure(.system(call: "pthread_create", errno: number)))
      }
    }
    return try result.get()
  }

  private func takeMessages() -> [DashboardMessage] {
    mailbox.withLock { messages in
      defer { messages = [] }
      return messages
    }
  }
}
