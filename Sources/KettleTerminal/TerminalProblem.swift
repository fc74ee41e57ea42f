/// Why the dashboard cannot run here; the caller prints plain lines instead.
package enum TerminalProblem: Error, Hashable, Sendable {
  /// Standard input or output is a file or a pipe.
  case noTerminal
  /// TERM is not set.
  case nameMissing
  /// No description of this terminal is installed.
  case unknown(name: String)
  /// The terminal cannot place its cursor.
  case tooSimple(name: String)
  /// The system provided no pipe or thread; contains the name of the call and the errno.
  case system(call: String, errno: Int32)

  /// What is wrong and how to fix it, without a period.
  package var sentence: String {
    switch self {
    case .noTerminal:
      "The dashboard needs a terminal for input and output; kettle list works without"
    case .nameMissing:
      "TERM is not set, so the terminal cannot be driven; set it, or use kettle list"
    case .unknown(let name):
      "The terminal \"\(name)\" is not known here; set TERM to one that is, for example xterm"
    case .tooSimple(let name):
      "The terminal \"\(name)\" cannot place its cursor; set TERM, or use kettle list"
    case .system(let call, let number):
      "The dashboard could not be set up: \(call) failed (errno \(number)); try again"
    }
  }
}
