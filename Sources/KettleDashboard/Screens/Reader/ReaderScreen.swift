import KettleModel

/// A screen of text that scrolls: details, help, a report. It has a title, and perhaps sections.
protocol ReaderScreen: CopyingScreen, EditingScreen {
  /// The number of lines above the first visible one.
  var scrolled: Int { get set }
  var search: ReaderSearch { get set }
  /// The section that is shown; nil when there are none.
  var section: DetailsSection? { get }

  var title: String { get }
  func lines(_ layout: ReaderLayout, _ context: ScreenContext) -> [ReaderLine]
  mutating func show(_ section: DetailsSection, _ context: ScreenContext)
  /// Called after the user has scrolled to a line.
  mutating func userScrolled(isAtEnd: Bool)
}

extension ReaderScreen {
  var section: DetailsSection? { nil }

  var copyable: SelectedRows {
    SelectedRows(rows: [], count: 0, areMarked: false, whyNone: Strings.nothingToCopy)
  }

  mutating func show(_ section: DetailsSection, _ context: ScreenContext) {}
  mutating func userScrolled(isAtEnd: Bool) {}

  var keyContext: KeyContext { search.line == nil ? .reader : .query }
  var extent: ScreenExtent { .full }

  // MARK: - Keys

  static var readerBindings: [Binding<Self>] {
    copyBindings + searchBindings + [
      Binding(
        "back", .reader, in: [.reader], keys: [.escape, .character("q"), .enter], label: "back",
        isRequired: true, help: "Back to the list", do: { _, _ in [.close] }),
      scrolling("scroll-up", .up, keys: [.up, .character("k")], help: "One line up"),
      scrolling("scroll-down", .down, keys: [.down, .character("j")], help: "One line down"),
      scrolling("scroll-page-up", .pageUp, keys: [.pageUp], help: "One screen up"),
      scrolling(
        "scroll-page-down", .pageDown, keys: [.pageDown, .character(" ")], label: "more",
        help: "One screen down"),
      scrolling("scroll-first", .home, keys: [.home, .character("g")], help: "To the beginning"),
      scrolling("scroll-last", .end, keys: [.end, .character("G")], help: "To the end"),
      Binding(
        "next-section", .reader, in: [.reader], keys: [.right, .tab], label: "next section",
        rank: 2, help: "To the next section of the details",
        when: { screen, _ in screen.availabilityOfSections },
        do: { screen, context in screen.open(screen.section?.next(1), context) }),
      Binding(
        "previous-section", .reader, in: [.reader], keys: [.left, .backTab],
        help: "To the previous section",
        when: { screen, _ in screen.availabilityOfSections },
        do: { screen, context in screen.open(screen.section?.next(-1), context) }),
    ] + DetailsSection.allCases.map(showing)
  }

  private static func scrolling(
    _ name: String, _ movement: Movement, keys: [Key], label: String? = nil, help: String
  ) -> Binding<Self> {
    Binding(
      name, .reader, in: [.reader], keys: keys, label: label, rank: 1, help: help,
      when: { screen, context in screen.availability(of: movement, context) },
      do: { screen, context in
        let page = max(1, screen.layout(context).bodyHeight - 1)
        let last = screen.lastLine(context)
        let target = movement.target(from: screen.scrolled, page: page, last: last)
        screen.scrolled = min(max(target, 0), last)
        screen.userScrolled(isAtEnd: screen.scrolled == last)
        return []
      })
  }

  private static func showing(_ section: DetailsSection) -> Binding<Self> {
    Binding(
      "show-\(section)", .reader, in: [.reader],
      keys: [.character(Character("\(section.number)"))],
      help: "Details: " + Strings.title(of: section),
      when: { screen, _ in screen.availabilityOfSections },
      do: { screen, context in screen.open(section, context) })
  }

  private func availability(of movement: Movement, _ context: ScreenContext) -> Availability {
    switch movement {
    case .up, .pageUp, .home:
      Availability(unless: scrolled > 0 ? nil : Strings.atBeginning)
    case .down, .pageDown, .end:
      Availability(unless: scrolled < lastLine(context) ? nil : Strings.atEnd)
    }
  }

  private var availabilityOfSections: Availability {
    Availability(unless: section == nil ? Strings.noSections : nil)
  }

  private mutating func open(
    _ other: DetailsSection?, _ context: ScreenContext
  ) -> [ScreenRequest] {
    if let other { show(other, context) }
    return []
  }

  mutating func scroll(by step: Int, _ context: ScreenContext) -> [ScreenRequest] {
    scrolled = min(max(scrolled + step, 0), lastLine(context))
    return []
  }

