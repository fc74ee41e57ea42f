import Glibc
import KettleSystem

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
