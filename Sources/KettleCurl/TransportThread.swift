import Glibc

/// A thread of the operating system: libcurl's multi handle wants one owner that may block in
/// poll(2), which no task of Swift's thread pool may do.
struct TransportThread: Sendable {
  private let thread: pthread_t

  /// Answers nil when the system has no thread left.
  init?(_ body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(Start(body))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        // SIGPIPE goes to the thread that writes, and OpenSSL may write to a connection that the
        // server closed (CURLOPT_NOSIGNAL(3)); blocked, it is an error like any other. The other
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

  /// Nobody cancels this thread. glibc before 2.41 notes at the beginning and the end of each call
  /// that may wait that the thread could be cancelled there (pthreads(7), "Cancellation points"),
  /// and each note waits until what was copied has left the processor: over TLS 400,000 times for a
  /// GiB. Of a thread that may be cancelled anywhere there is nothing to note, and while cancelling
  /// is disabled nothing can come of it (pthread_setcancelstate(3)).
  private static func forgoCancellation() {
    pthread_setcancelstate(Int32(PTHREAD_CANCEL_DISABLE), nil)
    pthread_setcanceltype(Int32(PTHREAD_CANCEL_ASYNCHRONOUS), nil)
  }

  var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }

  /// Returns when the thread has ended. Called once, and from another thread.
  func join() { pthread_join(thread, nil) }

  /// Lets the thread end by itself. Called once, in place of `join`.
  func detach() { pthread_detach(thread) }

  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
