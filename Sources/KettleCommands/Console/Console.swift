import KettleModel

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
