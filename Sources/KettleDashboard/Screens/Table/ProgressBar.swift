import KettleModel

/// A bar that shows the progress of a transfer, or motion when the total is unknown.
package struct ProgressBar: Hashable, Sendable {
  package enum Fill: Hashable, Sendable {
    case part(Double)
    /// The step of the moving piece on its way back and forth.
    case moving(step: Int64)
  }

  package var fill: Fill
  package var role: Role

  package init(fill: Fill, role: Role) {
    self.fill = fill
    self.role = role
  }

  package init(_ row: TransferSnapshot, at now: Moment, isLive: Bool) {
    role = row.barRole
    if row.isWhole {
      fill = .part(1)
    } else if let expected = row.bytesExpected {
      fill = .part(PercentageText.fraction(row.bytesReceived, of: expected))
    } else if row.state == .running, isLive {
      fill = .moving(step: now.monotonic.milliseconds / MovingBar.stepMilliseconds)
    } else {
      fill = .part(0)
    }
  }

  package func draw(on canvas: inout Canvas, row: Int, column: Int, width: Int) {
    guard width > 0 else { return }
    if canvas.look.glyphs.eighths.isEmpty {
      drawBrackets(on: &canvas, row: row, column: column, width: width)
    } else {
      drawBlocks(on: &canvas, row: row, column: column, width: width)
    }
  }

  private func drawBlocks(on canvas: inout Canvas, row: Int, column: Int, width: Int) {
    canvas.fill(row: row, column: column, width: width, .progressRest)
    let eighths = canvas.look.glyphs.eighths
    let full = eighths[eighths.count - 1]
    switch fill {
    case .part(let part):
      // The first byte is visible, and the bar never looks full before the last one.
      let most = part >= 1 ? width * 8 : width * 8 - 1
      let filled = min(max(Int(part * Double(width * 8)), part > 0 ? 1 : 0), most)
      canvas.fill(row: row, column: column, width: filled / 8, role, with: full)
      if filled % 8 > 0 {
        let tip = eighths[filled % 8 - 1]
        canvas.fill(row: row, column: column + filled / 8, width: 1, role, with: tip)
      }
    case .moving(let step):
      let piece = MovingBar.columns(step: step, width: width)
      let start = column + piece.lowerBound
      canvas.fill(row: row, column: start, width: piece.count, role, with: full)
    }
  }

  private func drawBrackets(on canvas: inout Canvas, row: Int, column: Int, width: Int) {
    let inner = max(0, width - 2)
    let text: String
    switch fill {
    case .part(let part):
      let filled = part >= 1 ? inner : min(Int(part * Double(inner)), max(0, inner - 1))
      let tip = part > 0 && part < 1 && filled < inner ? ">" : ""
      let done = String(repeating: "#", count: filled) + tip
      text = done + String(repeating: " ", count: max(0, inner - done.utf8.count))
    case .moving(let step):
      let piece = MovingBar.columns(step: step, width: inner)
      text =
        String(repeating: " ", count: piece.lowerBound)
        + String(repeating: "=", count: piece.count)
        + String(repeating: " ", count: inner - piece.upperBound)
    }
    canvas.write("[" + text + "]", row: row, column: column, width: width, role)
  }
}

/// The piece that moves back and forth in a bar without a known end.
package enum MovingBar {
  package static let stepMilliseconds: Int64 = 500

  /// Returns the columns within the bar.
  package static func columns(step: Int64, width: Int) -> Range<Int> {
    let length = min(3, width)
    let way = width - length
    guard way > 0 else { return 0..<length }
    let phase = Int(Int64(step.magnitude % UInt64(2 * way)))
    let start = phase <= way ? phase : 2 * way - phase
    return start..<(start + length)
  }
}

extension TransferSnapshot {
  var barRole: Role {
    switch state {
    case .completed, .verifying: .progressDone
    case .failed: .progressFailed
    case .waiting, .paused: .progressHeld
    case .running: .progress
    case .idle, .scheduled, .queued: .progressHeld
    }
  }
}
