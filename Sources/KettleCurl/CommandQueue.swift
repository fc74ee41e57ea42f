import CKettleCurl
import Glibc
import KettleSystem
import struct Synchronization.Atomic
import KettleEngine
import KettleModel

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
  /// Senders that wake the thread, or are about to. Without the lock: the thread that wakes takes
  /// it at once, and would find it held.
  private let wakingCount = Atomic(0)
  /// Only curl_multi_wakeup(3) is called on it here, the one call that any thread may make, and
  /// only while `wakingCount` is not 0: the thread frees the handle when nobody wakes any more.
  nonisolated(unsafe) private let multi: UnsafeMutableRawPointer

  init(waking multi: UnsafeMutableRawPointer) { self.multi = multi }

  /// Drops the command when the queue was closed.
  func send(_ command: Command) {
    let wakes = state.withLock { state in
      guard case .open(var commands) = state else { return false }
      // The list must have one owner while it grows, or each command copies all before it.
      state = .closed
      commands.append(command)
      let isFirst = commands.count == 1
      state = .open(commands)
      // With commands waiting, a wake-up is already under way.
      if isFirst { willWake() }
      return isFirst
    }
    if wakes { wake() }
  }

  /// Takes no more commands, and lets the thread end.
  func close() {
    let wakes = state.withLock { state in
      guard case .open(let commands) = state else { return false }
      state = .closing(commands)
      willWake()
      return true
    }
    if wakes { wake() }
  }

  /// With the lock, so that the thread that takes what is last finds it counted.
  private func willWake() { wakingCount.add(1, ordering: .relaxed) }

  private func wake() {
    curl_multi_wakeup(multi)
    wakingCount.subtract(1, ordering: .releasing)
  }

  /// Called by the thread. After `last` the queue does not touch the multi handle any more.
  func take() -> Taken {
    let taken = takeWaiting()
    switch taken {
    case .commands: break
    case .last:
      // Each of them is at most one call away.
      while wakingCount.load(ordering: .acquiring) > 0 { sched_yield() }
    }
    return taken
  }

  private func takeWaiting() -> Taken {
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
