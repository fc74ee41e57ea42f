import KettleModel

/// The palette: everything that can be done, by name. Typing filters the list, and a command that
/// is typed in full comes first.
struct CommandScreen: EditingScreen {
  private var editor = LineEditor()
  /// A copy that follows what the service sends: it says what is possible and what is selected.
  private var list: ListScreen
  private var entries: [PaletteEntry] = []
  private var matches = PaletteMatches(of: "", among: [])
  /// The index of the chosen line; nil until something is typed, so that Enter alone does nothing.
  private var choice: Int?

  init(over list: ListScreen, _ context: ScreenContext) {
    self.list = list
    entries = PaletteEntries.all(
      of: vocabulary(context), keymap: context.keymap, queues: list.knownQueues,
      recent: list.commandHistory.entries)
    update(context)
  }

  static let bindings = BindingTable(
    [
      Binding(
        "run-command", .finding, in: [.command], keys: [.enter], label: "run", isRequired: true,
        help: "Do what is chosen, or run the command as typed",
        do: { screen, context in screen.run(context) }),
      Binding(.complete) { screen, context in screen.complete(context) },
      Binding(
        "command-up", .finding, in: [.command], keys: [.up], label: "choose", rank: 4,
        help: "The line above", do: { screen, _ in screen.choose(by: -1) }),
      Binding(
        "command-down", .finding, in: [.command], keys: [.down], help: "The line below",
        do: { screen, _ in screen.choose(by: 1) }),
      Binding(
        "command-ten-up", .finding, in: [.command], keys: [.pageUp], help: "Ten lines up",
        do: { screen, _ in screen.choose(by: -10) }),
      Binding(
        "command-ten-down", .finding, in: [.command], keys: [.pageDown], help: "Ten lines down",
        do: { screen, _ in screen.choose(by: 10) }),
      cancelBinding,
    ] + lineBindings)

  var keyContext: KeyContext { .command }
  var extent: ScreenExtent { .form }

  private func vocabulary(_ context: ScreenContext) -> CommandVocabulary {
    CommandVocabulary(
      actions: context.keymap.actions
        .filter { $0.contexts.contains(.list) && $0.name != "command" }.map(\.name),
      themes: context.settings.themes.map(\.name), settings: context.settings.names,
      selected: list.selected)
  }

  private func parsed(
    _ context: ScreenContext
  ) -> Result<TypedCommand, TypedCommand.Problem> {
    TypedCommand.parse(editor.text, vocabulary(context))
  }

  /// Finds the entries for the text; the first one is chosen.
  private mutating func update(_ context: ScreenContext) {
    let text = editor.text
    var typed: PaletteEntry?
    if case .success(let work) = parsed(context) {
      typed = PaletteEntry(text, meaning: work.meaning(context), work: work)
    }
    matches = PaletteMatches(of: text, among: entries, typed: typed)
    choice = text.allSatisfy { $0 == " " } || matches.lines.isEmpty ? nil : 0
  }

  // MARK: - Keys

  mutating func insert(_ text: String, _ context: ScreenContext) -> [ScreenRequest]? {
    let lines = text.split(whereSeparator: \.isNewline)
    guard lines.count < 2, editor.insert(lines.first.map(String.init) ?? "") else {
      return [.say(Strings.oneLineOnly, .problem)]
    }
    update(context)
    return []
  }

  mutating func edit(_ edit: Edit, _ context: ScreenContext) -> [ScreenRequest] {
    let before = editor.text
    editor.apply(edit)
    if editor.text != before { update(context) }
    return []
  }

  mutating func cancel(_ context: ScreenContext) -> [ScreenRequest] { [.close] }

  mutating func scroll(by step: Int, _ context: ScreenContext) -> [ScreenRequest] {
    choose(by: step)
  }

  /// A click beside the palette closes it.
  mutating func click(_ click: Click, _ context: ScreenContext) -> [ScreenRequest] {
    switch click.target {
    case .choice(let index):
      choice = index
      return run(context)
    case nil: return [.close]
    case .row, .column, .state, .key, .action, .inside: return []
    }
  }

  mutating func receive(
    _ message: DashboardMessage, _ context: ScreenContext
  ) -> [ScreenRequest] {
    // The list itself makes the requests.
    _ = list.receive(message, context)
    return []
  }

  private mutating func choose(by step: Int) -> [ScreenRequest] {
    let last = matches.lines.count - 1
    guard last >= 0 else { return [] }
    choice = choice.map { min(max($0 + step, 0), last) } ?? 0
    return []
  }

  private var chosen: PaletteEntry? {
    choice.flatMap { matches.lines.indices.contains($0) ? matches.lines[$0].entry : nil }
  }

  private mutating func run(_ context: ScreenContext) -> [ScreenRequest] {
    guard let entry = chosen else {
      if editor.text.allSatisfy({ $0 == " " }) { return [.close] }
      guard case .failure(let problem) = parsed(context) else { return [] }
      return [.say(Strings.sentence(problem), .problem)]
    }
    if case .impossible(let reason) = availability(of: entry, context) {
      return [.say(reason, .problem)]
    }
    if case .unfinished = entry.work {
      let requests = complete(context)
      // A second Enter must not do what happens to match best.
      choice = matches.lines.firstIndex { $0.entry.work == entry.work }
      return requests + [.say(entry.meaning)]
    }
    if case .service(.configure(let setting)) = entry.work, setting.mayBeSecret {
      return [.close] + requests(for: entry.work)
    }
    return [.list(.remember(command: entry.command)), .close] + requests(for: entry.work)
  }

