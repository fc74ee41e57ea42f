import KettleModel

/// The files of a collection that has not started: the user chooses which of them are fetched.
struct ChoiceScreen: EditingScreen {
  let id: TransferID
  let name: String
  private(set) var tree = MemberTree()
  /// The number from which the list is still to be read; nil if it is complete.
  private var next: Int64? = 0
  private var cursor = 0
  /// The first visible row.
  private var scrolled = 0
  /// The line in which the text to find is typed.
  private var line: LineEditor?

  init(id: TransferID, name: String) {
    self.id = id
    self.name = name
  }

  static func opening(_ id: TransferID, _ name: String) -> [ScreenRequest] {
    [.open(OpenScreen(ChoiceScreen(id: id, name: name))), .service(.loadMembers(id, from: 0))]
  }

  var keyContext: KeyContext { line == nil ? .choice : .query }
  var extent: ScreenExtent { .full }

  // MARK: - Keys

  static let bindings = BindingTable(movements + choices + searches)

  private static let movements: [Binding<ChoiceScreen>] = [
    moving("choice-up", .up, keys: [.up, .character("k")], help: "One line up"),
    moving("choice-down", .down, keys: [.down, .character("j")], help: "One line down"),
    moving("choice-page-up", .pageUp, keys: [.pageUp], help: "One screen up"),
    moving("choice-page-down", .pageDown, keys: [.pageDown], help: "One screen down"),
    moving("choice-first", .home, keys: [.home, .character("g")], help: "To the first file"),
    moving("choice-last", .end, keys: [.end, .character("G")], help: "To the last file"),
    Binding(
      "choice-fold", .choice, in: [.choice], keys: [.left],
      help: "Fold the directory, or go to it",
      when: { screen, _ in
        Availability(unless: screen.isFoldable ? nil : Strings.nothingToFold)
      },
      do: { screen, context in screen.fold(context) }),
    Binding(
      "choice-unfold", .choice, in: [.choice], keys: [.right],
      help: "Show what is in the directory",
      when: { screen, _ in
        let isFolded = screen.tree.node(inRow: screen.cursor)?.isFolded == true
        return Availability(unless: isFolded ? nil : Strings.nothingFolded)
      },
      do: { screen, _ in
        screen.tree.fold(row: screen.cursor, false)
        return []
      }),
  ]

  private static let choices: [Binding<ChoiceScreen>] = [
    Binding(
      "choose-file", .choice, in: [.choice], keys: [.character(" ")], label: "choose", rank: 1,
      help: "Choose the file or the directory, or leave it out",
      when: { screen, _ in screen.availabilityOfFiles },
      do: { screen, context in
        screen.tree.toggle(row: screen.cursor)
        return screen.move(to: screen.cursor + 1, context)
      }),
    Binding(
      "choose-all-files", .choice, in: [.choice], keys: [.character("*")], label: "all", rank: 2,
      help: "Choose all files that are shown, or leave them out",
      when: { screen, _ in screen.availabilityOfFiles },
      do: { screen, _ in
        screen.tree.toggleAll()
        return []
      }),
    Binding(
      "start-chosen", .choice, in: [.choice], keys: [.enter], label: "start", isRequired: true,
      help: "Start the collection with the chosen files",
      when: { screen, context in
        context.whenConnected(
          Availability(
            unless: screen.next != nil
              ? Strings.stillReading : screen.tree.chosen.count == 0 ? Strings.noFileChosen : nil))
      },
      do: { screen, _ in
        [.close, .service(.chooseMembers(screen.id, leavingOut: screen.tree.leftOut))]
      }),
    Binding(
      "leave-choice", .choice, in: [.choice], keys: [.escape, .character("q")], label: "back",
      isRequired: true, help: "Back to the list; the choice is forgotten",
      do: { _, _ in [.close] }),
  ]

  private static let searches: [Binding<ChoiceScreen>] =
    [
      Binding(
        "find-files", .choice, in: [.choice], keys: [.character("/"), .character("\\")],
        label: "find", rank: 3,
        help: "Show only files with a text in their paths; an empty text shows all",
        do: { screen, _ in
          screen.line = LineEditor(screen.tree.filter)
          return []
        }),
      Binding(.keepQuery) { screen, _ in
        screen.line = nil
        return []
      },
      cancelBinding,
    ] + lineBindings

