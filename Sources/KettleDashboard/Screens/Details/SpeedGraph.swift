/// The speed of recent seconds as a filled curve: Braille dots, two seconds per column and four
/// steps per line, or columns of `#`.
package struct SpeedGraph: Hashable, Sendable {
  /// One per second, the newest last.
  package var samples: [Int64]
  /// The lines of the curve; the axis below adds one more.
  package var height: Int

  package init(samples: [Int64], height: Int) {
    self.samples = samples.map { max(0, $0) }
    self.height = max(1, height)
  }

  package static let labelWidth = 11

  /// Returns a round number that is at least the largest sample.
  package static func ceiling(of samples: [Int64]) -> Int64 {
    let most = samples.max() ?? 0
    var unit: Int64 = 1
    while unit < 1 << 50, most >= unit * 1024 { unit *= 1024 }
    for step: Int64 in [1, 2, 5, 10, 20, 50, 100, 200, 500] where most <= step * unit {
      return step * unit
    }
    return most <= unit * 1024 ? unit * 1024 : most
  }

  package func lines(width: Int, _ look: Look) -> [String] {
    let room = max(1, width - Self.labelWidth)
    let perColumn = look.charset == .utf8 ? 2 : 1
    let shown = Array(samples.suffix(room * perColumn))
    let top = Self.ceiling(of: shown)
    let levels = shown.map { level(of: $0, top, steps: look.charset == .utf8 ? 4 : 1) }
    let filled = Array(repeating: 0, count: room * perColumn - levels.count) + levels
    var lines = (0..<height).map { row in
      label(row, top)
        + (look.charset == .utf8 ? braille(filled, row: row, room: room) : hashes(filled, row: row))
    }
    lines.append(axis(room, seconds: room * perColumn, look))
    return lines
  }

  /// Even the slowest speed above 0 is visible.
  private func level(of sample: Int64, _ top: Int64, steps: Int) -> Int {
    guard sample > 0, top > 0 else { return 0 }
    let most = height * steps
    let level = Double(sample) / Double(top) * Double(most)
    return min(most, Int(level) + (level > Double(Int(level)) ? 1 : 0))
  }

  private func label(_ row: Int, _ top: Int64) -> String {
    var text = ""
    if row == 0 {
      text = ByteText.speed(top)
    } else if row == height / 2, height > 3 {
      text = ByteText.speed(Int64(Double(top) * Double(height - row) / Double(height)))
    }
    return String(repeating: " ", count: max(0, Self.labelWidth - 1 - text.count)) + text + " "
  }

  private func braille(_ levels: [Int], row: Int, room: Int) -> String {
    // The dots of a cell from the bottom up; Unicode block U+2800.
    let (left, right): ([UInt32], [UInt32]) = ([0x40, 0x04, 0x02, 0x01], [0x80, 0x20, 0x10, 0x08])
    let floor = (height - 1 - row) * 4
    var text = ""
    for column in 0..<room {
      var bits: UInt32 = 0
      for dot in 0..<4 {
        if levels[column * 2] > floor + dot { bits |= left[dot] }
        if levels[column * 2 + 1] > floor + dot { bits |= right[dot] }
      }
      text += bits == 0 ? " " : Unicode.Scalar(0x2800 + bits).map { String($0) } ?? " "
    }
    return text
  }

  private func hashes(_ levels: [Int], row: Int) -> String {
    levels.map { $0 > height - 1 - row ? "#" : " " }.joined()
  }

  private func axis(_ room: Int, seconds: Int, _ look: Look) -> String {
    let label = String(repeating: " ", count: Self.labelWidth - 2) + "0 "
    let (ago, now) = (Strings.secondsAgo(seconds), Strings.now)
    let glyph = look.glyphs.horizontal
    guard room >= ago.count + now.count + 3 else {
      return label + String(repeating: glyph, count: room)
    }
    let line = String(repeating: glyph, count: room - ago.count - now.count - 2)
    return label + ago + " " + line + " " + now
  }
}
