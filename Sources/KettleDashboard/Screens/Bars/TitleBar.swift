import KettleModel

/// The first line: the total speed and its limit, the number of transfers in each state, and when
/// all will be done.
struct TitleBar {
  let service: ServiceView
  /// The transfers that wait for the user.
  let needsCount: Int
  let now: Moment
  let clock: ClockText
  /// The key that starts a stopped service.
  let startKey: String?
  /// nil when nothing moves.
  let steam: Steam?

  func draw(on canvas: inout Canvas) {
    let columns = canvas.size.columns
    if service.isLinkLost { canvas.fill(row: 0, column: 0, width: columns, .barProblem) }
    let look = canvas.look
    let title = fittingTitle(columns: columns, look)
    var column = 1
    for piece in title.left {
      column += piece.gap
      let start = column
      column += canvas.write(
        piece.text, row: 0, column: column, width: columns - column, role(piece.role))
      if let target = piece.target { canvas.claim(row: 0, columns: start..<column, for: target) }
    }
    if title.trendWidth > 0 {
      Sparkline(samples: service.speeds.samples, top: service.speeds.top)
        .draw(
          on: &canvas, row: 0, columns: title.trendStart..<(title.trendStart + title.trendWidth))
    }
    drawRight(title, after: column, on: &canvas)
  }

  private func drawRight(_ title: Title, after column: Int, on canvas: inout Canvas) {
    let columns = canvas.size.columns
    let end = columns - 1
    let width = BatchText.width(title.right, canvas.look)
    canvas.writeRight(
      title.right, row: 0, column: column, width: max(0, end - column), role(.heading))
    guard title.barWidth > 0, let batch = service.totals.batch else { return }
    let percentWidth = BatchText.width(title.percent, canvas.look)
    let start = end - width - 1 - title.barWidth
    canvas.writeRight(
      title.percent, row: 0, column: start - 1 - percentWidth, width: percentWidth,
      role(.heading))
    HeatBar(fraction: BatchSummary(batch).fraction).draw(
      on: &canvas, row: 0, column: start, width: title.barWidth)
  }

  private func role(_ role: Role) -> Role { service.isLinkLost ? .barProblem : role }

  private func fittingTitle(columns: Int, _ look: Look) -> Title {
    for form in TitleForm.all(columns: columns, isNamed: listName != nil) {
      let title = title(form, columns: columns, look)
      if title.columns(look) <= columns - 2 { return title }
    }
    return Title(left: [TitlePiece(state(columns: columns, look), gap: 0)])
  }

  private func title(_ form: TitleForm, columns: Int, _ look: Look) -> Title {
    var title = Title()
    let isHot = steam == .hot && look.canMove
    title.left.append(TitlePiece(look.glyphs.kettle, gap: 0, role: isHot ? .attentionTitle : .key))
    if form.hasName {
      title.left.append(
        TitlePiece(
          listName ?? Strings.product.lowercased(), gap: 1, role: .heading))
    }
    title.left.append(speedPiece(form, columns: columns, look))
    if form.hasLimit, let limit = limitText {
      title.left.append(TitlePiece(limit, gap: 1, role: .quiet))
    }
    if form.trendWidth > 0, service.link.isConnected {
      title.trendStart = 2 + title.columns(look)
      title.trendWidth = form.trendWidth
      title.left.append(TitlePiece(String(repeating: " ", count: form.trendWidth), gap: 1))
    }
    title.left += chips(form, look) + warnings(form, look)
    guard form.hasBatch, let batch = service.totals.batch else { return title }
    title.percent = BatchText.progress(batch)
    title.barWidth = form.barWidth
    let time = form.hasTime ? BatchText.time(batch, clock, now: now.wall) : nil
    title.right =
      form.barWidth > 0
      ? time ?? "" : [title.percent, time].compactMap(\.self).joined(separator: "  ")
    return title
  }

  /// The name of the fleet or of the machines; nil for the list of one machine.
  private var listName: String? {
    service.totals.machines.map { Strings.names($0) }
      ?? service.totals.fleet.map { Strings.fleetName($0) }
  }

  private func speedPiece(_ form: TitleForm, columns: Int, _ look: Look) -> TitlePiece {
    let isMoving = service.link.isConnected && service.totals.bytesPerSecond > 0
    return TitlePiece(
      state(columns: columns, look), gap: form.hasName ? 3 : 1, role: isMoving ? .heat2 : .heading)
  }

