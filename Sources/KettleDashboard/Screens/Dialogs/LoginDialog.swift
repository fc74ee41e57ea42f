import KettleModel

/// Asks for the user name and password of a transfer. The user can apply them to every transfer
/// from its host.
struct LoginDialog: EditingScreen {
  enum Field: Hashable, Sendable, CaseIterable {
    case user, password, scope
  }

  enum Scope: Hashable, Sendable, CaseIterable {
    case row, host
  }

  enum Phase: Hashable, Sendable {
    case editing
    /// Enter was pressed without a password. The next Enter logs in without one.
    case warned
  }

  /// The row as it was when the dialog was opened.
  let row: TransferSnapshot
  private(set) var focus = Field.user
  private(set) var scope = Scope.row
  private(set) var phase = Phase.editing
  private(set) var user = LineEditor()
  private(set) var password = LineEditor()

  init(for row: TransferSnapshot) { self.row = row }

  // MARK: - Keys

  static let bindings = BindingTable(ownBindings + fieldBindings() + lineBindings)

  private static let ownBindings: [Binding<LoginDialog>] = [
    Binding(
      .accept, label: { _, _ in Strings.footerAnswer(.login) },
      when: { _, context in context.whenConnected(.possible) },
      do: { dialog, _ in dialog.accept() }),
    cancelBinding,
    moving("dialog-up", .previousField, keys: [.up], help: "One line or field up"),
    moving("dialog-down", .nextField, keys: [.down], help: "One line or field down"),
  ]

  private static func moving(
    _ name: String, _ edit: Edit, keys: [Key], help: String
  ) -> Binding<LoginDialog> {
    Binding(
      name, .add, in: [.entry], keys: keys, help: help,
      do: { dialog, context in dialog.edit(edit, context) })
  }

  var keyContext: KeyContext { .entry }
  var extent: ScreenExtent { .form }

  /// Pasted text often begins or ends with a line break. A user name has no colon, so
  /// `user:password` fills both fields.
  mutating func insert(_ text: String, _ context: ScreenContext) -> [ScreenRequest]? {
    let lines = text.split(whereSeparator: \.isNewline)
    let line = lines.first ?? ""
    guard lines.count < 2 else { return [.say(Strings.oneLineOnly, .problem)] }
    phase = .editing
    var isInserted = true
    switch focus {
    case .user:
      let name = line.prefix { $0 != ":" }
      isInserted = user.insert(String(name))
      if name.endIndex < line.endIndex {
        focus = .password
        isInserted = password.insert(String(line[name.endIndex...].dropFirst())) && isInserted
      }
    case .password: isInserted = password.insert(String(line))
    case .scope:
      guard line == " " else { return [.say(Strings.loginScopeKeys)] }
      scope = scope.other
    }
    return isInserted ? [] : [.say(Strings.oneLineOnly, .problem)]
  }

  mutating func edit(_ edit: Edit, _ context: ScreenContext) -> [ScreenRequest] {
    switch (edit, focus) {
    case (.nextField, _): focus = focus.next(1)
    case (.previousField, _): focus = focus.next(-1)
    case (.left, .scope), (.right, .scope): scope = scope.other
    case (_, .scope): break
    case (_, .user):
      user.apply(edit)
      phase = .editing
    case (_, .password):
      password.apply(edit)
      phase = .editing
    }
    return []
  }

  mutating func cancel(_ context: ScreenContext) -> [ScreenRequest] { [.close] }

  mutating func click(_ click: Click, _ context: ScreenContext) -> [ScreenRequest] {
    guard case .choice(let index) = click.target else { return [] }
    switch index {
    case 0: focus = .user
    case 1: focus = .password
    default:
      focus = .scope
      scope = index == 2 ? .row : .host
    }
    return []
  }

  /// Logs in, or moves to what is missing and says so.
  private mutating func accept() -> [ScreenRequest] {
    if user.characters.isEmpty {
      focus = .user
      return [.say(Strings.userMissing, .problem)]
    }
    if password.characters.isEmpty, phase == .editing {
      (focus, phase) = (.password, .warned)
      return [.say(Strings.passwordMissing, .problem)]
    }
    switch TransferURL.parse(row.url) {
    case .failure(let problem): return [.say(problem.sentence(row.url), .problem)]
    case .success(let link):
      let login = Login(user: user.text, password: password.text)
      let relink = ServiceEffect.relink(row.id, TransferURL.Parsed(url: link.url, login: login))
      switch scope {
      case .row: return [.close, .service(relink)]
      case .host:
        return [.close, .service(relink), .service(.control(.remember, .ids([row.id])))]
      }
    }
  }

  // MARK: - Drawing

  private static let labelWidth = 10

