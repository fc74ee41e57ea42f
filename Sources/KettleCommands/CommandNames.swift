import ArgumentParser

/// The words that can follow `kettle`.
enum CommandNames {
  static var all: [String] {
    (KettleCommand.configuration.subcommands
      + KettleCommand.configuration.groupedSubcommands.flatMap(\.subcommands))
      .map { $0._commandName }
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
    // A long word is far from every name, and the edit distance of a long text is slow to compute.
    guard word.count <= 20 else { return nil }
    let shown = all.filter { $0 != DemoServiceCommand._commandName }
    let distances = shown.map { ($0, editDistance(Array(word.lowercased()), Array($0))) }
    guard let best = distances.min(by: { $0.1 < $1.1 }), best.1 <= 2 else { return nil }
    return best.0
  }

  /// The Levenshtein distance: how many letters to insert, delete or replace.
  private static func editDistance(_ left: [Character], _ right: [Character]) -> Int {
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let cost = letter == right[column] ? diagonal : diagonal + 1
        diagonal = row[column + 1]
        row[column + 1] = min(cost, row[column] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}