  /// The limit of all transfers together, and until when it applies; nil without one.
  private var limitText: String? {
    guard service.link.isConnected, !service.hasTotals || service.totals.underWayCount > 0,
      let limit = service.totals.limitBytesPerSecond
    else { return nil }
    let until = service.totals.limitUntil.map { " until " + clock.long($0, now: now.wall) } ?? ""
    return "of " + ByteText.limit(limit) + until
  }

  /// Returns the speed, or the state of the connection while there is none.
  private func state(columns: Int, _ look: Look) -> String {
    switch service.link {
    case .connecting: return Strings.connecting
    case .lost(let since):
      let full = Strings.serviceLost(for: time(since: since))
      return full.count + 6 <= columns ? full : Strings.serviceLost
    case .silent(let since):
      let full = Strings.serviceSilent(for: time(since: since))
      return full.count + 6 <= columns ? full : Strings.serviceSilent
    case .stopped(let time):
      let text = Strings.serviceStopped(at: clock.short(time, now: now.wall))
      let full = startKey.map { text + "; " + Strings.starts($0) } ?? text
      return full.count + 6 <= columns ? full : text
    case .connected:
      if service.hasTotals, service.totals.underWayCount == 0 {
        return service.totals.isAllDone ? Strings.allDone : Strings.nothingUnderWay
      }
      // The number keeps its width, so that the text after it does not jitter.
      let speed = ByteText.speed(service.totals.bytesPerSecond)
      let blanks = String(repeating: " ", count: max(0, 10 - speed.utf8.count))
      return look.glyphs.arrowDown + " " + speed + blanks
    }
  }

  private func time(since: MonotonicTime) -> String {
    DurationText.clock(now.monotonic.milliseconds(since: since) / 1000)
  }

  /// Returns the counts of the states in display order; if not all fit, the most important ones.
  private func chips(_ form: TitleForm, _ look: Look) -> [TitlePiece] {
    let blank = form.isSpaced ? " " : ""
    let gap = form.isSpaced ? 2 : 1
    let present = Self.countsByNeed.filter { count($0) > 0 }
    let kept = Set(present.prefix(form.countsMax))
    var chips = Self.countOrder.filter(kept.contains).map { state in
      TitlePiece(
        look.glyphs.symbol(state) + blank + CountText.text(count(state)), gap: gap,
        role: Self.role(of: state), target: .state(state))
    }
    if needsCount > 0 {
      let words = form.isSpaced ? Strings.needYou(needsCount) : CountText.text(needsCount)
      let chip = TitlePiece(
        look.glyphs.flag + blank + words, gap: gap, role: .attentionChip,
        target: .action("needs-you"))
      let place = chips.firstIndex {
        $0.target == .state(.completed) || $0.target == .state(.failed)
      }
      chips.insert(chip, at: place ?? chips.endIndex)
    }
    if let first = chips.indices.first { chips[first].gap = form.isSpaced ? 4 : 2 }
    return chips
  }

  /// Returns what went wrong beside the transfers.
  private func warnings(_ form: TitleForm, _ look: Look) -> [TitlePiece] {
    let gap = form.isSpaced ? 2 : 1
    var pieces: [TitlePiece] = []
    if let since = service.totals.fleet?.silentSince {
      let text = Strings.fleetIsSilent(since: clock.short(since, now: now.wall))
      pieces.append(TitlePiece(text, gap: gap, role: .problem))
    }
    if let missing = service.totals.machines?.missing, let since = missing.map(\.since).min() {
      let text = Strings.areMissing(missing, since: clock.short(since, now: now.wall))
      pieces.append(TitlePiece(text, gap: gap, role: .problem))
    }
    if let hooks = service.totals.failedHookCount, hooks > 0 {
      pieces.append(TitlePiece(Strings.hooksFailed(hooks), gap: gap, role: .attention))
    }
    if let disk = BatchText.shortage(service.totals) {
      pieces.append(TitlePiece(disk, gap: gap, role: .problem))
    }
    return pieces
  }

  /// What waits for the user has a chip of its own.
  private func count(_ state: TransferState) -> Int {
    let count = service.totals.count(state)
    return state == .waiting ? max(0, max(0, count) - needsCount) : count
  }

