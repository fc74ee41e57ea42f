import KettleModel

/// A command as it is typed: a word of `kettle COMMAND` with its arguments, or the name of an
/// action.
enum TypedCommand: Hashable, Sendable {
  /// Does what the key of the action does.
  case action(String)
  case service(ServiceEffect)
  case list(ListRequest)
  /// Uses a theme from now on; nil is the configured one.
  case theme(String?)
  /// Moves the selected transfers to a queue.
  case queue(QueueName)
  /// A command of the palette that needs more words.
  case unfinished(String)

  enum Problem: Error, Hashable, Sendable {
    case unknown(String)
    case invalidID(String)
    case invalidRate
    case invalidQueue(String)
    case invalidURL(String, TransferURLProblem)
    case noSelection
    /// A key without a value, or nothing.
    case noSetting
    /// The word is a command that stands alone.
    case takesNoWords(String)
    /// There is no such theme, order, group or column.
    case unknownValue(String, of: String)
    case filter(FilterQuery.Problem)
  }

  /// Parses a line. Without an ID, the command applies to the selected transfers.
  static func parse(_ text: String, _ vocabulary: CommandVocabulary) -> Result<Self, Problem> {
    Result { () throws(Problem) in
      var words = text.split(separator: " ").map(String.init)[...]
      if words.first == "kettle" { words = words.dropFirst() }
      guard let first = words.first else { throw .unknown("") }
      let word = vocabulary.action(meantBy: first)
      let rest = Array(words.dropFirst())
      if let command = try setting(first, rest, in: vocabulary) { return command }
      let selected = vocabulary.selected
      switch word {
      case "start" where rest == ["--fresh"]: return .action("start-fresh")
      case "start": return try control(.start, rest)
      case "pause": return try control(.pause, rest)
      case "stop": return try control(.stop, rest)
      case "accept": return try accept(rest, selected)
      case "remove" where !rest.isEmpty:
        return .service(.remove(.ids(try ids(rest)), withFile: false))
      case "limit" where !rest.isEmpty: return try limit(rest, selected)
      case "queue": return try queue(rest)
      case "add" where !rest.isEmpty: return try add(rest)
      case "config":
        guard rest.first == "set", rest.count > 2 else { throw .noSetting }
        let words = rest[2] == "--" ? rest.dropFirst(3) : rest.dropFirst(2)
        return .service(.configure(ConfiguredKey(rest[1], Array(words))))
      default:
        guard vocabulary.actions.contains(word) else { throw .unknown(first) }
        guard rest.isEmpty else { throw .takesNoWords(first) }
        return .action(word)
      }
    }
  }

  /// Parses what changes the view; nil for other commands.
  private static func setting(
    _ word: String, _ rest: [String], in vocabulary: CommandVocabulary
  ) throws(Problem) -> TypedCommand? {
    guard !rest.isEmpty else { return nil }
    let value = rest.joined(separator: " ")
    switch word {
    case "theme":
      let isTheme = vocabulary.themes.contains(value)
      // As in `kettle theme default`.
      if value == CommandVocabulary.configuredTheme || value == "default" && !isTheme {
        return .theme(nil)
      }
      guard isTheme else { throw .unknownValue(value, of: word) }
      return .theme(value)
    case "sort":
      guard let key = CommandVocabulary.sortKey(value) else {
        throw .unknownValue(value, of: word)
      }
      return .list(.sort(by: key))
    case "group":
      let found = CommandVocabulary.groupings.first { $0.name == value.lowercased() }
      guard let found else { throw .unknownValue(value, of: word) }
      return .list(.group(found.grouping))
    case "column":
      let found = TableColumn.canBeHidden.first { CommandVocabulary.name(of: $0) == value }
      guard let found else { throw .unknownValue(value, of: word) }
      return .list(.toggleColumn(found))
    case "filter":
      if case .failure(let problem) = FilterQuery.parse(value) { throw .filter(problem) }
      return .list(.filter(value))
    default: return nil
    }
  }

  private static func control(
    _ verb: ControlVerb, _ rest: [String]
  ) throws(Problem) -> TypedCommand {
    if rest.isEmpty { return .action("\(verb)") }
    if rest == ["--all"] { return .action("\(verb)-all") }
    return .service(.control(verb, .ids(try ids(rest))))
  }

  private static func accept(
    _ rest: [String], _ selected: SelectedRows
  ) throws(Problem) -> TypedCommand {
    if !rest.isEmpty { return .service(.control(.accept, .ids(try ids(rest)))) }
    guard let selection = selected.selection else { throw .noSelection }
    return .service(.control(.accept, selection))
  }