  func draw(on canvas: inout Canvas, _ context: ScreenContext) {
    let height = min(7, DialogBox.heightMax(canvas.size))
    let box = DialogBox(size: canvas.size, width: 76, height: height)
    box.draw(title: Strings.loginTitle, on: &canvas)
    // On a small screen the fields are more important than what they are for.
    let first = height > 5 ? 1 : 0
    if first > 0 { box.write(Strings.loginHint(row), line: 0, on: &canvas, .dialogQuiet) }
    draw(.user, user, secrets: [], line: first, in: box, on: &canvas)
    draw(
      .password, password, secrets: [0..<password.characters.count], line: first + 1, in: box,
      on: &canvas)
    for (index, scope) in Scope.allCases.enumerated() {
      draw(scope, index: index, line: first + 2 + index, in: box, on: &canvas)
    }
    let verdict =
      context.notice.map { ($0.text, Role.dialogProblem) }
      ?? (Strings.verdict(on: self), .dialogGood)
    for (offset, text) in Fold.lines(verdict.0, width: box.width).prefix(2).enumerated() {
      box.write(text, line: first + 4 + offset, on: &canvas, verdict.1)
    }
  }

  private func draw(
    _ field: Field, _ editor: LineEditor, secrets: [Range<Int>], line: Int, in box: DialogBox,
    on canvas: inout Canvas
  ) {
    guard line < box.height else { return }
    let row = box.row + line
    box.write(
      Strings.label(of: field), line: line, on: &canvas, focus == field ? .dialogKey : .dialogQuiet)
    let view = FieldView(
      characters: editor.characters, secrets: secrets,
      cursor: focus == field ? editor.column : nil)
    view.draw(
      row: row, column: box.column + Self.labelWidth, width: box.width - Self.labelWidth,
      on: &canvas)
    canvas.claim(
      row: row, columns: box.column..<(box.column + box.width),
      for: .choice(field == .user ? 0 : 1))
  }

  private func draw(
    _ scope: Scope, index: Int, line: Int, in box: DialogBox, on canvas: inout Canvas
  ) {
    guard line < box.height else { return }
    let row = box.row + line
    if index == 0 {
      let role: Role = focus == .scope ? .dialogKey : .dialogQuiet
      box.write(Strings.label(of: .scope), line: line, on: &canvas, role)
    }
    let isChosen = scope == self.scope
    let dot = canvas.look.charset == .utf8 ? "•" : "*"
    let column = box.column + Self.labelWidth
    canvas.write(
      "(\(isChosen ? dot : " ")) " + Strings.name(of: scope, self.row), row: row, column: column,
      width: box.width - Self.labelWidth, isChosen ? .dialog : .dialogQuiet)
    if isChosen, focus == .scope { canvas.placeCursor(row: row, column: column + 1) }
    canvas.claim(
      row: row, columns: box.column..<(box.column + box.width), for: .choice(2 + index))
  }
}

extension LoginDialog.Field {
  fileprivate func next(_ step: Int) -> Self {
    let all = Self.allCases
    return all[((all.firstIndex(of: self) ?? 0) + step + all.count) % all.count]
  }
}

extension LoginDialog.Scope {
  fileprivate var other: Self {
    switch self {
    case .row: .host
    case .host: .row
    }
  }
}

/// The texts of the login.
extension Strings {
  static let loginTitle = "Log in"
  static let userMissing = "The user is missing; type the name"
  static let passwordMissing = "The password is missing; type it, or press Enter to go without"
  static let loginScopeKeys = "Space, Left or Right chooses"

  static func loginHint(_ row: TransferSnapshot) -> String {
    let said = row.error?.detail.map { " (\($0.sanitizedForDisplay(limit: 40)))" } ?? ""
    return shownHost(row) + " wants a login\(said) for \""
      + row.shownTitle.sanitizedForDisplay(limit: 60) + "\""
  }

  static func label(of field: LoginDialog.Field) -> String {
    switch field {
    case .user: "User"
    case .password: "Password"
    case .scope: "For"
    }
  }

  static func name(of scope: LoginDialog.Scope, _ row: TransferSnapshot) -> String {
    switch scope {
    case .row: "this file"
    case .host: "every file from " + shownHost(row) + ", also later ones"
    }
  }

  /// What Enter does now.
  static func verdict(on dialog: LoginDialog) -> String {
    if dialog.user.characters.isEmpty { return "Type the user and the password; Esc cancels" }
    return "Enter logs in to " + shownHost(dialog.row) + " as \""
      + dialog.user.text.sanitizedForDisplay(limit: 40) + "\""
  }

  private static func shownHost(_ row: TransferSnapshot) -> String {
    String(row.host).sanitizedForDisplay(limit: 60)
  }
}