  private static func role(of state: TransferState) -> Role {
    switch state {
    case .running, .verifying: .heat2
    case .waiting, .scheduled, .paused: .waiting
    case .queued, .idle: .quiet
    case .completed: .good
    case .failed: .problem
    }
  }

  private static let countOrder: [TransferState] = [
    .running, .verifying, .waiting, .queued, .scheduled, .paused, .idle, .completed, .failed,
  ]
  private static let countsByNeed: [TransferState] = [
    .failed, .running, .waiting, .queued, .completed, .paused, .verifying, .scheduled, .idle,
  ]
}

/// The two pictures of the kettle while bytes arrive.
enum Steam: Hashable, Sendable {
  case warm, hot

  private static let stepMilliseconds: Int64 = 500

  init(at now: MonotonicTime) {
    self = (now.milliseconds / Self.stepMilliseconds).isMultiple(of: 2) ? .warm : .hot
  }

  /// The time until the other picture.
  static func milliseconds(from now: MonotonicTime) -> Int64 {
    stepMilliseconds - now.milliseconds % stepMilliseconds
  }
}

/// A bar of one line in the colors of heat, from the cool end to the hot one.
private struct HeatBar {
  let fraction: Double

  func draw(on canvas: inout Canvas, row: Int, column: Int, width: Int) {
    let (glyphs, look) = (canvas.look.glyphs, canvas.look)
    let part = min(max(fraction, 0), 1) * Double(width)
    // The first byte is visible, and the bar never looks full before the last one.
    let filled = fraction >= 1 ? width : min(width - 1, max(Int(part), fraction > 0 ? 1 : 0))
    for offset in 0..<width {
      let share = Double(offset) / Double(max(1, width - 1))
      canvas.plot(
        offset < filled ? glyphs.barDone : glyphs.barRest, row: row, column: column + offset,
        offset < filled ? look.heat(share / 2) : look.style(.track))
    }
  }
}

/// A piece of the title bar, and the blanks before it.
private struct TitlePiece {
  var text: String
  var gap: Int
  var role: Role
  /// What a click on it does.
  var target: ClickTarget?

  init(_ text: String, gap: Int, role: Role = .plain, target: ClickTarget? = nil) {
    self.text = text
    self.gap = gap
    self.role = role
    self.target = target
  }
}

private struct Title {
  var left: [TitlePiece] = []
  /// On the right: the percentage before the bar, and the text after it.
  var percent = ""
  var barWidth = 0
  var right = ""
  var trendStart = 0
  var trendWidth = 0

  func columns(_ look: Look) -> Int {
    let pieces = left.reduce(0) { $0 + $1.gap + BatchText.width($1.text, look) }
    let bar = barWidth > 0 ? barWidth + 2 + BatchText.width(percent, look) : 0
    return pieces + (bar + right.utf8.count > 0 ? 2 : 0) + bar + BatchText.width(right, look)
  }
}

/// The amount of detail in the title bar.
private struct TitleForm {
  var hasName = true
  /// Whether there are blanks and words in the chips.
  var isSpaced = true
  var hasLimit = true
  var hasBatch = true
  var hasTime = true
  var barWidth = 14
  var trendWidth = 0
  var countsMax = TransferState.allCases.count

  /// From the fullest form to the barest.
  static func all(columns: Int, isNamed: Bool) -> [TitleForm] {
    var form = TitleForm()
    if columns < 100 {
      form = TitleForm(hasName: isNamed, isSpaced: false, barWidth: 10, trendWidth: 12)
    }
    var all = [form]
    func reduce(_ change: (inout TitleForm) -> Void) {
      change(&form)
      all.append(form)
    }
    reduce { $0.barWidth = 8 }
    reduce { $0.trendWidth = 0 }
    reduce { $0.isSpaced = false }
    reduce { $0.barWidth = 0 }
    reduce { $0.hasName = false }
    reduce { $0.hasTime = false }
    reduce { $0.hasLimit = false }
    reduce { $0.hasBatch = false }
    for count in (0..<TransferState.allCases.count).reversed() { reduce { $0.countsMax = count } }
    return all
  }
}

extension Totals {
  /// Whether nothing is left to do.
  fileprivate var isAllDone: Bool {
    count(.completed) > 0 && transferCount == count(.completed)
  }
}
