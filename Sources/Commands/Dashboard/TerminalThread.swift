import Glibc

/// The thread that owns the terminal.
///
/// It must get signals: tasks run on threads on which all are blocked, a new thread takes that
/// over, and a blocked SIGTSTP would not stop the program at Ctrl-Z.
enum TerminalThread {
  private final class Box {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  static func start(_ body: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let box = Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, &attributes,
      { context in
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        guard let context else { return nil }
        Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    // Without another thread the caller's serves: the dashboard shows, only Ctrl-Z does not work.
    if result != 0 { box.takeRetainedValue().body() }
  }
}
