import KettleModel

/// The menu of the list's sort keys.
extension DashboardModel {
  func draw(_ menu: SortMenu, on canvas: inout Canvas) {
    let box = DialogBox(size: size, width: 26, height: menu.keys.count)
    box.draw(title: Strings.orderTitle, on: &canvas)
    let first = max(0, menu.choice - box.height + 1)
    for (line, key) in menu.keys.dropFirst(first).prefix(box.height).enumerated() {
      let isChosen = first + line == menu.choice
      let row = box.row + line
      box.put(isChosen ? ">" : " ", line: line, on: &canvas, .dialogTitle)
      canvas.put(String(key.letter), row: row, column: box.column + 2, width: 1, .dialogKey)
      canvas.put(
        Strings.name(of: key), row: row, column: box.column + 5, width: box.width - 7, .dialog)
      if key == sort.key {
        canvas.put(
          canvas.look.glyphs.arrow(of: sort), row: row, column: box.column + box.width - 1,
          width: 1, .dialogTitle)
      }
      if isChosen {
        let look = canvas.look
        canvas.restyle(row: row, columns: box.column..<(box.column + box.width)) {
          look.select(&$0, isBar: false)
        }
      }
      canvas.claim(
        row: row, columns: box.column..<(box.column + box.width), for: .choice(first + line))
    }
  }
}

extension GlyphSet {
  /// Down means that the largest comes first.
  package func arrow(of sort: RowSort) -> String { sort.isDescending ? arrowDown : arrowUp }
}
