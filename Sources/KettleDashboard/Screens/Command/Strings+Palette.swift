import KettleModel

/// The palette.
extension Strings {
  static let paletteTitle = "Everything by name"
  static let palettePrompt = ":"
  static let palettePlaceholder = "pause, limit 500K, theme nord, sort size, start 3 5 …"
  static let again = "Once more"
  static let runsTyped = "Runs what is typed"
  static let makesQueue = "Make a queue, as in queue night 01:00-06:00"
  static let liftsLimit = "Lift the limit for everything"

  static func paletteCount(_ count: Int, of all: Int) -> String {
    count == all ? "\(all)" : "\(count) of \(all)"
  }

  static func showsOnly(_ state: String) -> String { "Show only downloads that are " + state }
  static func sorts(by name: String) -> String { "Sort by \(name); again reverses it" }

  static func groups(_ grouping: RowSort.Grouping?) -> String {
    switch grouping {
    case .work: "Group the list by state"
    case .queues: "Group the list by queue"
    case .directories: "Group the files of a collection by directory"
    case nil: "Show the list without groups"
    }
  }

  static func togglesColumn(_ name: String) -> String { "Show or hide the column " + name }
  static func movesTo(_ queue: QueueName) -> String { "Move it to the queue " + queue.text }

  static func usesTheme(_ name: String?) -> String {
    name.map { "Use the theme " + $0.sanitizedForDisplay(limit: 40) }
      ?? "Use the theme of the configuration file"
  }

  static func sentence(_ problem: TypedCommand.Problem) -> String {
    switch problem {
    case .unknown(""): "Type what you want to do"
    case .unknown(let word): "Nothing is called \"" + word.sanitizedForDisplay(limit: 40) + "\""
    case .takesNoWords(let word):
      "\"" + word.sanitizedForDisplay(limit: 40) + "\" takes no words"
    case .unknownValue(let value, let word):
      "There is no \(word) \"" + value.sanitizedForDisplay(limit: 40) + "\""
    case .filter(let problem): forms(of: problem).first ?? ""
    case .invalidID(let word):
      "\"" + word.sanitizedForDisplay(limit: 40) + "\" is not the ID of a transfer"
    case .invalidRate: invalidRate
    case .invalidQueue(let word):
      word.isEmpty
        ? "Name the queue, as in queue night, or queue night 01:00-06:00 to make it"
        : "\"" + word.sanitizedForDisplay(limit: 40) + "\" is not the name of a queue"
    case .invalidURL(let text, let problem): problem.sentence(text)
    case .noSetting: "Write the key and its value, as in config set limits.rate 2M"
    case .noSelection: "No transfer is selected; write IDs, or --all"
    }
  }
}

/// The command in the message line.
extension Strings {
  static let commandCopied = "Command copied; {copy-url} again copies the URL"

  static func copies(_ command: String, with key: String) -> String {
    command.sanitizedForDisplay(limit: 200) + " (\(key) copies)"
  }
}
