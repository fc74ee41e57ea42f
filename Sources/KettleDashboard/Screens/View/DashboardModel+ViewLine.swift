import KettleModel

/// The line that explains the current view, and in which a filter or a search is typed.
extension DashboardModel {
  /// The line takes no room from the rows while it would be empty.
  var hasViewLine: Bool { queryPurpose != nil || !viewParts.isEmpty }

  private struct Part {
    var text: String
    var role = Role.heading
    /// The command that a click on it performs.
    var command: ViewCommand?
  }

  /// The most important part comes first: a narrow screen cuts off the end.
  private var viewParts: [Part] {
    var parts: [Part] = []
    if isFrozen {
      parts.append(Part(text: keymap.filled(Strings.frozen), role: .problem, command: .freeze))
    }
    if view.kind == .history {
      parts.append(Part(text: keymap.filled(Strings.historyShown), command: .history))
    }
    if !marks.isEmpty { parts.append(Part(text: Strings.marked(markedCount), role: .key)) }
    if view.isFiltered {
      parts.append(Part(text: Strings.filterShown(view.filterText, count: rowCount)))
    }
    if search.isOn { parts.append(Part(text: Strings.searchShown(search.text))) }
    if let sortText { parts.append(Part(text: sortText, role: .quiet)) }
    if isFollowing { parts.append(Part(text: Strings.following, role: .quiet)) }
    let isCleared = view.isFiltered || search.isOn || !marks.isEmpty
    if isCleared {
      parts.append(Part(text: keymap.filled(Strings.clearHint), role: .quiet, command: .clear))
    }
    return parts
  }

  /// nil when the order is the default one or a column name shows it.
  private var sortText: String? {
    guard sort != ListView.naturalSort(of: view.kind) else { return nil }
    if sort.key == .queue { return sort.isDescending ? Strings.queueReversed : nil }
    return columnKeys.contains(sort.key) ? nil : Strings.sortedBy(sort)
  }

  func drawViewLine(on canvas: inout Canvas) {
    if case .query(let field) = screens.last { return draw(field, on: &canvas) }
    var column = 1
    for part in viewParts {
      let room = size.columns - 1 - column
      guard room > 3, part.command == nil || part.text.count <= room else { break }
      let used = canvas.write(
        part.text, row: layout.viewRow, column: column, width: room, part.role)
      if let command = part.command {
        canvas.claim(
          row: layout.viewRow, columns: column..<(column + used), for: .command(.view(command)))
      }
      column += used + 3
    }
  }

  /// Draws the mark beside the symbol of the state.
  func drawMark(on canvas: inout Canvas, row: Int) {
    canvas.write(
      canvas.look.glyphs.mark, row: row, column: TableColumns.symbolColumn + 1, width: 1, .key)
  }
}
