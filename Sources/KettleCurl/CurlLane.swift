import CKettleCurl
import Glibc
import KettleEngine
import KettleModel
import KettleSystem
import struct Synchronization.Atomic

/// A thread that owns a multi handle and everything behind it.
///
/// It sleeps in curl_multi_poll(3) until a socket, a timer or a command wakes it.
final class CurlLane: Sendable {
  let queue: CommandQueue
  /// nil once the thread has been joined.
  private let thread: Mutex<SystemThread?>

  /// Fails only when the system has no thread or descriptor left.
  init(
    settings: CurlSettings, limits: SharedSpeedLimits, silentAddresses: SharedSilentAddresses,
    events: @escaping @Sendable (TransportEvent) -> Void
  ) throws(TransferFailure) {
    guard Self.isLibraryReady, let multi = curl_multi_init() else {
      throw TransferFailure(.internalProblem, on: "libcurl", detail: "it cannot be started")
    }
    // A handle created without a descriptor for wake-ups could never be woken.
    guard curl_multi_wakeup(multi) == CURLM_OK else {
      curl_multi_cleanup(multi)
      throw TransferFailure(.internalProblem, on: "libcurl", detail: "too many open files")
    }
    let queue = CommandQueue(waking: multi)
    // From here on only the new thread uses the handle; other threads only wake it, which is
    // allowed (curl_multi_wakeup(3)).
    nonisolated(unsafe) let handedOver = multi
    // SIGPIPE is sent to the writing thread, and OpenSSL may write to a connection that the server
    // closed (CURLOPT_NOSIGNAL(3)). Blocked, it becomes an ordinary error. The other signals are
    // for the threads that wait for them.
    do throws(SystemError) {
      let thread = try SystemThread(receiving: .none) {
        CurlLoop(
          multi: handedOver, queue: queue, settings: settings, limits: limits,
          silentAddresses: silentAddresses, events: events
        ).run()
      }
      self.thread = Mutex(thread)
    } catch {
      curl_multi_cleanup(multi)
      throw TransferFailure(.internalProblem, on: "libcurl", detail: "too many threads")
    }
    self.queue = queue
    limits.join(queue)
  }

  deinit {
    queue.close()
    let remaining = thread.withLock { $0 }
    // The last reference may be released inside `events`: a thread cannot join itself.
    guard let remaining else { return }
    if remaining.isCurrent { remaining.detach() } else { remaining.join() }
  }

  /// Returns after the last event. So does a second call, even a concurrent one.
  func shutDown() {
    queue.close()
    thread.withLock { thread in
      guard let running = thread else { return }
      precondition(!running.isCurrent, "`shutDown()` must not be called inside of `events`.")
      running.join()
      thread = nil
    }
  }

  /// curl_global_init(3) is not thread-safe in older releases; a global constant is initialized
  /// once. It is never undone, because other users of libcurl in the process may still be active.
  private static let isLibraryReady = curl_global_init(kettle_global_all) == CURLE_OK
}

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
