import KettleModel

/// The dialog with one line.
extension DashboardModel {
  func draw(_ dialog: EntryDialog, on canvas: inout Canvas) {
    let hasChoice = dialog.scopes.count > 1
    let box = DialogBox(size: size, width: 100, height: hasChoice ? 5 : 4)
    box.draw(title: Strings.title(of: dialog.purpose), on: &canvas)
    box.put(Strings.hint(on: dialog), line: 0, on: &canvas, .dialogQuiet)
    let characters = dialog.line.characters
    let password = SecretText.passwordRange(inURL: characters, characters.indices)
    let field = FieldView(
      characters: characters, secrets: password.map { [$0] } ?? [], cursor: dialog.line.column)
    field.draw(row: box.row + 1, column: box.column, width: box.width, on: &canvas)
    let role: Role =
      switch dialog.reading {
      case .link, .limit, .missing: notice == nil ? .dialogGood : .dialogProblem
      case .linkProblem, .noRate: .dialogProblem
      }
    let verdict = notice?.text ?? Strings.verdict(on: dialog)
    for (offset, text) in Fold.lines(verdict, width: box.width).prefix(2).enumerated() {
      box.put(text, line: 2 + offset, on: &canvas, role)
    }
    if hasChoice { box.put(Strings.otherScopes(dialog), line: 4, on: &canvas, .dialogQuiet) }
  }
}
