import CKettleNcurses
import Glibc

/// Work for a dedicated thread.
final class ThreadWork: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  /// Starts a detached thread that does the work. Returns the error number on failure, else nil.
  ///
  /// The thread unblocks signals: tasks run on threads on which all are blocked, a new thread
  /// inherits that, and a blocked SIGTSTP would not stop the program at Ctrl-Z.
  func startThread() -> Int32? {
    let retained = Unmanaged.passRetained(self)
    var thread = pthread_t()
    let number = pthread_create(
      &thread, nil,
      { argument in
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        guard let argument else { return nil }
        Unmanaged<ThreadWork>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, retained.toOpaque())
    guard number == 0 else {
      retained.release()
      return number
    }
    pthread_detach(thread)
    return nil
  }
}
