import ArgumentParser

/// One word of the command line that stands for one value of a repeated argument, or for many.
///
/// The parser keeps the set of all words that an argument came from, and copies it for each
/// further one. A hundred thousand ids, as `kettle wait $(kettle add -i list)` may pass, would take
/// minutes, so `packed` makes one word of many before it parses them.
struct ValueRun<Value: ExpressibleByArgument & Sendable>: ExpressibleByArgument, Sendable {
  let values: [Value]

  init?(argument: String) {
    var values: [Value] = []
    for word in argument.utf8.split(
      separator: RunOfWords.separator, omittingEmptySubsequences: false)
    {
      guard let value = Value(argument: String(Substring(word))) else { return nil }
      values.append(value)
    }
    self.values = values
  }
}

/// Makes few words of many.
enum RunOfWords {
  /// An argument cannot contain this byte (execve(2)), so no user input looks like a packed run.
  static let separator: UInt8 = 0
  /// A shorter command line stays as it is.
  static let wordCountMin = 100

  /// Packs words of a long command line that follow each other and are values of the command's
  /// repeated argument.
  ///
  /// The first one of each row stays a word of its own: it may be the value of the option before
  /// it, or another argument of the command. A word that is no value stays too, for the parser's
  /// complaint about it.
  ///
  /// - Parameter root: the command whose words follow.
  static func packed(_ words: [String], of root: any ParsableCommand.Type) -> [String] {
    guard words.count >= wordCountMin, let type = repeatedType(in: words, of: root) else {
      return words
    }
    var packed: [String] = []
    var run: [String] = []
    var isBehindValue = false
    func endRun() {
      if !run.isEmpty { packed.append(run.joined(separator: "\0")) }
      run.removeAll(keepingCapacity: true)
    }
    for word in words {
      let isValue = !word.hasPrefix("-") && type.init(argument: word) != nil
      if isValue, isBehindValue {
        run.append(word)
      } else {
        endRun()
        packed.append(word)
      }
      isBehindValue = isValue
    }
    endRun()
    return packed
  }

  /// The type of the repeated argument of the command that the words name; nil if it has none.
  private static func repeatedType(
    in words: [String], of root: any ParsableCommand.Type
  ) -> (any ExpressibleByArgument.Type)? {
    var command = root
    for word in words where !word.hasPrefix("-") {
      let configuration = command.configuration
      let known =
        configuration.subcommands + configuration.groupedSubcommands.flatMap(\.subcommands)
      guard let named = known.first(where: { $0._commandName == word }) else { break }
      command = named
    }
    return (command as? any RunnableCommand.Type)?.repeatedType
  }
}
