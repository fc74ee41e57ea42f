import KettleCommands
import KettleSystem

/// A console that records its output and answers questions from a list.
final class FakeConsole: Console {
  private struct State {
    var output = ""
    var error = ""
    var answers: [Result<String, ConsoleError>] = []
    var questions: [String] = []
    var failure: ConsoleError?
    var writesBeforeFailure = 0
  }

  let isInputTerminal: Bool
  private let outputColumns: Int?
  private let errorColumns: Int?
  private let input: [UInt8]
  private let state = Mutex(State())

  /// - Parameter outputColumns: the width of the terminal at standard output; nil for a pipe.
  init(
    inputIsTerminal: Bool = false, outputColumns: Int? = nil, errorColumns: Int? = nil,
    input: String = ""
  ) {
    isInputTerminal = inputIsTerminal
    self.outputColumns = outputColumns
    self.errorColumns = errorColumns
    self.input = Array(input.utf8)
  }

  var output: String { state.withLock { $0.output } }
  var error: String { state.withLock { $0.error } }
  var questions: [String] { state.withLock { $0.questions } }

  func answer(_ answers: Result<String, ConsoleError>...) {
    state.withLock { $0.answers += answers }
  }

  /// Makes standard output fail with this error after so many writes.
  func fail(with error: ConsoleError, afterWrites count: Int = 0) {
    state.withLock {
      $0.failure = error
      $0.writesBeforeFailure = count
    }
  }

  func isTerminal(_ stream: ConsoleStream) -> Bool { columnCount(of: stream) != nil }
  func columnCount(of stream: ConsoleStream) -> Int? {
    switch stream {
    case .output: outputColumns
    case .error: errorColumns
    }
  }

  func write(_ text: String, to stream: ConsoleStream) throws(ConsoleError) {
    let failure: ConsoleError? = state.withLock { state in
      switch stream {
      case .error: state.error += text
      case .output:
        if let failure = state.failure {
          if state.writesBeforeFailure == 0 { return failure }
          state.writesBeforeFailure -= 1
        }
        state.output += text
      }
      return nil
    }
    if let failure { throw failure }
  }

  func writeOutput(_ bytes: [UInt8]) throws(ConsoleError) {
    try write(String(decoding: bytes, as: UTF8.self), to: .output)
  }

  /// Delivers pieces that do not end at line boundaries, like a pipe.
  func readInput(_ body: (Span<UInt8>) -> Bool) throws(ConsoleError) {
    for start in stride(from: 0, to: input.count, by: 1013) {
      let piece = Array(input[start..<min(start + 1013, input.count)])
      guard body(piece.span) else { return }
    }
  }

  func prompt(_ question: String) throws(ConsoleError) -> String {
    let answer: Result<String, ConsoleError> = state.withLock { state in
      state.questions.append(question)
      return state.answers.isEmpty ? .failure(.noTerminal) : state.answers.removeFirst()
    }
    return try answer.get()
  }

  func promptForSecret(_ question: String) throws(ConsoleError) -> String {
    try prompt("secret: " + question)
  }
}
