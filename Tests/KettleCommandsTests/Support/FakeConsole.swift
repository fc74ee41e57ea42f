import KettleCommands
import KettleSystem

/// A console that records its output and answers questions from a list.
final class FakeConsole: Console {
  private struct State {
    var output = ""
    var outputBytes: [UInt8] = []
    var input: ArraySlice<UInt8>
    var error = ""
    var answers: [Result<String, ConsoleError>] = []
    var questions: [String] = []
    var failure: ConsoleError?
    var writesBeforeFailure = 0
  }

  let isInputTerminal: Bool
  private let outputColumns: Int?
  private let errorColumns: Int?
  private let state: Mutex<State>

  /// - Parameter outputColumns: the width of the terminal at standard output; nil for a pipe.
  init(
    inputIsTerminal: Bool = false, outputColumns: Int? = nil, errorColumns: Int? = nil,
    input: [UInt8]
  ) {
    isInputTerminal = inputIsTerminal
    self.outputColumns = outputColumns
    self.errorColumns = errorColumns
    state = Mutex(State(input: input[...]))
  }

  convenience init(
    inputIsTerminal: Bool = false, outputColumns: Int? = nil, errorColumns: Int? = nil,
    input: String = ""
  ) {
    self.init(
      inputIsTerminal: inputIsTerminal, outputColumns: outputColumns, errorColumns: errorColumns,
      input: Array(input.utf8))
  }

  var output: String { state.withLock { $0.output } }
  /// What was written as bytes.
  var outputBytes: [UInt8] { state.withLock { $0.outputBytes } }
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
    state.withLock { $0.outputBytes += bytes }
  }

  /// Delivers pieces that do not end at line boundaries, like a pipe. A later call continues.
  func readInput(_ body: (Span<UInt8>) -> Bool) throws(ConsoleError) {
    while true {
      let piece = state.withLock { state in
        let piece = Array(state.input.prefix(1013))
        state.input = state.input.dropFirst(1013)
        return piece
      }
      guard !piece.isEmpty, body(piece.span) else { return }
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
