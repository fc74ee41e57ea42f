import KettleModel

/// A dialog with one line: a new link for a transfer, or a speed limit.
struct EntryDialog: EditingScreen {
  enum Purpose: Hashable, Sendable {
    case freshLink, speedLimit
  }

  /// The transfers that a limit applies to.
  enum Scope: Hashable, Sendable {
    /// The row as it was when the dialog was opened.
    case row(TransferSnapshot)
    case marked(TransferSelection, count: Int, limit: Int64?)
    /// The shared limit of all transfers together.
    case everything(limit: Int64?)

    var limit: Int64? {
      switch self {
      case .row(let row): row.limitBytesPerSecond
      case .marked(_, _, let limit), .everything(let limit): limit
      }
    }

    var selection: TransferSelection {
      switch self {
      case .row(let row): .ids([row.id])
      case .marked(let selection, _, _): selection
      case .everything: .all
      }
    }
  }

  /// The parsed content of the line.
  enum Reading: Hashable, Sendable {
    case missing
    case link(TransferURL.Parsed)
    /// nil removes the limit.
    case limit(bytesPerSecond: Int64?)
    case linkProblem(TransferURLProblem)
    case invalidRate
  }

  let purpose: Purpose
  /// Never empty; the user can switch between them.
  let scopes: [Scope]
  private var scopeIndex = 0
  private(set) var line = LineEditor()
  /// Whether the user typed the line; otherwise it shows the current limit.
  private var isTyped = false

  init(freshLinkFor row: TransferSnapshot) {
    purpose = .freshLink
    scopes = [.row(row)]
  }

  /// Offers the marked transfers, the row under the cursor, and all transfers together.
  ///
  /// - Parameter shared: The limit of all transfers together.
  init(speedLimitFor selected: SelectedRows, under cursorRow: TransferSnapshot?, shared: Int64?) {
    purpose = .speedLimit
    var scopes: [Scope] = []
    if selected.areMarked, let selection = selected.selection {
      let limits = Set(selected.rows.map(\.limitBytesPerSecond))
      let common = limits.count == 1 && selected.rows.count >= selected.count ? limits.first : nil
      scopes.append(.marked(selection, count: selected.count, limit: common ?? nil))
    }
    if let cursorRow, cursorRow.state != .completed { scopes.append(.row(cursorRow)) }
    self.scopes = scopes + [.everything(limit: shared)]
    showPresentLimit()
  }

  static let bindings = BindingTable(
    [accepting, cancelBinding]
      + fieldBindings { dialog, _ in
        Availability(unless: dialog.scopes.count > 1 ? nil : Strings.nothingElse)
      } + lineBindings)

  private static let accepting = Binding<EntryDialog>(
    .accept, label: { dialog, _ in dialog.pageToOpen == nil ? "apply" : Strings.footerOpenPage },
    when: { _, context in context.whenConnected(.possible) },
    do: { dialog, _ in dialog.accept() })

  var keyContext: KeyContext { .entry }
  var extent: ScreenExtent { .form }

  var scope: Scope { scopes[scopeIndex] }

  /// The page that may have a fresh link.
  var page: TransferURL? {
    guard purpose == .freshLink, case .row(let row) = scope else { return nil }
    return row.pageOfLink
  }

  /// The page that is opened while no link is typed.
  var pageToOpen: TransferURL? { reading == .missing ? page : nil }

  var reading: Reading {
    let text = String(line.text.filter { $0 != " " && $0 != "\t" })
    switch purpose {
    case .freshLink:
      guard !text.isEmpty else { return .missing }
      switch TransferURL.parse(typed: line.text) {
      case .success(let link): return .link(link)
      case .failure(let problem): return .linkProblem(problem)
      }
    case .speedLimit:
      if text.isEmpty || text.lowercased() == RateText.none { return .limit(bytesPerSecond: nil) }
      return RateText.parse(text).map { .limit(bytesPerSecond: $0) } ?? .invalidRate
    }
  }

  // MARK: - Keys

