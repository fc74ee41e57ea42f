import CKettleCurl
import KettleEngine
import KettleModel
import KettleSystem

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

  /// curl_global_init(3) is not thread-safe in older releases; a global constant is initialised
  /// once. It is never undone, because other users of libcurl in the process may still be active.
  private static let isLibraryReady = curl_global_init(kettle_global_all) == CURLE_OK
}
