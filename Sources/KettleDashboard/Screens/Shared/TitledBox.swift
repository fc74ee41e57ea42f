/// A thin box with titles in its border.
struct TitledBox {
  let rows: Range<Int>
  let columns: Range<Int>
  var role = Role.box
  var titleRole = Role.boxTitle
  var keyRole = Role.boxKey

  /// The part of the canvas within the border.
  var inside: (rows: Range<Int>, columns: Range<Int>) {
    (
      rows.lowerBound + 1..<max(rows.lowerBound + 1, rows.upperBound - 1),
      columns.lowerBound + 1..<max(columns.lowerBound + 1, columns.upperBound - 1)
    )
  }

  /// - Parameters:
  ///   - title: in the upper border on the left.
  ///   - key: before the title; it focuses or hides the box.
  ///   - right: in the upper border on the right.
  ///   - below: in the lower border, on both sides.
  func draw(
    title: String, key: Key? = nil, right: String = "",
    below: (left: String, right: String) = ("", ""),
    on canvas: inout Canvas
  ) {
    guard rows.count > 1, columns.count > 4 else { return }
    let glyphs = canvas.look.glyphs
    let (top, bottom) = (rows.lowerBound, rows.upperBound - 1)
    drawEdge(row: top, left: glyphs.corners[0], right: glyphs.corners[1], on: &canvas)
    drawEdge(row: bottom, left: glyphs.corners[2], right: glyphs.corners[3], on: &canvas)
    for row in inside.rows {
      for column in [columns.lowerBound, columns.upperBound - 1] {
        canvas.write(glyphs.vertical, row: row, column: column, width: 1, role)
      }
    }
    let name = key.map { glyphs.raised($0) } ?? ""
    let used = write(name + title, titleRole, row: top, on: &canvas)
    if !name.isEmpty {
      canvas.write(
        name, row: top, column: columns.lowerBound + 3, width: columns.count - 6, keyRole)
    }
    writeRight(right, row: top, after: used, on: &canvas)
    let usedBelow = write(below.left, .quiet, row: bottom, on: &canvas)
    writeRight(below.right, row: bottom, after: usedBelow, on: &canvas)
  }

  private func drawEdge(
    row: Int, left: String, right: String, on canvas: inout Canvas
  ) {
    let start = columns.lowerBound
    canvas.fill(
      row: row, column: start + 1, width: columns.count - 2, role,
      with: canvas.look.glyphs.horizontal)
    canvas.write(left, row: row, column: start, width: 1, role)
    canvas.write(right, row: row, column: columns.upperBound - 1, width: 1, role)
  }

  /// Returns the columns that it takes.
  private func write(
    _ title: String, _ textRole: Role, row: Int, on canvas: inout Canvas
  ) -> Int {
    guard !title.isEmpty else { return 0 }
    return write(
      title, textRole, row: row, column: columns.lowerBound + 2, width: columns.count - 6,
      on: &canvas)
  }

  private func writeRight(_ title: String, row: Int, after used: Int, on canvas: inout Canvas) {
    let width = ShownText(title, charset: canvas.look.charset, columnsMax: 500).columns
    guard width > 0, used + width + 9 <= columns.count else { return }
    _ = write(
      title, .quiet, row: row, column: columns.upperBound - width - 4, width: width, on: &canvas)
  }

  private func write(
    _ title: String, _ textRole: Role, row: Int, column: Int, width: Int,
    on canvas: inout Canvas
  ) -> Int {
    let ends = canvas.look.glyphs.titleEnds
    canvas.write(ends[0], row: row, column: column, width: 1, role)
    let used = canvas.write(title, row: row, column: column + 1, width: width, textRole)
    canvas.write(ends[1], row: row, column: column + 1 + used, width: 1, role)
    return used + 2
  }
}
