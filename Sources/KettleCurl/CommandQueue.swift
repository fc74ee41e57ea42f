import CKettleCurl
import Glibc
import KettleEngine
import KettleModel
import KettleSystem
import struct Synchronization.Atomic

/// A request from another thread to the transport's thread.
enum Command: Sendable {
  case begin(AttemptRequest)
  case accept(AttemptID, any ByteSink)
  case resumeReceiving(AttemptID)
  case cancel(AttemptID)
  /// Why the name of the attempt's host could not be looked up.
  case nameChecked(AttemptID, NameLookup.Answer)
  /// The addresses of the attempt's host.
  case addressesFound(AttemptID, [IPAddress])
  case limit(TransferID, Int64?)
  case limitAll(Int64?)
  /// The speed limits allow these attempts more; those of other threads are among them.
  case resumeThrottled([AttemptID])
}

/// Passes commands to the thread that owns the multi handle, and wakes it.
final class CommandQueue: Sendable {
  enum Batch {
    case commands([Command])
    /// The last commands; none follow.
    case last([Command])
  }

  private enum State {
    case open([Command])
    case closing([Command])
    case closed
  }

  private let state = Mutex(State.open([]))
  /// The number of senders that are waking the thread or about to. Atomic and outside the lock: the
  /// woken thread takes the lock at once and would find it held.
  private let wakingCount = Atomic(0)
  /// Used here only for curl_multi_wakeup(3), the one call that any thread may make, and only while
  /// `wakingCount` is not 0: the thread frees the handle once no sender is waking it.
  nonisolated(unsafe) private let multi: UnsafeMutableRawPointer

  init(waking multi: UnsafeMutableRawPointer) { self.multi = multi }

  /// Queues a command and wakes the thread. Drops the command if the queue is closed.
  func send(_ command: Command) {
    let wakes = state.withLock { state in
      guard case .open(var commands) = state else { return false }
      // Keep the list uniquely referenced while it grows, or each command copies all earlier ones.
      state = .closed
      commands.append(command)
      let isFirst = commands.count == 1
      state = .open(commands)
      // With commands waiting, a wake-up is already pending.
      if isFirst { willWake() }
      return isFirst
    }
    if wakes { wake() }
  }

  /// Accepts no more commands and lets the thread end.
  func close() {
    let wakes = state.withLock { state in
      guard case .open(let commands) = state else { return false }
      state = .closing(commands)
      willWake()
      return true
    }
    if wakes { wake() }
  }

  /// Called under the lock, so that the thread that takes the last commands sees the count.
  private func willWake() { wakingCount.add(1, ordering: .relaxed) }

  private func wake() {
    curl_multi_wakeup(multi)
    wakingCount.subtract(1, ordering: .releasing)
  }

  /// Removes and returns all commands. Called by the thread. After `last`, the queue no longer uses
  /// the multi handle.
  func dequeueAll() -> Batch {
    let batch = dequeueWaiting()
    switch batch {
    case .commands: break
    case .last:
      // Each of these senders is at most one call from finishing.
      while wakingCount.load(ordering: .acquiring) > 0 { sched_yield() }
    }
    return batch
  }

  private func dequeueWaiting() -> Batch {
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