  private static func moving(
    _ name: String, _ movement: Movement, keys: [Key], help: String
  ) -> Binding<ChoiceScreen> {
    Binding(
      name, .choice, in: [.choice], keys: keys, help: help,
      when: { screen, _ in screen.availability(of: movement) },
      do: { screen, context in
        let last = max(0, screen.tree.rowCount - 1)
        let page = max(1, screen.height(context) - 1)
        return screen.move(
          to: movement.target(from: screen.cursor, page: page, last: last), context)
      })
  }

  private func availability(of movement: Movement) -> Availability {
    switch movement {
    case .up, .pageUp, .home: Availability(unless: cursor > 0 ? nil : Strings.atBeginning)
    case .down, .pageDown, .end:
      Availability(unless: cursor < tree.rowCount - 1 ? nil : Strings.atEnd)
    }
  }

  private var availabilityOfFiles: Availability {
    Availability(unless: tree.rowCount > 0 ? nil : Strings.noFileShown)
  }

  private var isFoldable: Bool {
    guard let node = tree.node(inRow: cursor) else { return false }
    return node.isDirectory && !node.isFolded || node.depth > 0
  }

  private mutating func move(to row: Int, _ context: ScreenContext) -> [ScreenRequest] {
    cursor = min(max(row, 0), max(0, tree.rowCount - 1))
    let height = height(context)
    scrolled = min(max(scrolled, cursor - height + 1), cursor)
    return []
  }

  private mutating func fold(_ context: ScreenContext) -> [ScreenRequest] {
    if let node = tree.node(inRow: cursor), node.isDirectory, !node.isFolded {
      tree.fold(row: cursor, true)
      return []
    }
    return tree.rowOfParent(ofRow: cursor).map { move(to: $0, context) } ?? []
  }

  mutating func scroll(by step: Int, _ context: ScreenContext) -> [ScreenRequest] {
    move(to: cursor + step, context)
  }

  mutating func click(_ click: Click, _ context: ScreenContext) -> [ScreenRequest] {
    guard case .choice(let row) = click.target else { return [] }
    if row == cursor { tree.toggle(row: row) }
    return move(to: row, context)
  }

  // MARK: - Text

  mutating func insert(_ text: String, _ context: ScreenContext) -> [ScreenRequest]? {
    guard line != nil else { return nil }
    _ = line?.insert(text.filter { !$0.isNewline })
    return find(context)
  }

  mutating func edit(_ edit: Edit, _ context: ScreenContext) -> [ScreenRequest] {
    line?.apply(edit)
    return find(context)
  }

  mutating func cancel(_ context: ScreenContext) -> [ScreenRequest] {
    line = nil
    tree.find("")
    return move(to: 0, context)
  }

  private mutating func find(_ context: ScreenContext) -> [ScreenRequest] {
    tree.find(line?.text ?? "")
    return move(to: 0, context)
  }

  // MARK: - Messages

  mutating func receive(
    _ message: DashboardMessage, _ context: ScreenContext
  ) -> [ScreenRequest] {
    switch message {
    case .membersArrived(id, let page):
      guard let last = page.last else {
        if next != nil { tree.sort() }
        next = nil
        return move(to: cursor, context)
      }
      // After a lost connection a page may arrive twice.
      guard let first = page.first, first.number >= next ?? .max else { return [] }
      tree.append(page)
      next = last.number + 1
      return [.service(.loadMembers(id, from: last.number + 1))]
    case .linkChanged(.connected):
      return next.map { [.service(.loadMembers(id, from: $0))] } ?? []
    case .resized: return move(to: cursor, context)
    case .keyPressed, .mouse, .pasteRefused, .rowsArrived, .found, .detailsArrived, .hostsArrived,
      .machinesArrived,
      .finishedSummed, .duplicatesFound, .directoriesKnown, .linkChanged, .serviceReported,
      .newsArrived, .commandFinished, .utcOffsetChanged, .ticked, .membersArrived:
      return []
    }
  }

  // MARK: - Drawing

  /// Rows for the tree: all except the title, the sum and the footer.
  private func height(_ context: ScreenContext) -> Int { max(1, context.size.rows - 3) }

