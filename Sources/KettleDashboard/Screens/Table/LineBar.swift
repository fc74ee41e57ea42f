import KettleModel

/// The progress of a row as one line, whose width is the file: heavy where its bytes are, in the
/// color of how fast they came, and light where they are missing.
package struct LineBar: Hashable, Sendable {
  private let row: TransferSnapshot
  /// The step of the moving piece while the size is unknown; nil when nothing moves.
  private let step: Int64?

  /// The piece moves while bytes arrive, if pictures may move.
  init(_ row: TransferSnapshot, _ context: ScreenContext) {
    let step = context.now.monotonic.milliseconds / MovingBar.stepMilliseconds
    self.init(row, step: row.isMovingBar(context) ? step : nil)
  }

  init(_ row: TransferSnapshot, step: Int64?) {
    self.row = row
    self.step = step
  }

  func draw(on canvas: inout Canvas, row screenRow: Int, column: Int, width: Int) {
    guard width > 0 else { return }
    let (glyphs, look) = (canvas.look.glyphs, canvas.look)
    let levels = levels(width: width)
    let tips = tips(of: levels)
    let rest = look.style(.track)
    for (offset, level) in levels.enumerated() {
      let isTip = tips.contains(offset)
      let sign = level == 0 ? glyphs.barRest : isTip ? glyphs.barTip : glyphs.barDone
      canvas.plot(
        sign, row: screenRow, column: column + offset, level == 0 ? rest : style(level, look))
    }
  }

  /// Only what moves is hot.
  private func style(_ level: UInt8, _ look: Look) -> Style {
    switch row.state {
    case .running, .verifying:
      return look.heat(Double(level - 1) / Double(Ridge.levelMax - 1))
    case .idle, .scheduled, .queued, .waiting, .paused, .completed, .failed:
      return look.style(.quiet)
    }
  }

  /// Returns the cells at which a part grows: the ends of what has arrived, as far as there are
  /// connections.
  private func tips(of levels: [UInt8]) -> Set<Int> {
    guard row.state == .running, row.connections > 0, row.bytesExpected != nil else { return [] }
    let ends = levels.indices.filter { index in
      levels[index] > 0 && index + 1 < levels.count && levels[index + 1] == 0
    }
    return Set(ends.prefix(row.connections))
  }

  /// Returns for each cell 0 if its bytes are missing, otherwise how fast they came. Without speeds
  /// all have the same.
  private func levels(width: Int) -> [UInt8] {
    if row.isWhole { return Array(repeating: Ridge.levelMax / 2, count: width) }
    guard let expected = row.bytesExpected else { return movingLevels(width: width) }
    if row.storedByteCount == nil, let ridge = row.ridge {
      let levels = ridge.levels(count: width)
      return levels + Array(repeating: 0, count: max(0, width - levels.count))
    }
    let fraction = PercentageText.fraction(
      row.storedByteCount ?? row.bytesReceived, of: expected)
    let count = min(width, max(fraction > 0 ? 1 : 0, Int(fraction * Double(width))))
    return (0..<width).map { $0 < count ? Ridge.levelMax / 2 : 0 }
  }

  private func movingLevels(width: Int) -> [UInt8] {
    let piece = step.map { MovingBar.columns(step: $0, width: width) } ?? 0..<0
    return (0..<width).map { piece.contains($0) ? Ridge.levelMax / 2 : 0 }
  }
}

extension TransferSnapshot {
  /// Whether the bar shows motion instead of progress.
  func isMovingBar(_ context: ScreenContext) -> Bool {
    state == .running && bytesExpected == nil && context.isConnected
      && context.settings.hasMotion
  }
}
