// Optimized builds may resolve the pthread types through this module.
import CKettleLinux
import Glibc

/// A thread of the operating system, for work that blocks: such work must not occupy one of the few
/// threads that run tasks.
package struct SystemThread: Sendable {
  /// The signals that the thread receives.
  package enum Signals: Sendable {
    /// Those that the creating thread receives.
    case inherited
    case all
    case none

    fileprivate func apply() {
      var blocked = sigset_t()
      switch self {
      case .inherited: return
      case .all: sigemptyset(&blocked)
      case .none: sigfillset(&blocked)
      }
      pthread_sigmask(SIG_SETMASK, &blocked, nil)
    }
  }

  private final class Start: Sendable {
    let signals: Signals
    let body: @Sendable () -> Void

    init(signals: Signals, body: @escaping @Sendable () -> Void) {
      self.signals = signals
      self.body = body
    }
  }

  private let thread: pthread_t

  /// Starts a thread that calls `body`. Throws when the system has no thread left.
  ///
  /// Call either `join` or `detach`.
  package init(
    receiving signals: Signals = .inherited, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    let start = Unmanaged.passRetained(Start(signals: signals, body: body))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        start.signals.apply()
        SystemThread.disableCancellation()
        start.body()
        return nil
      }, start.toOpaque())
    guard code == 0 else {
      start.release()
      throw SystemError(code)
    }
    self.thread = thread
  }

  /// Runs `body` on a detached thread, or on the calling thread when the system has no thread left.
  package static func detach(_ body: @escaping @Sendable () -> Void) {
    do throws(SystemError) {
      try SystemThread(body).detach()
    } catch {
      body()
    }
  }

  package var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }

  /// Waits until the thread has ended. Call it once, from another thread.
  package func join() { pthread_join(thread, nil) }

  /// Lets the thread end by itself. Call it once, in place of `join`.
  package func detach() { pthread_detach(thread) }

  /// No thread is ever cancelled. glibc before 2.41 records at the beginning and end of each
  /// blocking call that the thread could be cancelled there (pthreads(7), "Cancellation points"),
  /// and each record waits until copied data has left the processor: over TLS, 400,000 times per
  /// GiB. A thread with asynchronous cancellation needs no such record, and while cancellation is
  /// disabled the type has no effect (pthread_setcancelstate(3)).
  private static func disableCancellation() {
    pthread_setcancelstate(Int32(PTHREAD_CANCEL_DISABLE), nil)
    pthread_setcanceltype(Int32(PTHREAD_CANCEL_ASYNCHRONOUS), nil)
  }
}

/// The priority of the calling thread at the disk.
package enum IOPriority: Sendable {
  case usual
  /// What no other program wants.
  case idle

  /// Sets it for the calling thread.
  package func set() {
    switch self {
    case .usual: kettle_set_io_class(0)
    case .idle: kettle_set_io_class(3)
    }
  }
}
