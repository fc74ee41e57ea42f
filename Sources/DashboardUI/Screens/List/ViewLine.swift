import TransferModel

/// The line that says why the list looks as it does.
extension DashboardModel {
  /// Nothing is taken from the rows while there is nothing to say.
  var hasViewLine: Bool { !viewParts.isEmpty }

  private var viewParts: [String] {
    marks.isEmpty ? [] : [Strings.marked(markedCount)]
  }

  func drawViewLine(on canvas: inout Canvas) {
    let text = viewParts.joined(separator: "   ")
    canvas.put(text, row: layout.viewRow, column: 1, width: size.columns - 2, .heading)
  }

  /// Beside the sign of the state.
  func drawMark(on canvas: inout Canvas, row: Int) {
    canvas.put(
      canvas.look.glyphs.mark, row: row, column: TableColumns.symbolColumn + 1, width: 1, .key)
  }
}
