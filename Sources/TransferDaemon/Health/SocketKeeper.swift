import ControlSocket
import Dispatch
import Logging
import Synchronization

/// Looks every few seconds whether the socket's file is still there, and binds it again when it is
/// gone: the last logout deletes the runtime directory, and the next login makes another.
final class SocketKeeper: Sendable {
  private enum State {
    case resting
    case looking
    /// It could not be put back; said once, because it can stay so for days.
    case failing
  }

  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let timer: any DispatchSourceTimer
  private let state = Mutex(State.resting)

  /// - Parameter restore: Answers whether it had to do something.
  init(
    interval: Duration = .seconds(5), logger: Logger,
    restore: @escaping @Sendable () async throws -> Bool
  ) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "kettle.socket-keeper"))
    let (seconds, attoseconds) = interval.components
    let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    timer.setEventHandler { [weak self] in self?.look(logger, restore) }
    timer.schedule(
      deadline: .now() + .milliseconds(milliseconds), repeating: .milliseconds(milliseconds),
      leeway: .milliseconds(milliseconds / 5))
    timer.activate()
  }

  func end() { timer.cancel() }

  private func look(_ logger: Logger, _ restore: @escaping @Sendable () async throws -> Bool) {
    let before = state.withLock { state in
      defer { state = .looking }
      return state
    }
    let wasFailing: Bool
    switch before {
    case .looking: return
    case .resting: wasFailing = false
    case .failing: wasFailing = true
    }
    Task {
      var next = State.resting
      do {
        if try await restore() { logger.info("The socket was put back after its file had gone") }
      } catch {
        next = .failing
        if !wasFailing {
          let sentence = ServiceSentence.of(error)
          logger.error("The socket cannot be put back", metadata: ["error": "\(sentence)"])
        }
      }
      state.withLock { [next] in $0 = next }
    }
  }
}
