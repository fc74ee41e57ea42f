import KettleModel

/// The command line at the bottom of the list.
struct CommandScreen: EditingScreen {
  private var line: RecallingLine
  /// The transfers that a command without an ID applies to.
  private let selected: SelectedRows

  init(selected: SelectedRows, history: InputHistory) {
    self.selected = selected
    line = RecallingLine("", history: history)
  }

  static let bindings = BindingTable(
    [
      Binding(
        "run-command", .finding, in: [.command], keys: [.enter], label: "run", isRequired: true,
        help: "Run the command", do: { screen, context in screen.run(context) }),
      Binding(
        "complete", .finding, in: [.command], keys: [.tab], label: "complete", rank: 2,
        help: "Complete the word", do: { screen, context in screen.complete(context) }),
      Binding(
        "command-up", .finding, in: [.command], keys: [.up], label: "earlier", rank: 4,
        help: "The previous command",
        do: { screen, _ in
          screen.line.recall(by: -1)
          return []
        }),
      Binding(
        "command-down", .finding, in: [.command], keys: [.down], help: "The next command",
        do: { screen, _ in
          screen.line.recall(by: 1)
          return []
        }),
      cancelBinding,
    ] + lineBindings)

  /// The actions that a command can name: those of the list.
  private func actions(_ context: ScreenContext) -> [String] {
    context.keymap.actions
      .filter { $0.contexts.contains(.list) && $0.name != "command" }.map(\.name)
  }

  var keyContext: KeyContext { .command }
  var extent: ScreenExtent { .form }

  private func result(_ context: ScreenContext) -> Result<TypedCommand, TypedCommand.Problem> {
    TypedCommand.parse(line.text, selected: selected, actions: actions(context))
  }

  // MARK: - Keys

  mutating func insert(_ text: String, _ context: ScreenContext) -> [ScreenRequest]? {
    let lines = text.split(whereSeparator: \.isNewline)
    guard lines.count < 2, line.editor.insert(lines.first.map(String.init) ?? "") else {
      return [.say(Strings.oneLineOnly, .problem)]
    }
    return []
  }

  mutating func edit(_ edit: Edit, _ context: ScreenContext) -> [ScreenRequest] {
    line.editor.apply(edit)
    return []
  }

  mutating func cancel(_ context: ScreenContext) -> [ScreenRequest] { [.close] }

  private func run(_ context: ScreenContext) -> [ScreenRequest] {
    if line.text.allSatisfy({ $0 == " " }) { return [.close] }
    switch result(context) {
    case .failure(let problem): return [.say(Strings.sentence(problem), .problem)]
    case .success(.action(let name)):
      return [.list(.remember(command: line.text)), .close, .perform(name)]
    case .success(.service(let effect)):
      guard context.isConnected else { return [.say(context.whyNoService, .problem)] }
      return [.list(.remember(command: line.text)), .close, .service(effect)]
    }
  }

  /// Completes the first word as far as it is unambiguous.
  private mutating func complete(_ context: ScreenContext) -> [ScreenRequest] {
    let words = candidates(context)
    guard let first = words.first else {
      return [.say(Strings.sentence(.unknown(line.text)), .problem)]
    }
    var common = first
    for word in words {
      common = String(zip(common, word).prefix { $0 == $1 }.map(\.0))
    }
    line.editor = LineEditor(words.count == 1 ? common + " " : common)
    return []
  }

  /// The words that the text can become; none after the first word.
  private func candidates(_ context: ScreenContext) -> [String] {
    line.text.contains(" ")
      ? [] : TypedCommand.completions(of: line.text, actions: actions(context))
  }

  // MARK: - Drawing

  func draw(on canvas: inout Canvas, _ context: ScreenContext) {
    let row = ListLayout(size: canvas.size).messageRow
    for line in (row - 1)...row {
      canvas.fill(row: line, column: 0, width: canvas.size.columns, .plain)
    }
    FieldView(characters: line.editor.characters, cursor: line.editor.column)
      .draw(titled: Strings.commandTitle, row: row - 1, on: &canvas)
    let (text, role) = verdict(context)
    canvas.write(text, row: row, column: 1, width: canvas.size.columns - 2, role)
  }

  /// Returns a message, or the words that fit, or what the command does and the key that does the
  /// same.
  private func verdict(_ context: ScreenContext) -> (text: String, role: Role) {
    if let notice = context.notice { return (notice.text, notice.kind.role) }
    switch result(context) {
    case .success(.action(let name)):
      let action = context.keymap.actions.first { $0.name == name }
      return (action.map { Strings.command($0) } ?? "", .key)
    case .success(.service): return (Strings.commandRuns, .key)
    case .failure(let problem):
      let words = candidates(context)
      if !words.isEmpty { return (words.joined(separator: "  "), .quiet) }
      return (Strings.sentence(problem), .problem)
    }
  }
}

/// A command as it is typed: a word of `kettle COMMAND` with its arguments, or the name of an
/// action.
enum TypedCommand: Hashable, Sendable {
  /// Does what the key of the action does.
  case action(String)
  case service(ServiceEffect)

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
      case "start" where rest == ["--fresh"]: return .action("start-fresh")
      case "start": return try control(.start, rest)
      case "pause": return try control(.pause, rest)
      case "stop": return try control(.stop, rest)
      case "accept": return try accept(rest, selected)
      case "remove" where !rest.isEmpty:
        return .service(.remove(.ids(try ids(rest)), withFile: false))
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

  private static func queue(
    _ rest: [String], _ selected: SelectedRows
  ) throws(Problem) -> TypedCommand {
    let text = rest.first ?? ""
    guard let name = QueueName(text) else { throw .invalidQueue(text) }
    let others = Array(rest.dropFirst())
    if !others.isEmpty { return .service(.assign(.ids(try ids(others)), name)) }
    guard let selection = selected.selection else { throw .noSelection }
    return .service(.assign(selection, name))
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

  /// Returns the words that begin like a text, sorted.
  static func completions(of text: String, actions: [String]) -> [String] {
    Set(actions + otherWords.keys + ["queue"]).filter { $0.hasPrefix(text) }.sorted()
  }
}

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
