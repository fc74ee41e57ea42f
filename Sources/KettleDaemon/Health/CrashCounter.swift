import Glibc
import KettleSystem

/// The descriptor for the signal handler, which can access only globals. Written once, before the
/// handlers are installed.
private nonisolated(unsafe) var crashFileDescriptor: Int32 = -1

/// Counts consecutive crashes in a file with one byte for each, so that a transfer that crashes the
/// service at every start cannot do so indefinitely.
///
/// A crash is a signal that only the program itself can have caused. `kill -9` and a power cut do
/// not count: after those everything continues.
final class CrashCounter: Sendable {
  /// After this many consecutive crashes, the next start pauses everything.
  static let countBeforePausing = 3
  /// After running this long, the service counts as healthy.
  static let healthySeconds = 60

  private static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE]

  /// The number of crashes since the service was last healthy.
  let count: Int
  private let file: OwnedDescriptor?

  /// Counts nothing if the file cannot be opened.
  init(path: String) {
    let flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW
    guard let file = OwnedDescriptor(opened: open(path, flags, 0o600)) else {
      file = nil
      count = 0
      return
    }
    var status = stat()
    count = fstat(file.number, &status) == 0 ? Int(status.st_size) : 0
    self.file = consume file
  }

  /// The handler must not write to a descriptor number that has been reused.
  deinit {
    if crashFileDescriptor >= 0, crashFileDescriptor == descriptor { crashFileDescriptor = -1 }
  }

  private var descriptor: Int32 {
    switch file {
    case .some(let file): file.number
    case .none: -1
    }
  }

  var mustPause: Bool { count >= Self.countBeforePausing }

  /// Records a mark if this process crashes from now on.
  func arm() {
    crashFileDescriptor = descriptor
    var action = sigaction()
    // Uses only calls of signal-safety(7).
    action.__sigaction_handler.sa_handler = { number in
      var mark = UInt8(ascii: "x")
      _ = write(crashFileDescriptor, &mark, 1)
      // The handler is already reset, so this ends the process as it would have ended without it.
      raise(number)
    }
    // SA_RESETHAND
    action.sa_flags = Int32(bitPattern: 0x8000_0000)
    for number in Self.signals { sigaction(number, &action, nil) }
  }

  /// Called after a clean shutdown, or after the service has run long enough.
  func clear() {
    if descriptor >= 0 { ftruncate(descriptor, 0) }
  }

  static func notice(count: Int) -> String {
    "The service crashed \(count) times in a row, so all active transfers were paused; "
      + "start them one at a time with \"kettle start ID\", "
      + "and report the one that crashes the service"
  }
}
