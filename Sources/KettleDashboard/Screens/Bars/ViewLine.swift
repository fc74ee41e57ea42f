import KettleModel

/// The line that explains the current view. It takes no room from the rows while it would be empty.
struct ViewLine {
  private struct Part {
    var text: String
    var role = Role.heading
    /// The action that a click on it performs.
    var action: String?
  }

  /// The most important part comes first: a narrow screen cuts off the end.
  private let parts: [Part]

  init(_ list: ListScreen, _ context: ScreenContext) {
    let (view, keymap) = (list.view, context.keymap)
    var parts: [Part] = []
    if list.isFrozen {
      parts.append(Part(text: keymap.filled(Strings.frozen), role: .problem, action: "freeze"))
    }
    if view.kind == .history {
      parts.append(Part(text: keymap.filled(Strings.historyShown), action: "history"))
    }
    if !view.marks.isEmpty {
      parts.append(Part(text: Strings.marked(list.markedCount), role: .key))
    }
    if view.isFiltered {
      parts.append(Part(text: Strings.filterShown(view.filterText, count: list.rowCount)))
    }
    if list.search.isOn {
      parts.append(Part(text: Strings.searchShown(list.search.text, list.hits)))
    }
    if let text = view.sortText(columns: context.size.columns) {
      parts.append(Part(text: text, role: .quiet))
    }
    if list.isFollowing { parts.append(Part(text: Strings.following, role: .quiet)) }
    if view.isFiltered || list.search.isOn || !view.marks.isEmpty {
      parts.append(Part(text: keymap.filled(Strings.clearHint), role: .quiet, action: "clear"))
    }
    self.parts = parts
  }

  var isEmpty: Bool { parts.isEmpty }

  func draw(on canvas: inout Canvas, row: Int) {
    var column = 1
    for part in parts {
      let room = canvas.size.columns - 1 - column
      guard room > 3, part.action == nil || part.text.count <= room else { break }
      let used = canvas.write(part.text, row: row, column: column, width: room, part.role)
      if let action = part.action {
        canvas.claim(row: row, columns: column..<(column + used), for: .action(action))
      }
      column += used + 3
    }
  }
}
