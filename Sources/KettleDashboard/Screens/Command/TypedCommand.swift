import KettleModel

/// A command as it is typed: a word of `kettle COMMAND` with its arguments, or the name of an
/// action.
enum TypedCommand: Hashable, Sendable {
  /// Does what the key of the action does.
  case action(String)
  case effect(DashboardEffect)

  enum Problem: Error, Hashable, Sendable {
    case unknown(String)
    case invalidID(String)
    case invalidRate
    case invalidQueue(String)
    case invalidURL(String, TransferURLProblem)
    case noSelection
  }

  /// Words of the command line that are not the name of an action, and the action they stand for.
  private static let otherWords = [
    "resume": "start", "rm": "remove", "delete": "remove", "quit": "leave", "exit": "leave",
    "why": "details", "status": "details",
  ]

  /// Parses a line. Without an ID, the command applies to the selected transfers.
  static func parse(
    _ text: String, selected: SelectedRows, actions: [String]
  ) -> Result<TypedCommand, Problem> {
    Result { () throws(Problem) in
      var words = text.split(separator: " ").map(String.init)[...]
      if words.first == "kettle" { words = words.dropFirst() }
      guard let first = words.first else { throw .unknown("") }
      let word = otherWords[first] ?? first
      let rest = Array(words.dropFirst())
      switch word {
      case "start": return try control(.start, rest)
      case "pause": return try control(.pause, rest)
      case "stop": return try control(.stop, rest)
      case "accept": return try accept(rest, selected)
      case "remove" where !rest.isEmpty:
        return .effect(.remove(.ids(try ids(rest)), withFile: false))
      case "limit" where !rest.isEmpty: return try limit(rest, selected)
      case "queue": return try queue(rest, selected)
      case "add" where !rest.isEmpty: return try add(rest)
      default:
        guard actions.contains(word), rest.isEmpty else { throw .unknown(first) }
        return .action(word)
      }
    }
  }

  private static func control(
    _ verb: ControlVerb, _ rest: [String]
  ) throws(Problem) -> TypedCommand {
    if rest.isEmpty { return .action("\(verb)") }
    if rest == ["--all"] { return .action("\(verb)-all") }
    return .effect(.control(verb, .ids(try ids(rest))))
  }

  private static func accept(
    _ rest: [String], _ selected: SelectedRows
  ) throws(Problem) -> TypedCommand {
    if !rest.isEmpty { return .effect(.control(.accept, .ids(try ids(rest)))) }
    guard let selection = selected.selection else { throw .noSelection }
    return .effect(.control(.accept, selection))
  }

  private static func limit(
    _ rest: [String], _ selected: SelectedRows
  ) throws(Problem) -> TypedCommand {
    let text = rest.first ?? ""
    let rate = RateText.parse(text)
    guard rate != nil || text.lowercased() == RateText.none else { throw .invalidRate }
    let others = Array(rest.dropFirst())
    if others == ["--all"] { return .effect(.limit(.all, rate)) }
    if !others.isEmpty { return .effect(.limit(.ids(try ids(others)), rate)) }
    guard let selection = selected.selection else { throw .noSelection }
    return .effect(.limit(selection, rate))
  }

  private static func queue(
    _ rest: [String], _ selected: SelectedRows
  ) throws(Problem) -> TypedCommand {
    let text = rest.first ?? ""
    guard let name = QueueName(text) else { throw .invalidQueue(text) }
    let others = Array(rest.dropFirst())
    if !others.isEmpty { return .effect(.assign(.ids(try ids(others)), name)) }
    guard let selection = selected.selection else { throw .noSelection }
    return .effect(.assign(selection, name))
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
    return .effect(.add(specs))
  }

  private static func ids(_ words: [String]) throws(Problem) -> [TransferID] {
    var ids: [TransferID] = []
    for word in words {
      guard let number = Int64(word), number > 0 else { throw .invalidID(word) }
      ids.append(TransferID(rawValue: number))
    }
    return ids
  }

  /// Returns the words that begin like a text, sorted.
  static func completions(of text: String, actions: [String]) -> [String] {
    Set(actions + otherWords.keys + ["queue"]).filter { $0.hasPrefix(text) }.sorted()
  }
}
