import ArgumentParser

/// The words that can stand behind `kettle`.
enum CommandNames {
  static var all: [String] {
    (KettleCommand.configuration.subcommands
      + KettleCommand.configuration.groupedSubcommands.flatMap(\.subcommands))
      .map { $0._commandName }
  }

  /// What is wrong with the first word of the command line, where we can say more than the parser.
  static func problem(of word: String) -> UsageProblem.CommandProblem? {
    if word.contains("://") { return .isURL(word) }
    guard !word.hasPrefix("-"), !word.isEmpty, word != "help", !all.contains(word) else {
      return nil
    }
    return .unknown(word, meant: nearest(to: word))
  }

  /// The command that the word was probably meant to be; nil when none is near.
  private static func nearest(to word: String) -> String? {
    // Far from every name, and an edit distance is slow on a long text.
    guard word.count <= 20 else { return nil }
    let shown = all.filter { $0 != DemoServiceCommand._commandName }
    let distances = shown.map { ($0, editDistance(Array(word.lowercased()), Array($0))) }
    guard let best = distances.min(by: { $0.1 < $1.1 }), best.1 <= 2 else { return nil }
    return best.0
  }

  /// Levenshtein's: how many letters to put in, take out or change.
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