  private static func limit(
    _ rest: [String], _ selected: SelectedRows
  ) throws(Problem) -> TypedCommand {
    let text = rest.first ?? ""
    let rate = RateText.parse(text)
    guard rate != nil || text.lowercased() == RateText.none else { throw .invalidRate }
    let others = Array(rest.dropFirst())
    if others == ["--all"] { return .service(.limit(.all, rate)) }
    if !others.isEmpty { return .service(.limit(.ids(try ids(others)), rate)) }
    guard let selection = selected.selection else { throw .noSelection }
    return .service(.limit(selection, rate))
  }

  private static func queue(_ rest: [String]) throws(Problem) -> TypedCommand {
    let text = rest.first ?? ""
    guard let name = QueueName(text) else { throw .invalidQueue(text) }
    if rest.count < 2 { return .queue(name) }
    if rest.count == 2, let new = NewQueue(rest.joined(separator: " ")) {
      return .service(.configure(new.setting))
    }
    return .service(.assign(.ids(try ids(Array(rest.dropFirst()))), name))
  }

  private static func add(_ rest: [String]) throws(Problem) -> TypedCommand {
    var specs: [TransferSpec] = []
    for text in rest {
      switch TransferURL.parse(text) {
      case .success(let parsed):
        var spec = TransferSpec(url: parsed.url)
        spec.login = parsed.login
        specs.append(spec)
      case .failure(let problem): throw .invalidURL(text, problem)
      }
    }
    return .service(.add(specs))
  }

  private static func ids(_ words: [String]) throws(Problem) -> [TransferID] {
    var ids: [TransferID] = []
    for word in words {
      guard let number = Int64(word), number > 0 else { throw .invalidID(word) }
      ids.append(TransferID(rawValue: number))
    }
    return ids
  }
}

/// A queue to make, or to give other hours: `night 01:00-06:00`.
struct NewQueue: Hashable, Sendable {
  let name: QueueName
  let hours: WeeklyHours

  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 2, let name = QueueName(String(words[0])),
      let hours = WeeklyHours(String(words[1]))
    else { return nil }
    self.name = name
    self.hours = hours
  }

  var setting: ConfiguredKey { ConfiguredKey("queues.\(name.text).hours", [hours.hoursText]) }
}

/// The words that a command can consist of, and the transfers that one without an ID applies to.
struct CommandVocabulary: Hashable, Sendable {
  /// The names of the list's actions.
  let actions: [String]
  let themes: [String]
  let settings: [SettingName]
  let selected: SelectedRows

  static let configuredTheme = "configured"

  static let groupings: [(name: String, grouping: RowSort.Grouping?)] = [
    ("state", .work), ("queue", .queues), ("directory", .directories), ("none", nil),
  ]

  static func name(of column: TableColumn) -> String {
    (column.traits.name ?? column.traits.heading).lowercased()
  }

  /// A beginning is enough if no other order begins like it.
  static func sortKey(_ text: String) -> RowSort.Key? {
    let text = text.lowercased()
    if let key = RowSort.Key.allCases.first(where: { $0.name == text }) { return key }
    let found = RowSort.Key.allCases.filter { $0.name.hasPrefix(text) }
    return found.count == 1 ? found.first : nil
  }

  /// Other words for actions, for those who look for them by another name.
  static let otherWords: [String: [String]] = [
    "add": ["new", "paste", "download"],
    "bin": ["trash"],
    "clear-finished": ["clear list", "hide done"],
    "copy-path": ["yank path"],
    "copy-url": ["yank", "copy link"],
    "details": ["why", "status", "info"],
    "freeze": ["hold still"],
    "help": ["keys", "shortcuts"],
    "history": ["log", "yesterday"],
    "leave": ["quit", "exit"],
    "limit": ["speed", "throttle", "bandwidth"],
    "mark": ["select"],
    "mark-all": ["select all"],
    "needs-you": ["attention"],
    "new-link": ["answer", "login", "log in", "link", "decide"],
    "open-file": ["open"],
    "priority-down": ["less important"],
    "priority-up": ["more important", "urgent"],
    "queue-bottom": ["bottom", "last in queue", "back of the queue"],
    "queue-down": ["later"],
    "queue-top": ["front", "top", "first in queue", "move to top"],
    "queue-up": ["sooner", "earlier"],
    "remove": ["rm", "delete"],
    "remove-file": ["delete file"],
    "reset": ["start over"],
    "search": ["find"],
    "sort-menu": ["sort", "order"],
    "start": ["resume", "retry", "continue", "try again"],
    "unmark-all": ["select none"],
    "view-menu": ["theme", "columns", "colors", "view"],
  ]

  private static let actionsByOtherWord: [String: String] = {
    let pairs = otherWords.flatMap { action, words in words.map { ($0, action) } }
    return Dictionary(pairs) { first, _ in first }
  }()

  /// Returns the action that a word stands for; the word itself if it stands for none.
  func action(meantBy word: String) -> String {
    if actions.contains(word) { return word }
    return Self.actionsByOtherWord[word] ?? word
  }
}
