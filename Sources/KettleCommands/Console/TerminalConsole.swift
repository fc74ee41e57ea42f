import Glibc
import KettleSystem

/// The three standard streams of this process.
///
/// Writes go straight to the descriptor: output appears at once, and an error reaches the call that
/// caused it.
package struct TerminalConsole: Console {
  /// Ignores SIGPIPE in this process, so that write(2) fails with an error when the reader has
  /// gone.
  package init() { signal(SIGPIPE, SIG_IGN) }

  package var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  package func isTerminal(_ stream: ConsoleStream) -> Bool { isatty(stream.descriptor) == 1 }

  package func columnCount(of stream: ConsoleStream) -> Int? {
    guard isTerminal(stream) else { return nil }
    var size = winsize()
    // A terminal of unknown size, such as a serial line, reports 0.
    guard ioctl(stream.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  package func write(_ text: String, to stream: ConsoleStream) throws(ConsoleError) {
    try Self.write(Array(text.utf8), to: stream.descriptor)
  }

  package func writeOutput(_ bytes: [UInt8]) throws(ConsoleError) {
    try Self.write(bytes, to: STDOUT_FILENO)
  }

  package func readInput(_ body: (Span<UInt8>) -> Bool) throws(ConsoleError) {
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(STDIN_FILENO, &piece, piece.count)
      if count == 0 { return }
      if count > 0 {
        guard body(piece.span.extracting(first: count)) else { return }
      } else if errno == EBADF {
        throw .cannotRead(detail: "it is closed")
      } else if errno != EINTR {
        throw .cannotRead(detail: errnoText())
      }
    }
  }

  package func prompt(_ question: String) throws(ConsoleError) -> String {
    try QuestionTerminal.open().prompt(question, isSecret: false)
  }

  package func promptForSecret(_ question: String) throws(ConsoleError) -> String {
    try QuestionTerminal.open().prompt(question, isSecret: true)
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32) throws(ConsoleError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: waitUntilWritable(descriptor)
      case EPIPE: throw .readerGone
      case EBADF: throw .cannotWrite(detail: "it is closed")
      default: throw .cannotWrite(detail: errnoText())
      }
    }
  }

  /// Another program that shares the terminal or pipe may have made it non-blocking.
  private static func waitUntilWritable(_ descriptor: Int32) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&entry, 1, -1)
  }
}

extension ConsoleStream {
  fileprivate var descriptor: Int32 {
    switch self {
    case .output: STDOUT_FILENO
    case .error: STDERR_FILENO
    }
  }
}

/// Returns the system's message for the last failed call of this thread.
func errnoText(_ number: Int32 = errno) -> String { SystemError(number).message }
