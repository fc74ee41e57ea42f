import CKettleNcurses
import Glibc

/// A piece of work for a thread of its own.
final class ThreadWork: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  /// Starts a detached thread that does the work. Answers the error number when there is none.
  ///
  /// It gets signals: tasks run on threads on which all are blocked, a new thread takes that over,
  /// and a blocked SIGTSTP would not stop the program at Ctrl-Z.
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
