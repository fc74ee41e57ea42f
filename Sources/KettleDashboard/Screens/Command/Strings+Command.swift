import KettleModel

/// The command line.
extension Strings {
  static let commandTitle = "Command"
  static let commandRuns = "Enter runs it"

  /// What the command does, and the key that does the same.
  static func command(_ action: Action) -> String {
    guard let key = action.keys.first else { return action.help }
    return action.help + " (the key is " + key.name + ")"
  }

  static func sentence(_ problem: TypedCommand.Problem) -> String {
    switch problem {
    case .unknown(""): "Type a command; Tab completes it"
    case .unknown(let word):
      "There is no command \"" + word.sanitizedForDisplay(limit: 40) + "\"; Tab shows the words"
    case .invalidID(let word):
      "\"" + word.sanitizedForDisplay(limit: 40) + "\" is not the ID of a transfer"
    case .invalidRate: invalidRate
    case .invalidQueue(let word):
      word.isEmpty
        ? "Name the queue, as in queue night"
        : "\"" + word.sanitizedForDisplay(limit: 40) + "\" is not the name of a queue"
    case .invalidURL(let text, let problem): problem.sentence(text)
    case .noSelection: "No transfer is selected; write IDs, or --all"
    }
  }
}
