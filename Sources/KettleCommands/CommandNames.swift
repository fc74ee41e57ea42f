import ArgumentParser
import KettleModel

/// The words that can follow `kettle`.
enum CommandNames {
  static var all: [String] {
    KettleCommand.configuration.subcommands.map { $0._commandName } + shown
  }

  /// Those that people type; help, completions and manual pages have no others.
  static var shown: [String] {
    KettleCommand.configuration.groupedSubcommands.flatMap(\.subcommands).map { $0._commandName }
  }

  /// Returns what is wrong with the first word of the command line, where we know more than the
  /// parser.
  static func problem(of word: String) -> UsageProblem.CommandProblem? {
    if word.contains("://") { return .isURL(word) }
    guard !word.hasPrefix("-"), !word.isEmpty, word != "help", !all.contains(word) else {
      return nil
    }
    return .unknown(word, meant: otherWords[word.lowercased()] ?? nearest(to: word))
  }

  /// Words of other programs, and the command that does the same here.
  private static let otherWords = [
    "rm": "remove", "del": "remove", "delete": "remove", "erase": "remove",
    "resume": "start", "continue": "start", "unpause": "start", "retry": "start",
    "restart": "start", "login": "start ID --user NAME", "hold": "pause",
    "cancel": "stop", "abort": "stop", "kill": "stop", "restore": "undo", "trash": "bin",
    "ls": "list", "ps": "list", "queue": "list", "show": "list",
    "history": "list --state completed", "status": "daemon status", "info": "why",
    "explain": "why", "follow": "watch", "tail": "watch", "top": "watch",
    "download": "get", "fetch": "get", "enqueue": "add", "trust": "accept",
    "throttle": "limit", "speed": "limit", "quit": "daemon stop", "version": "--version",
  ]

  /// Returns the command that was probably meant, or nil when none is close.
  private static func nearest(to word: String) -> String? {
    NearestWord.of(word, in: shown)
  }
}