  mutating func receive(
    _ message: DashboardMessage, _ context: ScreenContext
  ) -> [ScreenRequest] {
    if case .resized = message { clampScroll(context) }
    return []
  }

  /// The text may have become shorter, or the screen taller.
  mutating func clampScroll(_ context: ScreenContext) {
    scrolled = min(scrolled, lastLine(context))
  }

  func layout(_ context: ScreenContext) -> ReaderLayout {
    ReaderLayout(size: context.size, hasTabs: section != nil)
  }

  func lastLine(_ context: ScreenContext) -> Int {
    let layout = layout(context)
    return max(0, lines(layout, context).count - layout.bodyHeight)
  }

  // MARK: - Search

  private static var searchBindings: [Binding<Self>] {
    [
      Binding(.search) { screen, _ in
        screen.search.open(at: screen.scrolled)
        return []
      },
      Binding(
        .nextMatch, when: { screen, _ in screen.availabilityOfMatches },
        do: { screen, context in screen.findNext(isBackwards: false, context) }),
      Binding(
        .previousMatch, when: { screen, _ in screen.availabilityOfMatches },
        do: { screen, context in screen.findNext(isBackwards: true, context) }),
      Binding(.keepQuery) { screen, _ in
        screen.search.keep()
        return []
      },
      cancelBinding,
    ] + lineBindings
  }

  private var availabilityOfMatches: Availability {
    Availability(unless: search.isOn ? nil : Strings.noSearchYet)
  }

  mutating func insert(_ text: String, _ context: ScreenContext) -> [ScreenRequest]? {
    guard search.line != nil else { return nil }
    let lines = text.split(whereSeparator: \.isNewline)
    guard lines.count < 2, let line = lines.first else {
      return lines.isEmpty ? [] : [.say(Strings.oneLineOnly, .problem)]
    }
    return changeSearch(context) { _ = $0.insert(String(line)) }
  }

  mutating func edit(_ edit: Edit, _ context: ScreenContext) -> [ScreenRequest] {
    changeSearch(context) { $0.apply(edit) }
  }

  /// Finds the first match at or below the line that was on top when the search was opened.
  private mutating func changeSearch(
    _ context: ScreenContext, _ change: (inout LineEditor) -> Void
  ) -> [ScreenRequest] {
    guard search.edit(change) else { return [] }
    let lines = lines(layout(context), context)
    let found = search.find(in: lines, from: search.start, includesStart: true)
    show(line: found ?? search.start, context)
    return []
  }

  mutating func cancel(_ context: ScreenContext) -> [ScreenRequest] {
    search.cancel()
    show(line: search.start, context)
    return []
  }

  private mutating func findNext(
    isBackwards: Bool, _ context: ScreenContext
  ) -> [ScreenRequest] {
    let lines = lines(layout(context), context)
    let first = search.found ?? scrolled
    guard let found = search.find(in: lines, from: first, isBackwards: isBackwards) else {
      return [.say(Strings.notFound(search.text), .problem)]
    }
    show(line: found, context)
    return []
  }

  private mutating func show(line: Int, _ context: ScreenContext) {
    scrolled = min(line, lastLine(context))
    userScrolled(isAtEnd: scrolled == lastLine(context))
  }

  // MARK: - Drawing

  func draw(on canvas: inout Canvas, _ context: ScreenContext) {
    let layout = layout(context)
    let lines = lines(layout, context)
    let first = min(scrolled, max(0, lines.count - layout.bodyHeight))
    drawTitle(on: &canvas, first: first, lines, context)
    if let section { Self.drawTabs(section, on: &canvas) }
    for (offset, line) in lines.dropFirst(first).prefix(layout.bodyHeight).enumerated() {
      let row = layout.bodyTop + offset
      line.draw(on: &canvas, row: row, column: 1, width: layout.textWidth)
      if search.isOn { canvas.highlight(search.text, row: row) }
    }
    if let line = search.line {
      canvas.fill(row: canvas.size.rows - 2, column: 0, width: canvas.size.columns, .plain)
      FieldView(characters: line.characters, cursor: line.column)
        .draw(titled: Strings.searchTitle, row: canvas.size.rows - 2, on: &canvas)
    }
  }

