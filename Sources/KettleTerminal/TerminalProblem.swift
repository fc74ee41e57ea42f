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
      "TERM is not set, so the dashboard cannot draw; set it, or use kettle list"
    case .unknown(let name):
      "Unknown terminal \"\(name)\"; set TERM to a known one, for example xterm"
    case .tooSimple(let name):
      "The terminal \"\(name)\" cannot position its cursor; set TERM, or use kettle list"
    case .system(let call, let number):
      "The dashboard could not be set up: \(call) failed (errno \(number)); try again"
    }
  }
}
