import KettleModel

package enum ConsoleStream: Hashable, Sendable {
  case output, error
}

/// Why words did not get to where people read them.
package enum ConsoleError: Error, Hashable, Sendable {
  /// The reader of the pipe has gone, as `head` does when it has seen enough.
  case readerGone
  case cannotWrite(detail: String)
  case cannotRead(detail: String)
  /// A question needs a terminal and there is none.
  case noTerminal
  /// Ctrl-C at a question.
  case interrupted
}

/// Standard input, output and error, and the terminal for questions.
package protocol Console: Sendable {
  var isInputTerminal: Bool { get }
  func isTerminal(_ stream: ConsoleStream) -> Bool
  /// nil when the stream is no terminal.
  func columnCount(of stream: ConsoleStream) -> Int?
  func write(_ text: String, to stream: ConsoleStream) throws(ConsoleError)
  /// Hands over what is on standard input, piece by piece, up to its end or until `take` returns
  /// false.
  func readInput(_ take: (Span<UInt8>) -> Bool) throws(ConsoleError)
  /// Asks on the terminal, wherever standard input comes from.
  func ask(_ question: String) throws(ConsoleError) -> String
  /// Asks on the terminal without showing what is typed.
  func askSecret(_ question: String) throws(ConsoleError) -> String
}

extension Console {
  /// Writes a line for people or programs to standard output.
  func say(_ line: String) throws(ConsoleError) { try write(line + "\n", to: .output) }

  /// Writes a complaint to standard error. Nobody can be told when that fails too.
  package func complain(_ sentence: String) {
    try? write("kettle: " + sentence + "\n", to: .error)
  }

  /// Writes something worth knowing that is neither the result nor a complaint.
  func mention(_ line: String) { try? write(line + "\n", to: .error) }

  /// Whether the answer is yes; anything else is no.
  func confirms(_ question: String) throws(ConsoleError) -> Bool {
    let answer = try ask(question + " [y/N] ").lowercased()
    return answer == "y" || answer == "yes"
  }
}
