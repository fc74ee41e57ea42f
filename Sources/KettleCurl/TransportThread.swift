import Glibc

/// An operating-system thread. libcurl's multi handle requires one owner that may block in poll(2),
/// which a task on Swift's thread pool must not do.
struct TransportThread: Sendable {
  private let thread: pthread_t

  /// Returns nil when the system has no thread left.
  init?(_ body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(Start(body))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        // SIGPIPE is sent to the writing thread, and OpenSSL may write to a connection that the
        // server closed (CURLOPT_NOSIGNAL(3)). Blocked, it becomes an ordinary error. The other
        // signals are for the threads that wait for them.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        Self.forgoCancellation()
        start.body()
        return nil
      }, start.toOpaque())
    guard status == 0 else {
      start.release()
      return nil
    }
    self.thread = thread
  }

  /// This thread is never cancelled. glibc before 2.41 records at the beginning and end of each
  /// blocking call that the thread could be cancelled there (pthreads(7), "Cancellation points"),
  /// and each record waits until copied data has left the processor: over TLS, 400,000 times per
  /// GiB. A thread with asynchronous cancellation needs no such record, and while cancellation is
  /// disabled the type has no effect (pthread_setcancelstate(3)).
  private static func forgoCancellation() {
    pthread_setcancelstate(Int32(PTHREAD_CANCEL_DISABLE), nil)
    pthread_setcanceltype(Int32(PTHREAD_CANCEL_ASYNCHRONOUS), nil)
  }

  var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }

  /// Returns when the thread has ended. Call it once, from another thread.
  func join() { pthread_join(thread, nil) }

  /// Lets the thread end by itself. Call it once, in place of `join`.
  func detach() { pthread_detach(thread) }

  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