  private func drawTitle(
    on canvas: inout Canvas, first: Int, _ lines: [ReaderLine], _ context: ScreenContext
  ) {
    let count = lines.count
    let columns = canvas.size.columns
    let isLost = context.isLinkLost
    if isLost { canvas.fill(row: 0, column: 0, width: columns, .barProblem) }
    let height = layout(context).bodyHeight
    let position =
      count > height ? Strings.linesShown(first + 1, min(first + height, count), of: count) : ""
    // On a narrow screen the name is cut; the position in the text is not.
    let room = columns - 2 - (position.isEmpty ? 0 : position.count + 2)
    var text = (columns < 60 ? "" : Strings.product.lowercased() + "   ") + title
    if search.isOn { text += "   " + Strings.searchShown(search.text, search.hits(in: lines)) }
    let start =
      2
      + canvas.write(
        canvas.look.glyphs.kettle, row: 0, column: 1, width: 1, isLost ? .barProblem : .key)
    let used = canvas.write(
      text, row: 0, column: start, width: max(room - 2, 16), isLost ? .barProblem : .heading)
    canvas.writeRight(
      position, row: 0, column: start + used + 1, width: columns - start - used - 2,
      isLost ? .barProblem : .quiet)
  }

  /// The current section is in brackets; where not all names fit, the others are numbers.
  private static func drawTabs(_ current: DetailsSection, on canvas: inout Canvas) {
    let sections = DetailsSection.allCases
    let names = sections.map { "\($0.number) " + Strings.title(of: $0) }
    let isWide = names.reduce(0) { $0 + $1.count + 3 } <= canvas.size.columns - 2
    var column = 1
    for (section, name) in zip(sections, names) {
      let isCurrent = section == current
      let text = isCurrent ? "[" + name + "]" : isWide ? " " + name + " " : " \(section.number) "
      let used = canvas.write(
        text, row: 1, column: column, width: max(0, canvas.size.columns - column),
        isCurrent ? .key : .quiet)
      canvas.claim(row: 1, columns: column..<(column + used), for: .action("show-\(section)"))
      column += used + (isWide ? 1 : 0)
    }
  }
}

extension ReaderLine {
  func draw(on canvas: inout Canvas, row: Int, column: Int, width textWidth: Int) {
    let width = textWidth - (column - 1)
    switch self {
    case .blank: break
    case .heading(let text): canvas.write(text, row: row, column: column, width: width, .heading)
    case .text(let text, let role): canvas.write(text, row: row, column: column, width: width, role)
    case .key(let keys, let text, let action, let layout):
      canvas.write(keys, row: row, column: column, width: layout.keysWidth - 1, .key)
      let start = column + layout.keysWidth
      canvas.write(text, row: row, column: start, width: layout.textWidth)
      canvas.write(
        action, row: row, column: start + layout.textWidth + 1, width: layout.actionWidth, .quiet)
    case .pairOfLines(let left, let right, let offset):
      left.draw(on: &canvas, row: row, column: column, width: textWidth)
      right.draw(on: &canvas, row: row, column: column + offset, width: textWidth)
    case .pair(let label, let value, let role):
      let labelWidth = ReaderLayout.labelWidth(textWidth: width)
      canvas.write(label, row: row, column: 1, width: labelWidth - 1, .quiet)
      canvas.write(value, row: row, column: 1 + labelWidth, width: width - labelWidth, role)
    case .bar(let bar): bar.draw(on: &canvas, row: row, column: 1, width: min(width, 100))
    case .parts(let map, let index):
      map.draw(line: index, on: &canvas, row: row, column: 1, width: min(width, 100))
    case .partsLegend(let hasConnections):
      let legend = PartsMap.legend(hasConnections: hasConnections, width: width, canvas.look)
      canvas.write(legend, row: row, column: 1, width: width, .quiet)
    case .graph(let graph, let index):
      graph.draw(line: index, on: &canvas, row: row, column: 1, width: width)
    }
  }
}

/// What a reset did not delete.
struct ReportScreen: ReaderScreen {
  let deletedCount: Int
  let keptPaths: [String]
  var scrolled = 0
  var search = ReaderSearch()

  init(deletedCount: Int, keptPaths: [String]) {
    self.deletedCount = deletedCount
    self.keptPaths = keptPaths
  }

  static let bindings = BindingTable(readerBindings)

  var title: String { Strings.reportTitle }

  func lines(_ layout: ReaderLayout, _ context: ScreenContext) -> [ReaderLine] {
    let shown = 1000
    var text = ReaderText(width: layout.textWidth)
    text.text(Strings.resetDone(deletedCount: deletedCount))
    text.heading(Strings.resetKept(keptPaths.count))
    for path in keptPaths.prefix(shown) { text.text(path) }
    if keptPaths.count > shown { text.text(Strings.more(keptPaths.count - shown)) }
    return text.lines
  }
}
