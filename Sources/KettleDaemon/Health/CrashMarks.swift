import Glibc
import KettleSystem

/// The descriptor for the signal handler, which can reach nothing but a global. Written once,
/// before the handlers are in place.
private nonisolated(unsafe) var markDescriptor: Int32 = -1

/// Counts the crashes in a row, in a file that has one byte for each: a transfer that brings the
/// service down at every start must not be able to do so for ever.
///
/// A crash is a signal that only the program itself can have caused. `kill -9` and a power cut are
/// none: after those everything goes on.
final class CrashMarks: Sendable {
  /// So many crashes in a row, and the next start begins with everything paused.
  static let countBeforePausing = 3
  /// Having run so long, the service counts as healthy.
  static let healthySeconds = 60

  private static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE]

  /// How many crashes there were since the service was last healthy.
  let count: Int
  private let file: OwnedDescriptor?

  /// Counts nothing when the file cannot be opened.
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

  /// The handler must not write to a number that belongs to another file by then.
  deinit { if markDescriptor >= 0, markDescriptor == descriptor { markDescriptor = -1 } }

  private var descriptor: Int32 {
    switch file {
    case .some(let file): file.number
    case .none: -1
    }
  }

  var mustPause: Bool { count >= Self.countBeforePausing }

  /// From now on a crash of this process leaves a mark.
  func arm() {
    markDescriptor = descriptor
    var action = sigaction()
    // Only calls of signal-safety(7).
    action.__sigaction_handler.sa_handler = { number in
      var mark = UInt8(ascii: "x")
      _ = write(markDescriptor, &mark, 1)
      // The handler is off by now, so this ends the process as it would have ended without.
      raise(number)
    }
    // SA_RESETHAND
    action.sa_flags = Int32(bitPattern: 0x8000_0000)
    for number in Self.signals { sigaction(number, &action, nil) }
  }

  /// The service ended in good order, or has run long enough.
  func clear() {
    if descriptor >= 0 { ftruncate(descriptor, 0) }
  }

  static func notice(count: Int) -> String {
    "The service crashed \(count) times in a row, so everything that was under way is paused; "
      + "start the transfers one by one with \"kettle start ID\", "
      + "and report the one that ends the service"
  }
}
