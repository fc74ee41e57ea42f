import Glibc
import KettleDashboard
import KettleModel
import KettleSystem

package enum ConsoleStream: Hashable, Sendable {
  case output, error
}

/// Why reading from or writing to the console failed.
package enum ConsoleError: Error, Hashable, Sendable {
  /// The reader of the pipe has closed it, as `head` does once it has enough.
  case readerGone
  case cannotWrite(detail: String)
  case cannotRead(detail: String)
  /// A question needs a terminal, and there is none.
  case noTerminal
  /// Ctrl-C at a question.
  case interrupted
}

/// Standard input, output and error, and the terminal for questions.
package protocol Console: Sendable {
  var isInputTerminal: Bool { get }
  func isTerminal(_ stream: ConsoleStream) -> Bool
  /// Returns nil when the stream is not a terminal.
  func columnCount(of stream: ConsoleStream) -> Int?
  func write(_ text: String, to stream: ConsoleStream) throws(ConsoleError)
  /// Writes bytes to standard output.
  func writeOutput(_ bytes: [UInt8]) throws(ConsoleError)
  /// Passes standard input to `body`, piece by piece, until the end or until `body` returns false.
  func readInput(_ body: (Span<UInt8>) -> Bool) throws(ConsoleError)
  /// Asks on the terminal, wherever standard input comes from.
  func prompt(_ question: String) throws(ConsoleError) -> String
  /// Asks on the terminal without showing what is typed.
  func promptForSecret(_ question: String) throws(ConsoleError) -> String
}

extension Console {
  /// Writes a line for people or programs to standard output.
  func printLine(_ line: String) throws(ConsoleError) { try write(line + "\n", to: .output) }

  /// Writes a complaint to standard error. A failure to do so cannot be reported anywhere and is
  /// ignored. What files and servers have put into it cannot control the terminal.
  ///
  /// - Parameter paint: adds colors of ours, after that.
  package func printError(_ sentence: String, paint: (String) -> String = { $0 }) {
    try? write("kettle: " + paint(Self.shown(sentence)) + "\n", to: .error)
  }

  /// Writes useful information that is neither the result nor a complaint, as safely.
  func printNote(_ line: String) { try? write(Self.shown(line) + "\n", to: .error) }

  private static func shown(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).sanitizedForDisplay(limit: .max) }.joined(separator: "\n")
  }

  /// Returns whether the answer is yes. Anything else means no.
  func confirms(_ question: String) throws(ConsoleError) -> Bool {
    let answer = try prompt(question + " [y/N] ").lowercased()
    return answer == "y" || answer == "yes"
  }
}

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

/// The controlling terminal, open for one question, because standard input may be a list of URLs.
struct QuestionTerminal: ~Copyable {
  private let terminal: OwnedDescriptor
  private var descriptor: Int32 { terminal.number }

  static func open() throws(ConsoleError) -> QuestionTerminal {
    let flags = O_RDWR | O_CLOEXEC | O_NOCTTY
    guard let terminal = OwnedDescriptor(opened: Glibc.open("/dev/tty", flags)) else {
      throw .noTerminal
    }
    return QuestionTerminal(terminal: terminal)
  }

  private init(terminal: consuming OwnedDescriptor) { self.terminal = terminal }

  /// Returns the line without its line end. While a secret is typed, the terminal neither echoes
  /// nor turns Ctrl-C into a signal, which would end the process and leave the terminal without
  /// echo.
  func prompt(_ question: String, isSecret: Bool) throws(ConsoleError) -> String {
    try TerminalConsole.write(Array(question.utf8), to: descriptor)
    guard isSecret else { return try readLine() }
    var before = termios()
    guard tcgetattr(descriptor, &before) == 0 else { throw .noTerminal }
    var hidden = before
    hidden.c_lflag &= ~tcflag_t(ECHO | ISIG | ICANON)
    tcsetattr(descriptor, TCSAFLUSH, &hidden)
    defer {
      tcsetattr(descriptor, TCSAFLUSH, &before)
      try? TerminalConsole.write([10], to: descriptor)
    }
    return try readLine()
  }

  /// Without ICANON each key arrives separately, so this handles the editing keys.
  private func readLine() throws(ConsoleError) -> String {
    var line: [UInt8] = []
    while true {
      var byte: UInt8 = 0
      let count = read(descriptor, &byte, 1)
      if count < 0 {
        if errno == EINTR { continue }
        throw .cannotRead(detail: errnoText())
      }
      switch (count, byte) {
      case (0, _), (_, 10), (_, 13): return String(decoding: line, as: UTF8.self)
      case (_, 3): throw .interrupted
      case (_, 4): return String(decoding: line, as: UTF8.self)
      case (_, 8), (_, 127): Self.removeLastCharacter(&line)
      case (_, 21): line.removeAll()
      default: line.append(byte)
      }
    }
  }

  private static func removeLastCharacter(_ line: inout [UInt8]) {
    // The continuation bytes of a character are 10xxxxxx (RFC 3629).
    while let byte = line.popLast(), byte & 0xC0 == 0x80 {}
  }
}

extension CommandContext {
  /// Returns how to draw on a stream.
  func look(of stream: ConsoleStream) -> Look {
    Look(
      isTerminal: console.isTerminal(stream), environment: environment, isASCII: isASCII)
  }
}

extension Look {
  /// The look of the dashboard in the terminal's own sixteen colors. There are none without a
  /// terminal, on one of unknown abilities (TERM), and with NO_COLOR.
  init(isTerminal: Bool, environment: [String: String], isASCII: Bool = false) {
    let isDumb = ["", "dumb"].contains(environment["TERM"] ?? "")
    self.init(
      charset: isASCII || isDumb ? .ascii : Charset(environment: environment),
      colors: ColorDepth(
        noColor: environment["NO_COLOR"], colorCount: isTerminal && !isDumb ? 16 : 0,
        isDirect: false))
  }

  /// Returns the text with the sequences that set the style of a role and end it.
  func painted(_ text: String, _ role: Role) -> String {
    let style = style(role)
    guard colors != .none else { return text }
    return style.painting(text)
  }
}

extension Charset {
  /// Chooses the charset as setlocale(3) reads the environment.
  init(environment: [String: String]) {
    let values = ["LC_ALL", "LC_CTYPE", "LANG"].map { environment[$0] ?? "" }
    let name = values.first { !$0.isEmpty } ?? ""
    let codeset = name.split(separator: ".", maxSplits: 1).dropFirst().first ?? ""
    self.init(codeset: String(codeset.prefix { $0 != "@" }))
  }
}