  private func requests(for work: TypedCommand) -> [ScreenRequest] {
    switch work {
    case .action(let name): [.perform(name)]
    case .service(let effect): [.service(effect)]
    case .list(let request): [.list(request)]
    case .theme(let name): [.useTheme(named: name)]
    case .unfinished: []
    case .queue(let name): list.selected.selection.map { [.service(.assign($0, name))] } ?? []
    }
  }

  /// Makes the chosen command the text.
  private mutating func complete(_ context: ScreenContext) -> [ScreenRequest] {
    guard let entry = chosen ?? matches.lines.first?.entry else {
      return [.say(Strings.sentence(.unknown(editor.text)), .problem)]
    }
    editor = LineEditor(entry.command + (entry.takesWords ? " " : ""))
    update(context)
    return []
  }

  /// Whether an entry has an effect now, and otherwise why not.
  private func availability(of entry: PaletteEntry, _ context: ScreenContext) -> Availability {
    let availability =
      switch entry.work {
      case .action("start-service"): context.availabilityOfServiceStart
      case .action(let name): list.availability(of: name, context) ?? .possible
      case .service: context.whenConnected(.possible)
      case .list, .theme, .unfinished: Availability.possible
      case .queue:
        context.whenConnected(
          Availability(unless: list.selected.selection == nil ? list.selected.whyNone : nil))
      }
    switch availability {
    case .possible: return .possible
    case .impossible(let reason):
      return .impossible(Strings.sentence(context.keymap.filled(reason)))
    }
  }

  // MARK: - Drawing

  func draw(on canvas: inout Canvas, _ context: ScreenContext) {
    let box = DialogBox(size: canvas.size, width: 96, height: 26)
    box.draw(title: Strings.paletteTitle, on: &canvas)
    drawField(in: box, on: &canvas)
    let height = max(0, box.height - 2)
    let first = max(0, (choice ?? 0) - height + 1)
    let widths = Widths(box.width)
    for (line, index) in matches.lines.indices.dropFirst(first).prefix(height).enumerated() {
      draw(index, line: line + 1, in: box, widths: widths, on: &canvas, context)
    }
    let (text, role) = verdict(context)
    box.write(text, line: box.height - 1, on: &canvas, role)
  }

  private func drawField(in box: DialogBox, on canvas: inout Canvas) {
    let count = Strings.paletteCount(matches.lines.count, of: entries.count)
    box.write(Strings.palettePrompt, line: 0, on: &canvas, .dialogKey)
    FieldView(
      characters: editor.characters, cursor: editor.column,
      placeholder: Strings.palettePlaceholder
    ).draw(row: box.row, column: box.column + 2, width: box.width - count.count - 4, on: &canvas)
    canvas.writeRight(
      count, row: box.row, column: box.column, width: box.width, .dialogQuiet)
  }

  /// The columns of a line: key, command, meaning.
  private struct Widths {
    let key = 6
    let command: Int
    let meaning: Int

    init(_ width: Int) {
      let rest = width - 2 - key - 1
      // On a narrow screen the line below the list has the meaning of the chosen line.
      command = rest < 40 ? rest : min(34, rest / 3 + 4)
      meaning = max(0, rest - command - 2)
    }
  }

  private func draw(
    _ index: Int, line: Int, in box: DialogBox, widths: Widths, on canvas: inout Canvas,
    _ context: ScreenContext
  ) {
    let (entry, places) = (matches.lines[index].entry, matches.lines[index].places)
    let (row, isChosen) = (box.row + line, index == choice)
    let (isPossible, meaning) =
      switch availability(of: entry, context) {
      case .possible: (true, entry.meaning)
      case .impossible(let reason): (false, reason)
      }
    let keyColumn = box.column + 2
    let column = keyColumn + widths.key + 1
    canvas.write(
      entry.key, row: row, column: keyColumn, width: widths.key,
      isPossible ? .dialogKey : .dialogQuiet)
    canvas.write(
      entry.command, row: row, column: column, width: widths.command,
      isPossible ? .dialog : .dialogQuiet, cut: .middle)
    for place in places where place < widths.command && entry.command.count <= widths.command {
      canvas.highlight(row: row, columns: (column + place)..<(column + place + 1))
    }
    if widths.meaning > 0 {
      canvas.write(
        meaning, row: row, column: column + widths.command + 2, width: widths.meaning,
        .dialogQuiet)
    }
    let columns = box.column..<(box.column + box.width)
    if isChosen {
      box.write(">", line: line, on: &canvas, .dialogTitle)
      let look = canvas.look
      canvas.restyle(row: row, columns: columns) { look.select(&$0, isBar: false) }
    }
    canvas.claim(row: row, columns: columns, for: .choice(index))
  }

  /// Returns a message, or what the chosen line does in full, or what is wrong with the text.
  private func verdict(_ context: ScreenContext) -> (text: String, role: Role) {
    if let notice = context.notice { return (notice.text, notice.kind.dialogRole) }
    if let entry = chosen {
      switch availability(of: entry, context) {
      case .possible: return (entry.meaning, .dialog)
      case .impossible(let reason): return (reason, .dialogProblem)
      }
    }
    guard matches.lines.isEmpty, case .failure(let problem) = parsed(context) else {
      return ("", .dialog)
    }
    return (Strings.sentence(problem), .dialogProblem)
  }
}

extension TypedCommand {
  /// What a command that was typed in full does: the same in the shell.
  fileprivate func meaning(_ context: ScreenContext) -> String {
    switch self {
    case .service(let effect):
      effect.shellCommand(context.settings.shellProgram) ?? Strings.runsTyped
    case .action, .list, .theme, .unfinished: Strings.runsTyped
    case .queue(let name): Strings.movesTo(name)
    }
  }
}

extension Notice.Kind {
  fileprivate var dialogRole: Role {
    switch self {
    case .plain: .dialog
    case .problem: .dialogProblem
    }
  }
}
