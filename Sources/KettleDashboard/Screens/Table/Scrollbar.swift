/// A bar in one column that shows which part of a list is visible.
package struct Scrollbar: Hashable, Sendable {
  /// The lines of the thumb, from 0; nil when the whole list is visible.
  package let thumb: Range<Int>?
  private let height: Int

  package init(first: Int, count: Int, height: Int) {
    self.height = height
    guard height > 1, count > height else {
      thumb = nil
      return
    }
    let length = max(1, Int(Double(height) * Double(height) / Double(count)))
    let way = Double(height - length)
    let part = min(max(Double(first) / Double(count - height), 0), 1)
    var start = Int(part * way + 0.5)
    // The ends are shown only for the first and the last row.
    if first > 0, start == 0, height > length { start = 1 }
    if first < count - height, start == height - length { start = max(0, start - 1) }
    thumb = start..<(start + length)
  }

  func draw(on canvas: inout Canvas, top: Int, column: Int) {
    guard let thumb else { return }
    let glyphs = canvas.look.glyphs
    for line in 0..<height {
      let glyph = thumb.contains(line) ? glyphs.scrollbarThumb : glyphs.scrollbarTrack
      canvas.write(glyph, row: top + line, column: column, width: 1, .quiet)
    }
  }
}
