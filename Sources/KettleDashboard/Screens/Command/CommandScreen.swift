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
    case .success(.effect(let effect)):
      guard context.isConnected else { return [.say(context.whyNoService, .problem)] }
      return [.list(.remember(command: line.text)), .close, .effect(effect)]
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
    case .success(.effect): return (Strings.commandRuns, .key)
    case .failure(let problem):
      let words = candidates(context)
      if !words.isEmpty { return (words.joined(separator: "  "), .quiet) }
      return (Strings.sentence(problem), .problem)
    }
  }
}
