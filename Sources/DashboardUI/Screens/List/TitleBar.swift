import TransferModel

/// The first line: the speed of all, how many are in each state, the free disk.
extension DashboardModel {
  func drawTitleBar(on canvas: inout Canvas, at now: Moment) {
    let isLost = if case .lost = link { true } else { false }
    let role: Role = isLost ? .barProblem : .bar
    canvas.fill(row: 0, column: 0, width: size.columns, role)
    let title = fittingTitle(canvas.look, now)
    var column = 1
    column += canvas.put(
      Strings.product, row: 0, column: column, width: size.columns, isLost ? role : .barName)
    for part in title.parts {
      column += canvas.put("   " + part, row: 0, column: column, width: size.columns, role)
    }
    if let free = title.free {
      canvas.putRight(free, row: 0, column: column, width: size.columns - column - 1, role)
    }
  }

  /// From the fullest to the barest; the first that fits is drawn.
  private enum TitleForm: CaseIterable {
    case words, wordsWithoutLevels, wordsAlone, signs, signsWithoutLevels, signsAlone, speedOnly

    var hasLevels: Bool { self == .words || self == .signs }

    var hasFree: Bool {
      switch self {
      case .words, .wordsWithoutLevels, .signs, .signsWithoutLevels: true
      case .wordsAlone, .signsAlone, .speedOnly: false
      }
    }
  }

  private struct Title {
    var parts: [String]
    var free: String?

    func columns(_ look: Look) -> Int {
      let texts = parts + (free.map { [$0] } ?? [])
      return texts.reduce(0) { sum, text in
        sum + 3 + ShownText(text, charset: look.charset, columnsMax: 2000).columns
      }
    }
  }

  private func fittingTitle(_ look: Look, _ now: Moment) -> Title {
    for form in TitleForm.allCases {
      let title = title(form, look, now)
      if title.columns(look) + Strings.product.count + 2 <= size.columns { return title }
    }
    return title(.speedOnly, look, now)
  }

  private func title(_ form: TitleForm, _ look: Look, _ now: Moment) -> Title {
    let counts: String? =
      switch form {
      case .words, .wordsWithoutLevels, .wordsAlone: wordedCounts
      case .signs, .signsWithoutLevels, .signsAlone: signedCounts(look)
      case .speedOnly: nil
      }
    let first =
      linkText(isBrief: form == .speedOnly, at: now) ?? speedText(look, hasLevels: form.hasLevels)
    let free = form.hasFree ? totals.freeBytes.map(Strings.free) : nil
    return Title(parts: [first] + (counts.map { $0.isEmpty ? [] : [$0] } ?? []), free: free)
  }

  private func linkText(isBrief: Bool, at now: Moment) -> String? {
    switch link {
    case .connecting: Strings.connecting
    case .connected: nil
    case .lost(let since):
      isBrief
        ? Strings.serviceLost
        : Strings.serviceLost(
          for: DurationText.clock(now.monotonic.milliseconds(since: since) / 1000))
    }
  }

  /// The number keeps its width, so that what follows does not tremble.
  private func speedText(_ look: Look, hasLevels: Bool) -> String {
    let speed = ByteText.speed(totals.bytesPerSecond)
    let padded = speed + String(repeating: " ", count: max(0, 10 - speed.utf8.count))
    let text = look.glyphs.arrowDown + " " + padded
    return hasLevels ? text + " " + levels(look) : text
  }

  private func levels(_ look: Look) -> String {
    let glyphs = look.glyphs.levels
    let top = Double(speeds.samples.max() ?? 0)
    let drawn = speeds.samples.suffix(8).map { sample -> String in
      guard top > 0 else { return glyphs.first ?? " " }
      let level = Int(Double(sample) / top * Double(glyphs.count - 1) + 0.5)
      return glyphs.indices.contains(level) ? glyphs[level] : " "
    }
    return drawn.joined() + String(repeating: " ", count: max(0, 8 - drawn.count))
  }

  private static let countOrder: [TransferState] = [
    .running, .verifying, .waiting, .queued, .scheduled, .paused, .idle, .completed, .failed,
  ]

  private var wordedCounts: String {
    Self.countOrder.filter { totals.count($0) > 0 }
      .map { "\(totals.count($0)) " + Strings.countWord($0) }.joined(separator: "  ")
  }

  private func signedCounts(_ look: Look) -> String {
    Self.countOrder.filter { totals.count($0) > 0 }
      .map { look.glyphs.symbol($0) + "\(totals.count($0))" }.joined(separator: " ")
  }
}
