import KettleModel

/// The speed of recent seconds as a filled curve, with a scale, a time axis and the speed limit as
/// a line: Braille dots, two seconds per column and four steps per line, or columns of `#`.
package struct SpeedGraph: Hashable, Sendable {
  /// One per second, the newest last.
  package var samples: [Int64]
  /// The lines of the curve; the axis below adds one more.
  package var height: Int
  /// The speed limit in bytes per second; nil for none.
  package var limit: Int64?
  /// The speed at the upper edge; nil fits the samples.
  package var top: Int64?

  package init(samples: [Int64], height: Int, limit: Int64? = nil, top: Int64? = nil) {
    self.top = top
    self.samples = Self.smoothed(samples.map { max(0, $0) })
    self.height = max(1, height)
    self.limit = limit
  }

  package static let labelWidth = 12

  /// Returns the mean of each sample and the two before it: bytes arrive in bursts, and a constant
  /// speed would otherwise look like a comb.
  private static func smoothed(_ samples: [Int64]) -> [Int64] {
    samples.indices.map { index in
      let part = samples[max(0, index - 2)...index]
      return part.reduce(0) { $0 + $1 / Int64(part.count) }
    }
  }

  /// Returns a round number that is at least the largest sample, and less than twice as large.
  package static func ceiling(of samples: some Sequence<Int64>) -> Int64 {
    let most = samples.max() ?? 0
    var unit: Int64 = 1
    while unit < 1 << 50, most >= unit * 1024 { unit *= 1024 }
    let steps: [Int64] = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 60, 80, 100, 150, 200]
    for step in steps + [300, 400, 500, 600, 800] where most <= step * unit { return step * unit }
    return most <= unit * 1024 ? unit * 1024 : most
  }

  /// Draws the whole graph.
  func draw(on canvas: inout Canvas, row: Int, column: Int, width: Int) {
    let curve = Curve(self, room: width - Self.labelWidth, canvas.look)
    for line in 0...height {
      draw(line: line, of: curve, on: &canvas, at: Frame.Position(row: row + line, column: column))
    }
  }

  /// Draws the curve alone, with its scale on it.
  func drawCurve(on canvas: inout Canvas, row: Int, column: Int, width: Int) {
    let curve = Curve(self, room: width, canvas.look)
    for line in 0..<height {
      draw(
        curveLine: line, of: curve, on: &canvas,
        at: Frame.Position(row: row + line, column: column))
      let label = label(line, curve.top)
      canvas.write(label, row: row + line, column: column, width: width, .quiet)
    }
  }

  /// The seconds that a curve of this width shows.
  static func seconds(width: Int, _ look: Look) -> Int { width * (look.charset == .utf8 ? 2 : 1) }

  /// Draws one line of the curve, or the axis as the last one.
  package func draw(
    line: Int, on canvas: inout Canvas, row: Int, column: Int, width: Int
  ) {
    let curve = Curve(self, room: width - Self.labelWidth, canvas.look)
    draw(line: line, of: curve, on: &canvas, at: Frame.Position(row: row, column: column))
  }

  /// What the lines have in common.
  private struct Curve {
    /// The columns of the curve.
    let room: Int
    let perColumn: Int
    /// The speed at the upper edge.
    let top: Int64
    /// In steps from the axis, for each sample; 0 where there is none.
    let levels: [Int]

    init(_ graph: SpeedGraph, room width: Int, _ look: Look) {
      let hasBraille = look.charset == .utf8
      room = max(1, width)
      perColumn = hasBraille ? 2 : 1
      let shown = graph.samples.suffix(room * perColumn)
      let top = graph.top ?? SpeedGraph.ceiling(of: shown + [graph.limit ?? 0])
      self.top = top
      levels =
        Array(repeating: 0, count: room * perColumn - shown.count)
        + shown.map { graph.level(of: $0, top, steps: hasBraille ? 4 : 1) }
    }
  }

  private func draw(
    line: Int, of curve: Curve, on canvas: inout Canvas, at place: Frame.Position
  ) {
    let (row, look) = (place.row, canvas.look)
    guard line < height else {
      let axis = axis(curve.room, seconds: curve.room * curve.perColumn, look)
      canvas.write(
        axis, row: row, column: place.column, width: Self.labelWidth + curve.room, .quiet)
      return
    }
    let label = label(line, curve.top)
    let blanks = String(repeating: " ", count: max(0, Self.labelWidth - 1 - label.count))
    let side = blanks + label + look.glyphs.vertical
    canvas.write(side, row: row, column: place.column, width: Self.labelWidth, .quiet)
    draw(
      curveLine: line, of: curve, on: &canvas,
      at: Frame.Position(row: row, column: place.column + Self.labelWidth))
  }

  private func draw(
    curveLine line: Int, of curve: Curve, on canvas: inout Canvas, at place: Frame.Position
  ) {
    let (row, start, look) = (place.row, place.column, canvas.look)
    if let limit, limitLine(limit, curve.top) == line {
      canvas.fill(
        row: row, column: start, width: curve.room, .waiting, with: look.glyphs.dash)
    }
    // The color says how high the line is.
    let style = look.heat(Double(height - 1 - line) / Double(max(1, height - 1)))
    let cells = cells(of: curve.levels, line: line, room: curve.room, look: look)
    for (offset, cell) in cells.enumerated() where cell != " " {
      canvas.plot(cell, row: row, column: start + offset, style)
    }
  }

  /// Even the slowest speed above 0 is visible.
  private func level(of sample: Int64, _ top: Int64, steps: Int) -> Int {
    guard sample > 0, top > 0 else { return 0 }
    let most = height * steps
    let level = Double(sample) / Double(top) * Double(most)
    return min(most, Int(level) + (level > Double(Int(level)) ? 1 : 0))
  }

  private func limitLine(_ limit: Int64, _ top: Int64) -> Int? {
    guard limit > 0, top > 0 else { return nil }
    return min(height - 1, Int(Double(height) * (1 - Double(limit) / Double(top))))
  }

  private func label(_ line: Int, _ top: Int64) -> String {
    if line == 0 { return ByteText.limit(top) }
    guard line == height / 2, height > 3 else { return "" }
    return ByteText.limit(Int64(Double(top) * Double(height - line) / Double(height)))
  }

  private func cells(of levels: [Int], line: Int, room: Int, look: Look) -> [String] {
    guard look.charset == .utf8 else {
      return levels.map { $0 > height - 1 - line ? "#" : " " }
    }
    let floor = (height - 1 - line) * 4
    return (0..<room).map { column in
      Braille.cell(left: levels[column * 2] - floor, right: levels[column * 2 + 1] - floor)
    }
  }

  private func axis(_ room: Int, seconds: Int, _ look: Look) -> String {
    let (corner, glyph) = (look.glyphs.corners[2], look.glyphs.horizontal)
    let label = String(repeating: " ", count: Self.labelWidth - 2) + "0" + corner
    let (ago, now) = (Strings.secondsAgo(seconds), Strings.now)
    guard room >= ago.count + now.count + 5 else {
      return label + String(repeating: glyph, count: room)
    }
    let line = String(repeating: glyph, count: room - ago.count - now.count - 5)
    return label + glyph + " " + ago + " " + line + " " + now + " "
  }
}
