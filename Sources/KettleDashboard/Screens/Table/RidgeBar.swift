import KettleModel

/// The progress of a row: its width is the file, the height of each cell how fast that part
/// arrived. Dots are still to come; gaps are parts that nothing fetches now.
struct RidgeBar {
  private let row: TransferSnapshot

  init(_ row: TransferSnapshot) { self.row = row }

  func draw(on canvas: inout Canvas, row screenRow: Int, column: Int, width: Int) {
    guard width > 0, let levels = levels(width: width) else { return }
    let glyphs = canvas.look.glyphs
    let heights = glyphs.heights
    let style = canvas.curveStyle(isOver ? .quiet : row.barRole)
    let quiet = canvas.curveStyle(.quiet)
    for (offset, level) in levels.enumerated() {
      if level > 0 {
        let index =
          (Int(min(level, Ridge.levelMax)) - 1) * (heights.count - 1)
          / Int(Ridge.levelMax - 1)
        let sign = heights.indices.contains(index) ? heights[index] : glyphs.receivedCell
        canvas.plot(sign, row: screenRow, column: column + offset, style)
      } else if row.state == .running {
        canvas.plot(glyphs.toCome, row: screenRow, column: column + offset, quiet)
      }
    }
  }

  /// What is over is the quietest.
  private var isOver: Bool {
    switch row.state {
    case .completed, .failed, .idle, .paused, .queued, .scheduled: true
    case .running, .waiting, .verifying: false
    }
  }

  /// Without speeds all parts have half of the height. Nothing is drawn of a file of which nothing
  /// has arrived, except while it is being fetched.
  private func levels(width: Int) -> [UInt8]? {
    if let ridge = row.ridge { return ridge.levels(count: width) }
    guard row.state != .completed else { return nil }
    let fraction =
      row.isWhole ? 1 : row.bytesExpected.map { PercentageText.fraction(row.bytesReceived, of: $0) }
    guard let fraction, fraction > 0 || row.state == .running else { return nil }
    let count = min(width, max(fraction > 0 ? 1 : 0, Int(fraction * Double(width))))
    return (0..<width).map { $0 < count ? Ridge.levelMax / 2 : 0 }
  }
}

extension GlyphSet {
  /// The full height is left out: rows with it would melt into one block.
  fileprivate var heights: [String] {
    if eighths.isEmpty { return ["_", "-", "=", "+", "*", "#"] }
    return levels.count > 4 ? levels.dropLast() : levels
  }

  fileprivate var toCome: String { eighths.isEmpty ? "." : "·" }
}
