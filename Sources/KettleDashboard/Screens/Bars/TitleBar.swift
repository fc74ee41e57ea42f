import KettleModel

/// The first line: the total speed and the number of transfers in each state; on a screen that is
/// not tall, also the content of the batch line.
struct TitleBar {
  let service: ServiceView
  /// Whether the batch has a line of its own.
  let hasBatchLine: Bool
  let now: Moment
  let clock: ClockText
  /// The key that starts a stopped service.
  let startKey: String?

  func draw(on canvas: inout Canvas) {
    let role: Role = service.isLinkLost ? .barProblem : .bar
    let columns = canvas.size.columns
    canvas.fill(row: 0, column: 0, width: columns, role)
    let title = fittingTitle(columns: columns, canvas.look)
    var column = 1
    column += canvas.write(
      Strings.product, row: 0, column: column, width: columns, service.isLinkLost ? role : .barName)
    for piece in title.left {
      column += piece.gap
      let start = column
      column += canvas.write(piece.text, row: 0, column: column, width: columns - column, role)
      if let state = piece.state {
        canvas.claim(row: 0, columns: start..<column, for: .state(state))
      }
    }
    let right = title.right.joined(separator: TitlePiece.separator)
    canvas.writeRight(right, row: 0, column: column, width: columns - column - 1, role)
    if let bar = title.bar {
      let start = columns - 1 - BatchText.width(right, canvas.look) - 1 - Title.barWidth
      bar.draw(on: &canvas, row: 0, column: start, width: Title.barWidth)
    }
  }

  private func fittingTitle(columns: Int, _ look: Look) -> Title {
    let room = columns - Strings.product.count - 2
    let (limited, plain) = firstTexts(columns: columns, look)
    for form in TitleForm.all {
      let title = title(form, first: form.hasLimit ? limited : plain, look)
      if title.columns(look) <= room { return title }
    }
    return Title(left: [TitlePiece(plain, gap: 3)])
  }

  private func title(_ form: TitleForm, first: String, _ look: Look) -> Title {
    let totals = service.totals
    var title = Title()
    let speeds = form.hasLevels && service.link.isConnected ? " " + levels(look) : ""
    title.left.append(TitlePiece(first + speeds, gap: 3))
    let counts = shownCounts(form.countsMax)
    for (index, state) in counts.enumerated() {
      let count = "\(totals.count(state))"
      let text =
        form.isWorded
        ? count + " " + Strings.countWord(state) : look.glyphs.symbol(state) + count
      let gap = index == 0 ? 3 : form.isWorded ? 2 : 1
      title.left.append(TitlePiece(text, gap: gap, state: state))
    }
    guard !hasBatchLine else { return title }
    if form.hasBatch, let batch = totals.batch {
      title.right.append(BatchText.brief(batch, clock, now: now.wall, hasTime: form.hasTime))
      if form.hasBar {
        title.bar = ProgressBar(fill: .part(BatchSummary(batch).fraction), role: .progress)
      }
    }
    if form.hasFree { title.right += BatchText.free(totals).map { [$0] } ?? [] }
    return title
  }

  /// Returns the speed with its limit, and without it.
  private func firstTexts(columns: Int, _ look: Look) -> (limited: String, plain: String) {
    let plain = firstText(columns: columns, look)
    let totals = service.totals
    guard service.link.isConnected, let limit = totals.limitBytesPerSecond else {
      return (plain, plain)
    }
    let until = totals.limitUntil.map { " until " + clock.long($0, now: now.wall) } ?? ""
    let speed = ByteText.speed(totals.bytesPerSecond, of: limit)
    return (look.glyphs.arrowDown + " " + speed + until, plain)
  }

