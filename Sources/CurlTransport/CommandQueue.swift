import CCurl
import Synchronization
import TransferEngine
import TransferModel

/// What other threads ask of the transport's thread.
enum Command: Sendable {
  case begin(AttemptRequest)
  case accept(AttemptID, any ByteSink)
  case resumeReceiving(AttemptID)
  case cancel(AttemptID)
  case limit(TransferID, Int64?)
  case limitAll(Int64?)
}

/// Carries commands to the thread that owns the multi handle, and wakes it.
final class CommandQueue: Sendable {
  enum Taken {
    case commands([Command])
    /// Nothing comes after these.
    case last([Command])
  }

  private enum State {
    case open([Command])
    case closing([Command])
    case closed
  }

  private let state = Mutex(State.open([]))
  /// Only curl_multi_wakeup(3) is called on it here, the one call that any thread may make, and
  /// only while the state is not `closed`: after that the thread frees the handle.
  nonisolated(unsafe) private let multi: UnsafeMutableRawPointer

  init(waking multi: UnsafeMutableRawPointer) { self.multi = multi }

  /// Drops the command when the queue was closed.
  func send(_ command: Command) {
    state.withLock { state in
      guard case .open(var commands) = state else { return }
      // The list must have one owner while it grows, or each command copies all before it.
      state = .closed
      commands.append(command)
      let isFirst = commands.count == 1
      state = .open(commands)
      // With commands waiting, a wake-up is already under way.
      if isFirst { curl_multi_wakeup(multi) }
    }
  }

  /// Takes no more commands, and lets the thread end.
  func close() {
    state.withLock { state in
      guard case .open(let commands) = state else { return }
      state = .closing(commands)
      curl_multi_wakeup(multi)
    }
  }

  /// Called by the thread. After `last` the queue does not touch the multi handle any more.
  func take() -> Taken {
    state.withLock { state in
      switch state {
      case .open(let commands):
        if !commands.isEmpty { state = .open([]) }
        return .commands(commands)
      case .closing(let commands):
        state = .closed
        return .last(commands)
      case .closed:
        return .last([])
      }
    }
  }
}
