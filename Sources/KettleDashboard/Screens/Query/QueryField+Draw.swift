import KettleModel

/// The line in which a filter or a search is typed, and its message.
extension DashboardModel {
  func draw(_ field: QueryField, on canvas: inout Canvas) {
    let row = layout.viewRow
    let title = Strings.title(of: field.purpose) + ":"
    let begin = 2 + canvas.put(title, row: row, column: 1, width: size.columns - 2, .heading)
    let width = max(1, size.columns - 1 - begin)
    let line = FieldView(characters: field.line.characters, cursor: field.line.column)
    line.draw(row: row, column: begin, width: width, on: &canvas)
  }

  /// Returns what is wrong with the content of the field, or what can be typed there.
  func verdict(on field: QueryField) -> (text: String, role: Role) {
    switch field.purpose {
    case .filter:
      if case .failure(let problem) = FilterQuery.parse(field.text) {
        return (fitting(Strings.forms(of: problem)), .problem)
      }
      return (fitting(Strings.filterHints), .quiet)
    case .search:
      let hint = fitting(Strings.searchHints)
      return (search.asked == nil ? hint : Strings.searching, .quiet)
    }
  }

  /// Returns the first form that fits into the message line.
  func fitting(_ forms: [String]) -> String {
    forms.first { $0.count <= size.columns - 2 } ?? forms.last ?? ""
  }
}