  func draw(on canvas: inout Canvas, _ context: ScreenContext) {
    let columns = canvas.size.columns
    canvas.write(canvas.look.glyphs.kettle, row: 0, column: 1, width: 1, .key)
    canvas.write(Strings.filesOf(name), row: 0, column: 3, width: max(1, columns - 4), .heading)
    let height = height(context)
    if tree.rowCount == 0 {
      let text = next != nil ? Strings.loading : Strings.noSuchFile(tree.filter)
      canvas.write(text, row: 1, column: 1, width: columns - 2, .quiet)
    }
    for offset in 0..<height {
      guard let node = tree.node(inRow: scrolled + offset) else { break }
      draw(node, row: 1 + offset, isCurrent: scrolled + offset == cursor, on: &canvas)
      canvas.claim(row: 1 + offset, columns: 0..<columns, for: .choice(scrolled + offset))
    }
    drawSum(row: 1 + height, on: &canvas, context)
  }

  private func draw(
    _ node: MemberTree.Node, row: Int, isCurrent: Bool, on canvas: inout Canvas
  ) {
    let columns = canvas.size.columns
    let sizeColumn = max(20, columns - 11)
    let countColumn = columns >= 100 ? sizeColumn - 20 : sizeColumn
    let mark =
      switch node.mark {
      case .none: "[ ]"
      case .some: "[-]"
      case .all: "[x]"
      }
    canvas.write(mark, row: row, column: 1, width: 3, node.mark == .none ? .quiet : .good)
    let role: Role = node.mark == .none ? .quiet : .plain
    var column = 5 + 2 * min(node.depth, 20)
    if node.isDirectory {
      let glyphs = canvas.look.glyphs
      let fold = node.isFolded && tree.filter.isEmpty ? glyphs.folded : glyphs.unfolded
      canvas.write(fold, row: row, column: column, width: 1, role)
    }
    column += 2
    canvas.write(
      node.name + (node.isDirectory ? "/" : ""), row: row, column: column,
      width: max(1, countColumn - column - 1), role)
    if node.isDirectory, countColumn < sizeColumn {
      canvas.writeRight(
        Strings.countOf(node.chosen.count, node.all.count), row: row, column: countColumn,
        width: 19,
        .quiet)
    }
    canvas.writeRight(
      Strings.size(of: node.all), row: row, column: sizeColumn, width: columns - 1 - sizeColumn,
      role)
    if isCurrent {
      let look = canvas.look
      canvas.restyle(row: row, columns: 0..<columns) { look.select(&$0, isBar: false) }
    }
  }

  private func drawSum(row: Int, on canvas: inout Canvas, _ context: ScreenContext) {
    if let line {
      return FieldView(characters: line.characters, cursor: line.column)
        .draw(titled: Strings.findTitle, row: row, on: &canvas)
    }
    let sum =
      next != nil
      ? Strings.reading(tree.all)
      : Strings.chosen(tree.chosen, of: tree.all, freeByteCount: context.totals.freeBytes)
    canvas.write(sum, row: row, column: 1, width: canvas.size.columns - 2, .heading)
  }
}

/// The texts about the choice of files.
extension Strings {
  fileprivate static let stillReading = "the list is still being read"
  fileprivate static let noFileChosen = "no file is chosen"
  fileprivate static let noFileShown = "no file is shown"
  fileprivate static let nothingToFold = "there is no directory to fold"
  fileprivate static let nothingFolded = "nothing is folded here"
  fileprivate static let findTitle = "Find"

  fileprivate static func filesOf(_ name: String) -> String {
    "Choose the files of \(name.sanitizedForDisplay(limit: 300))"
  }

  fileprivate static func noSuchFile(_ text: String) -> String {
    "No path has \"\(text.sanitizedForDisplay(limit: 100))\""
  }

  fileprivate static func countOf(_ chosen: Int, _ all: Int) -> String {
    chosen == all ? CountText.text(all) : "\(CountText.text(chosen)) of \(CountText.text(all))"
  }

  fileprivate static func size(of sum: MemberSum) -> String {
    // Sizes of a hostile list may be too large to add.
    if sum.unknownSizeCount == sum.count || sum.byteCount < 0 { return "?" }
    return (sum.unknownSizeCount > 0 ? ">" : "") + ByteText.size(sum.byteCount)
  }

  fileprivate static func reading(_ sum: MemberSum) -> String {
    "\(CountText.text(sum.count)) files so far"
  }

  fileprivate static func chosen(
    _ chosen: MemberSum, of all: MemberSum, freeByteCount: Int64?
  ) -> String {
    let files = "\(CountText.text(chosen.count)) of \(CountText.text(all.count)) files"
    let size = all.unknownSizeCount == all.count ? "" : ", \(size(of: chosen)) of \(size(of: all))"
    let free = freeByteCount.map { ", \(ByteText.size($0)) free" } ?? ""
    return files + size + free
  }
}
