import KettleModel

/// The menu of all sort keys of the list.
struct SortMenu: MenuScreen {
  let keys = RowSort.Key.ofMenu
  /// The present order of the list.
  private var sort: RowSort
  var choice: Int

  init(showing sort: RowSort) {
    self.sort = sort
    choice = keys.firstIndex(of: sort.key) ?? 0
  }

  /// The line below the keys changes the groups.
  var choiceCount: Int { keys.count + 1 }

  static let bindings = BindingTable(
    movingBindings + [
      Binding(.reverse) { menu, _ in
        menu.sort.isDescending.toggle()
        return [.list(.reverse)]
      },
      Binding(.menuChoose) { menu, _ in menu.choose(menu.choice) },
      Binding(.menuCancel) { _, _ in [.close] },
    ])

  /// Selects the key with this letter; `g` changes the groups.
  mutating func insert(_ text: String, _ context: ScreenContext) -> [ScreenRequest]? {
    if context.key == .character(Self.groupsLetter) { return choose(keys.count) }
    guard case .character(let letter) = context.key,
      let index = keys.firstIndex(where: { $0.letter == letter })
    else { return nil }
    return choose(index)
  }

  /// A click beside the menu closes it.
  mutating func click(_ click: Click, _ context: ScreenContext) -> [ScreenRequest] {
    switch click.target {
    case .choice(let index): choose(index)
    case nil: [.close]
    case .row, .column, .state, .key, .action, .inside: []
    }
  }

  private static let groupsLetter: Character = "g"

  /// - Parameter index: of a key; the line below the keys changes the groups.
  private func choose(_ index: Int) -> [ScreenRequest] {
    if index == keys.count { return [.close, .list(.toggleGroups)] }
    guard keys.indices.contains(index) else { return [] }
    return [.close, .list(.sort(by: keys[index]))]
  }

  func draw(on canvas: inout Canvas, _ context: ScreenContext) {
    let box = DialogBox(size: canvas.size, width: 26, height: keys.count + 1)
    box.draw(title: Strings.orderTitle, on: &canvas)
    let glyphs = canvas.look.glyphs
    let lines = keys.map { key in
      Line(
        letter: key.letter, name: key.name,
        sign: key == sort.key ? glyphs.arrow(of: sort) : "")
    }
    let groups = Line(
      letter: Self.groupsLetter, name: Strings.groupsChoice(sort.grouping),
      sign: sort.isGrouped ? glyphs.good : "")
    let first = max(0, choice - box.height + 1)
    for (line, shown) in (lines + [groups]).dropFirst(first).prefix(box.height).enumerated() {
      draw(shown, index: first + line, line: line, in: box, on: &canvas)
    }
  }

  private struct Line {
    var letter: Character
    var name: String
    /// At the right: that it is the present choice.
    var sign: String
  }

  private func draw(
    _ shown: Line, index: Int, line: Int, in box: DialogBox, on canvas: inout Canvas
  ) {
    let columns = box.column..<(box.column + box.width)
    let row = box.row + line
    canvas.write(String(shown.letter), row: row, column: box.column + 2, width: 1, .dialogKey)
    canvas.write(shown.name, row: row, column: box.column + 5, width: box.width - 7, .dialog)
    canvas.write(shown.sign, row: row, column: columns.upperBound - 1, width: 1, .dialogTitle)
    drawChoice(index, line: line, in: box, on: &canvas)
  }
}

extension RowSort.Key {
  private struct Traits {
    let letter: Character
    let name: String
    var beginsDescending = false
  }

  private var traits: Traits {
    switch self {
    case .queue: Traits(letter: "u", name: "queue order")
    case .title: Traits(letter: "n", name: "name")
    case .state: Traits(letter: "s", name: "state")
    case .size: Traits(letter: "z", name: "size", beginsDescending: true)
    case .progress: Traits(letter: "p", name: "progress", beginsDescending: true)
    case .speed: Traits(letter: "e", name: "speed", beginsDescending: true)
    case .secondsLeft: Traits(letter: "t", name: "time left")
    case .connections: Traits(letter: "c", name: "connections", beginsDescending: true)
    case .priority: Traits(letter: "r", name: "priority", beginsDescending: true)
    case .host: Traits(letter: "h", name: "host")
    case .session: Traits(letter: "i", name: "session")
    case .machine: Traits(letter: "m", name: "machine")
    case .createdAt: Traits(letter: "a", name: "time added", beginsDescending: true)
    case .finishedAt: Traits(letter: "f", name: "time finished", beginsDescending: true)
    }
  }

