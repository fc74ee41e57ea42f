import KettleModel

/// The menu of what the list shows: its columns, and the theme. A choice takes effect at once, and
/// the menu stays open.
struct ViewMenu: Screen {
  enum Choice: Hashable, Sendable {
    case column(TableColumn)
    /// nil is the configured one.
    case theme(String?)
  }

  let choices: [Choice]
  private(set) var chosen = 0
  private var hidden: Set<TableColumn>

  init(hidden: Set<TableColumn>, themes: [NamedTheme]) {
    self.hidden = hidden
    let names: [String?] = [nil] + themes.map(\.name)
    choices = TableColumn.hidable.map { .column($0) } + names.map { .theme($0) }
  }

  static let bindings: BindingTable<ViewMenu> = [
    Binding(.menuUp) { menu, _ in menu.move(.up) },
    Binding(.menuDown) { menu, _ in menu.move(.down) },
    Binding(.menuChoose) { menu, _ in menu.choose(menu.chosen) },
    Binding(.menuCancel) { _, _ in [.close] },
  ]

  var keyContext: KeyContext { .menu }
  var extent: ScreenExtent { .box }

  mutating func insert(_ text: String, _ context: ScreenContext) -> [ScreenRequest]? {
    context.key == .character(" ") ? choose(chosen) : nil
  }

  mutating func scroll(by step: Int, _ context: ScreenContext) -> [ScreenRequest] {
    move(step > 0 ? .down : .up)
  }

  /// A click beside the menu closes it.
  mutating func click(_ click: Click, _ context: ScreenContext) -> [ScreenRequest] {
    switch click.target {
    case .choice(let index):
      chosen = index
      return choose(index)
    case nil: return [.close]
    case .row, .column, .state, .key, .action, .inside: return []
    }
  }

  private mutating func move(_ movement: Movement) -> [ScreenRequest] {
    let last = choices.count - 1
    chosen = min(max(movement.target(from: chosen, page: 5, last: last), 0), last)
    return []
  }

  private mutating func choose(_ index: Int) -> [ScreenRequest] {
    guard choices.indices.contains(index) else { return [] }
    switch choices[index] {
    case .column(let column):
      if hidden.remove(column) == nil { hidden.insert(column) }
      return [.list(.toggleColumn(column))]
    case .theme(let name): return [.wear(theme: name)]
    }
  }

  // MARK: - Drawing

  private enum Line {
    case heading(String)
    case choice(Int)
  }

  private var lines: [Line] {
    let columnCount = TableColumn.hidable.count
    return [.heading(Strings.columnsHeading)] + choices.indices.prefix(columnCount).map(Line.choice)
      + [.heading(Strings.themesHeading)] + choices.indices.dropFirst(columnCount).map(Line.choice)
  }

  func draw(on canvas: inout Canvas, _ context: ScreenContext) {
    let lines = lines
    let box = DialogBox(size: canvas.size, width: 30, height: lines.count)
    box.draw(title: Strings.viewTitle, on: &canvas)
    let chosenLine =
      lines.firstIndex { if case .choice(chosen) = $0 { true } else { false } } ?? 0
    let first = min(max(0, chosenLine - box.height / 2), max(0, lines.count - box.height))
    for (offset, line) in lines.dropFirst(first).prefix(box.height).enumerated() {
      switch line {
      case .heading(let text): box.write(text, line: offset, on: &canvas, .dialogQuiet)
      case .choice(let index):
        draw(index, line: offset, in: box, on: &canvas, theme: context.theme)
      }
    }
  }

  private func draw(
    _ index: Int, line: Int, in box: DialogBox, on canvas: inout Canvas, theme: String?
  ) {
    let (name, isOn) =
      switch choices[index] {
      case .column(let column): (Strings.name(of: column), !hidden.contains(column))
      case .theme(let name): (name ?? Strings.configuredTheme, name == theme)
      }
    let columns = box.column..<(box.column + box.width)
    let row = box.row + line
    box.write(index == chosen ? ">" : " ", line: line, on: &canvas, .dialogTitle)
    canvas.write(
      name.sanitizedForDisplay(limit: 40), row: row, column: box.column + 2, width: box.width - 5,
      .dialog)
    if isOn {
      let sign = canvas.look.glyphs.good
      canvas.write(sign, row: row, column: columns.upperBound - 1, width: 1, .dialogTitle)
    }
    if index == chosen {
      let look = canvas.look
      canvas.restyle(row: row, columns: columns) { look.select(&$0, isBar: false) }
    }
    canvas.claim(row: row, columns: columns, for: .choice(index))
  }
}

extension Strings {
  static let viewTitle = "View"
  static let columnsHeading = "Columns, where there is room"
  static let themesHeading = "Theme"
  static let configuredTheme = "as configured"

  static func name(of column: TableColumn) -> String {
    switch column {
    case .bar: columnProgress
    case .percent: "Percentage"
    case .size: columnSize
    case .speed: columnSpeed
    case .connections: "Connections"
    case .ready: columnReady
    case .host: columnHost
    case .session: columnSession
    case .added: columnAdded
    }
  }
}