  /// Returns the speed, or the connection state when there is none.
  private func firstText(columns: Int, _ look: Look) -> String {
    switch service.link {
    case .connecting: return Strings.connecting
    case .lost(let since):
      let full = Strings.serviceLost(
        for: DurationText.clock(now.monotonic.milliseconds(since: since) / 1000))
      return full.count + Strings.product.count + 5 <= columns ? full : Strings.serviceLost
    case .silent(let since):
      let full = Strings.serviceSilent(
        for: DurationText.clock(now.monotonic.milliseconds(since: since) / 1000))
      return full.count + Strings.product.count + 5 <= columns ? full : Strings.serviceSilent
    case .stopped(let time):
      let text = Strings.serviceStopped(at: clock.short(time, now: now.wall))
      let full = startKey.map { text + "; " + Strings.starts($0) } ?? text
      return full.count + Strings.product.count + 5 <= columns ? full : text
    case .connected:
      // The number keeps its width, so that the text after it does not jitter.
      let speed = ByteText.speed(service.totals.bytesPerSecond)
      let blanks = String(repeating: " ", count: max(0, 10 - speed.utf8.count))
      return look.glyphs.arrowDown + " " + speed + blanks
    }
  }

  private func levels(_ look: Look) -> String {
    let glyphs = look.glyphs.levels
    let samples = service.speeds.samples
    let top = Double(samples.max() ?? 0)
    let drawn = samples.suffix(8).map { sample -> String in
      guard top > 0 else { return glyphs.first ?? " " }
      let level = Int(Double(sample) / top * Double(glyphs.count - 1) + 0.5)
      return glyphs.indices.contains(level) ? glyphs[level] : " "
    }
    return drawn.joined() + String(repeating: " ", count: max(0, 8 - drawn.count))
  }

  /// Returns the states in display order; if not all fit, the most important ones.
  private func shownCounts(_ countsMax: Int) -> [TransferState] {
    let present = Self.countsByNeed.filter { service.totals.count($0) > 0 }
    let kept = Set(present.prefix(countsMax))
    return Self.countOrder.filter(kept.contains)
  }

  private static let countOrder: [TransferState] = [
    .running, .verifying, .waiting, .queued, .scheduled, .paused, .idle, .completed, .failed,
  ]
  private static let countsByNeed: [TransferState] = [
    .failed, .running, .waiting, .queued, .completed, .paused, .verifying, .scheduled, .idle,
  ]
}

/// A piece of the title bar, and the blanks before it.
private struct TitlePiece {
  static let separator = "   "

  var text: String
  var gap: Int
  /// The state that it counts.
  var state: TransferState?

  init(_ text: String, gap: Int, state: TransferState? = nil) {
    self.text = text
    self.gap = gap
    self.state = state
  }
}

private struct Title {
  var left: [TitlePiece] = []
  var right: [String] = []
  /// Drawn before the text on the right.
  var bar: ProgressBar?

  static let barWidth = 10

  func columns(_ look: Look) -> Int {
    func width(_ text: String) -> Int {
      ShownText(text, charset: look.charset, columnsMax: 2000).columns
    }
    return left.reduce(0) { $0 + $1.gap + width($1.text) }
      + right.reduce(0) { $0 + TitlePiece.separator.count + width($1) }
      + (bar == nil ? 0 : Self.barWidth + 1)
  }
}

/// The amount of detail in the title bar, from the fullest form to the barest.
private struct TitleForm {
  var isWorded = true
  var hasLevels = true
  var hasFree = true
  var hasLimit = true
  var hasBatch = true
  /// Whether the batch has a time beside the percentage.
  var hasTime = true
  var hasBar = true
  var countsMax = TransferState.allCases.count

  static let all: [TitleForm] = worded + signed + fewer

  private static let worded = forms(isWorded: true)
  private static let signed = forms(isWorded: false)

  private static func forms(isWorded: Bool) -> [TitleForm] {
    var form = TitleForm(isWorded: isWorded)
    var all = [form]
    form.hasLevels = false
    all.append(form)
    form.hasBar = false
    all.append(form)
    form.hasFree = false
    all.append(form)
    // The limit says more than the names of the states.
    if isWorded { return all }
    form.hasLimit = false
    all.append(form)
    form.hasTime = false
    all.append(form)
    return all
  }

  private static let fewer: [TitleForm] = (0...TransferState.allCases.count).reversed().map {
    TitleForm(
      isWorded: false, hasLevels: false, hasFree: false, hasLimit: false, hasBatch: false,
      hasBar: false, countsMax: $0)
  }
}