  /// Those that lists of one machine have, too.
  static let ofMenu = allCases.filter { $0 != .machine }

  /// The letter that selects it in the menu; `j`, `k`, `q` and `o` have other meanings there.
  package var letter: Character { traits.letter }

  /// In the menu and in sentences.
  var name: String { traits.name }

  /// Whether to show the largest, fastest, latest or most important first.
  package var beginsDescending: Bool { traits.beginsDescending }
}

/// The menu of what the list shows: its columns, and the theme. A choice takes effect at once, and
/// the menu stays open. The screen shows the theme under the cursor.
struct ViewMenu: MenuScreen {
  enum Choice: Hashable, Sendable {
    case column(TableColumn)
    /// nil is the configured one.
    case theme(String?)
  }

  let choices: [Choice]
  var choice = 0

  init(themes: [NamedTheme]) {
    let names: [String?] = [nil] + themes.map(\.name)
    choices = TableColumn.canBeHidden.map { .column($0) } + names.map { .theme($0) }
  }

  var choiceCount: Int { choices.count }

  var triedTheme: TriedTheme? {
    guard choices.indices.contains(choice), case .theme(let name) = choices[choice] else {
      return nil
    }
    return TriedTheme(name: name)
  }

  static let bindings = BindingTable(
    movingBindings + [
      Binding(.menuChoose) { menu, _ in menu.choose(menu.choice) },
      Binding(.menuCancel) { _, _ in [.close] },
    ])

  mutating func insert(_ text: String, _ context: ScreenContext) -> [ScreenRequest]? {
    context.key == .character(" ") ? choose(choice) : nil
  }

  /// A click beside the menu closes it.
  mutating func click(_ click: Click, _ context: ScreenContext) -> [ScreenRequest] {
    switch click.target {
    case .choice(let index):
      choice = index
      return choose(index)
    case nil: return [.close]
    case .row, .column, .state, .key, .action, .inside: return []
    }
  }

  private func choose(_ index: Int) -> [ScreenRequest] {
    guard choices.indices.contains(index) else { return [] }
    switch choices[index] {
    case .column(let column): return [.list(.toggleColumn(column))]
    case .theme(let name): return [.useTheme(named: name)]
    }
  }

  // MARK: - Drawing

  private enum Line {
    case heading(String)
    case choice(Int)
  }

  private var lines: [Line] {
    let columnCount = TableColumn.canBeHidden.count
    return [.heading(Strings.columnsHeading)] + choices.indices.prefix(columnCount).map(Line.choice)
      + [.heading(Strings.themesHeading)] + choices.indices.dropFirst(columnCount).map(Line.choice)
  }

  func draw(on canvas: inout Canvas, _ context: ScreenContext) {
    let lines = lines
    let box = DialogBox(size: canvas.size, width: 30, height: lines.count)
    box.draw(title: Strings.viewTitle, on: &canvas)
    let chosenLine =
      lines.firstIndex { if case .choice(choice) = $0 { true } else { false } } ?? 0
    let first = min(max(0, chosenLine - box.height / 2), max(0, lines.count - box.height))
    for (offset, line) in lines.dropFirst(first).prefix(box.height).enumerated() {
      switch line {
      case .heading(let text): box.write(text, line: offset, on: &canvas, .dialogQuiet)
      case .choice(let index):
        draw(index, line: offset, in: box, on: &canvas, context.choices)
      }
    }
  }

  private func draw(
    _ index: Int, line: Int, in box: DialogBox, on canvas: inout Canvas,
    _ present: DashboardChoices
  ) {
    let (name, isOn) =
      switch choices[index] {
      case .column(let column):
        (
          column.traits.name ?? column.traits.heading,
          present.hiddenColumns?.contains(column) != true
        )
      case .theme(let name): (name ?? Strings.configuredTheme, name == present.theme)
      }
    let row = box.row + line
    canvas.write(
      name.sanitizedForDisplay(limit: 40), row: row, column: box.column + 2, width: box.width - 5,
      .dialog)
    if isOn {
      let sign = canvas.look.glyphs.good
      canvas.write(sign, row: row, column: box.column + box.width - 1, width: 1, .dialogTitle)
    }
    drawChoice(index, line: line, in: box, on: &canvas)
  }
}

extension Strings {
  static let viewTitle = "View"
  static let columnsHeading = "Columns, where there is room"
  static let themesHeading = "Theme"
  static let configuredTheme = "as configured"
}