  /// Pasted text often begins or ends with a line break.
  mutating func insert(_ text: String, _ context: ScreenContext) -> [ScreenRequest]? {
    let lines = text.split(whereSeparator: \.isNewline)
    guard lines.count < 2 else { return [.say(Strings.oneLineOnly, .problem)] }
    // What is typed replaces the current limit, which is only shown.
    if !isTyped { line = LineEditor() }
    isTyped = true
    let isInserted = line.insert(lines.first.map(String.init) ?? "")
    return isInserted ? [] : [.say(Strings.oneLineOnly, .problem)]
  }

  mutating func edit(_ edit: Edit, _ context: ScreenContext) -> [ScreenRequest] {
    switch edit {
    case .nextField: chooseScope(1)
    case .previousField: chooseScope(-1)
    case .left, .right, .lineStart, .lineEnd, .eraseBefore, .eraseAfter, .eraseLine, .nextLine:
      line.apply(edit)
      isTyped = true
    }
    return []
  }

  mutating func cancel(_ context: ScreenContext) -> [ScreenRequest] { [.close] }

  /// Applies the content if it is valid.
  private func accept() -> [ScreenRequest] {
    if let page = pageToOpen { return [.close, .service(.openPage(page))] }
    return switch (reading, scope) {
    case (.link(let link), .row(let row)): [.close, .service(.relink(row.id, link))]
    case (.limit(let bytesPerSecond), let scope):
      [.close, .service(.limit(scope.selection, bytesPerSecond))]
    case (.link, _), (.missing, _), (.linkProblem, _), (.invalidRate, _):
      [.say(Strings.verdict(on: self), .problem)]
    }
  }

  private mutating func chooseScope(_ step: Int) {
    scopeIndex = (scopeIndex + step + scopes.count) % scopes.count
    if !isTyped { showPresentLimit() }
  }

  private mutating func showPresentLimit() {
    line = LineEditor()
    _ = line.insert(scope.limit.map(RateText.text) ?? "")
  }

  // MARK: - Drawing

  /// The characters of the password.
  private var secretRange: Range<Int>? {
    let characters = line.characters
    switch purpose {
    case .freshLink: return SecretText.passwordRange(inURL: characters, characters.indices)
    case .speedLimit: return nil
    }
  }

  func draw(on canvas: inout Canvas, _ context: ScreenContext) {
    let hasChoice = scopes.count > 1
    let extra = pageLines(width: DialogBox(size: canvas.size, width: Self.width, height: 1).width)
    let height = 4 + extra.count + (hasChoice ? 1 : 0)
    let box = DialogBox(size: canvas.size, width: Self.width, height: height)
    box.draw(title: Strings.title(of: purpose), on: &canvas)
    box.write(Strings.hint(on: self), line: 0, on: &canvas, .dialogQuiet)
    let characters = line.characters
    let field = FieldView(
      characters: characters, secrets: secretRange.map { [$0] } ?? [], cursor: line.column)
    field.draw(row: box.row + 1, column: box.column, width: box.width, on: &canvas)
    let verdict =
      context.notice?.text ?? Strings.verdict(on: self, isHere: context.directories != nil)
    let role: Role =
      switch reading {
      case .link, .limit, .missing: context.notice == nil ? .dialogGood : .dialogProblem
      case .linkProblem, .invalidRate: .dialogProblem
      }
    for (offset, text) in Fold.lines(verdict, width: box.width).prefix(2).enumerated() {
      box.write(text, line: 2 + offset, on: &canvas, role)
    }
    for (offset, text) in extra.enumerated() {
      box.write(text, line: 4 + offset, on: &canvas, .dialogQuiet)
    }
    if hasChoice { box.write(Strings.scopes(self), line: 4, on: &canvas, .dialogQuiet) }
  }

  private static let width = 100
  private static let pageLineCountMax = 3

  /// The whole address of the page, so that it can be copied where no desktop can open it.
  private func pageLines(width: Int) -> [String] {
    guard let page else { return [] }
    let text = page.text.sanitizedForDisplay(limit: width * Self.pageLineCountMax)
    return Array(Fold.lines(text, width: width).prefix(Self.pageLineCountMax))
  }
}

extension Action {
  static let accept = Action(
    "accept", .add, in: [.entry], keys: [.enter], label: "apply", isRequired: true,
    help: "Apply the link, the login or the limit")
}
