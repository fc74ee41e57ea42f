import KettleModel

/// The second line of a screen that is tall enough: one bar for all transfers that are under way;
/// on the right the free disk space.
struct BatchLine {
  let row: Int
  let service: ServiceView
  let now: WallTime
  let clock: ClockText

  func draw(on canvas: inout Canvas) {
    let end = canvas.size.columns - 1
    let right = fittingRight(on: canvas)
    let rightWidth = right.isEmpty ? 0 : BatchText.width(right, canvas.look) + 3
    canvas.writeRight(right, row: row, column: 1, width: end - 1, .quiet)
    guard let batch = service.totals.batch else {
      if isCalm {
        canvas.write(Strings.nothingUnderWay, row: row, column: 1, width: end - 1, .quiet)
      }
      return
    }
    let room = end - 1 - rightWidth
    let texts = BatchText.full(batch, clock, now: now)
    // The last texts are the least important.
    let fitting = (0...texts.count).reversed().first { count in
      let words = texts.prefix(count).reduce(0) { $0 + 2 + BatchText.width($1, canvas.look) }
      return BatchText.barWidthMin + words <= room
    }
    let shown = texts.prefix(fitting ?? 0)
    let words = shown.reduce(0) { $0 + 2 + BatchText.width($1, canvas.look) }
    let barWidth = min(room - words, BatchText.barWidthMax)
    guard barWidth > 0 else { return }
    ProgressBar(fill: .part(BatchSummary(batch).fraction), role: .progress)
      .draw(on: &canvas, row: row, column: 1, width: barWidth)
    var column = 1 + barWidth
    for text in shown {
      column += 2
      column += canvas.write(text, row: row, column: column, width: end - column)
    }
  }

  private var isCalm: Bool {
    service.link.isConnected && service.hasTotals && service.totals.underWayCount == 0
  }

  /// Returns the text on the right; at most half of the line while transfers are under way.
  private func fittingRight(on canvas: Canvas) -> String {
    let room = (canvas.size.columns - 2) / 2
    let free = BatchText.free(service.totals) ?? ""
    return BatchText.width(free, canvas.look) <= room ? free : ""
  }
}

/// The text for all transfers that are under way.
enum BatchText {
  static let barWidthMin = 8
  static let barWidthMax = 60

  /// Returns the texts, the most important first.
  static func full(_ batch: BatchProgress, _ clock: ClockText, now: WallTime) -> [String] {
    let summary = BatchSummary(batch)
    var texts = [progress(batch, summary)]
    if let ready = ready(summary, clock, now: now) { texts.append(ready) }
    if let left = batch.secondsLeft { texts.append(Strings.timeLeft(left)) }
    switch summary.measure {
    case .bytes(let received, let expected):
      texts.append(Strings.batchCount(max(0, batch.finishedCount), of: max(0, batch.transferCount)))
      texts.append(ByteText.progress(received, of: expected))
    case .files: break
    }
    if batch.unknownSizeCount > 0 { texts.append(Strings.unknownSizes(batch.unknownSizeCount)) }
    return texts
  }

  static func brief(
    _ batch: BatchProgress, _ clock: ClockText, now: WallTime, hasTime: Bool
  ) -> String {
    let summary = BatchSummary(batch)
    guard hasTime else { return progress(batch, summary) }
    let time = ready(summary, clock, now: now) ?? batch.secondsLeft.map(Strings.timeLeft)
    return [progress(batch, summary), time].compactMap(\.self).joined(separator: "  ")
  }

  private static func ready(
    _ summary: BatchSummary, _ clock: ClockText, now: WallTime
  ) -> String? {
    summary.finish.map { finish in
      Strings.allReady(
        by: Strings.guessed(clock.long(finish.at, now: now), isGuess: finish.isGuess),
        except: finish.exceptCount)
    }
  }

  /// The free disk space, or what will be left of it when all transfers are complete, if all sizes
  /// are known.
  static func free(_ totals: Totals) -> String? {
    guard let free = totals.freeBytes else { return nil }
    guard let batch = totals.batch, batch.unknownSizeCount <= 0,
      batch.bytesExpected > batch.bytesReceived
    else {
      return Strings.free(free)
    }
    // Counts from outside can be anything.
    let (missing, isTooMuch) = batch.bytesExpected.subtractingReportingOverflow(batch.bytesReceived)
    let (after, isTooLittle) = free.subtractingReportingOverflow(missing)
    return isTooMuch || isTooLittle ? nil : Strings.freeAfter(after)
  }

  /// The percentage of the bytes, or how many files are done.
  private static func progress(_ batch: BatchProgress, _ summary: BatchSummary) -> String {
    switch summary.measure {
    case .bytes: percent(batch, summary)
    case .files(let done, let count): Strings.batchCount(done, of: count)
    }
  }

  private static func percent(_ batch: BatchProgress, _ summary: BatchSummary) -> String {
    let text = PercentageText.text(
      Int64(summary.fraction * 10_000), of: 10_000,
      isWhole: batch.finishedCount >= batch.transferCount)
    // The text keeps its width as the number grows.
    return String(repeating: " ", count: max(0, 5 - text.utf8.count)) + text
  }

  static func width(_ text: String, _ look: Look) -> Int {
    ShownText(text, charset: look.charset, columnsMax: 2000).columns
  }
}

/// The line that explains the current view. It takes no room from the rows while it would be empty.
struct ViewLine {
  private struct Part {
    var text: String
    var role = Role.heading
    /// The action that a click on it performs.
    var action: String?
  }

  /// The most important part comes first: a narrow screen cuts off the end.
  private let parts: [Part]

  init(_ list: ListScreen, _ context: ScreenContext) {
    let (view, keymap) = (list.view, context.keymap)
    var parts: [Part] = []
    if list.isFrozen {
      parts.append(Part(text: keymap.filled(Strings.frozen), role: .problem, action: "freeze"))
    }
    if view.kind == .history {
      parts.append(Part(text: keymap.filled(Strings.historyShown), action: "history"))
    }
    if !view.marks.isEmpty {
      parts.append(Part(text: Strings.marked(list.markedCount), role: .key))
    }
    if view.isFiltered {
      parts.append(Part(text: Strings.filterShown(view.filterText, count: list.rowCount)))
    }
    if list.search.isOn {
      parts.append(Part(text: Strings.searchShown(list.search.text, list.hits)))
    }
    if let text = view.sortText(columns: context.size.columns) {
      parts.append(Part(text: text, role: .quiet))
    }
    if list.isFollowing { parts.append(Part(text: Strings.following, role: .quiet)) }
    if view.isFiltered || list.search.isOn || !view.marks.isEmpty {
      parts.append(Part(text: keymap.filled(Strings.clearHint), role: .quiet, action: "clear"))
    }
    self.parts = parts
  }

  var isEmpty: Bool { parts.isEmpty }

  func draw(on canvas: inout Canvas, row: Int) {
    var column = 1
    for part in parts {
      let room = canvas.size.columns - 1 - column
      guard room > 3, part.action == nil || part.text.count <= room else { break }
      let used = canvas.write(part.text, row: row, column: column, width: room, part.role)
      if let action = part.action {
        canvas.claim(row: row, columns: column..<(column + used), for: .action(action))
      }
      column += used + 3
    }
  }
}

/// The line about what happened before the dashboard was opened.
extension Strings {
  /// For example `since 18:04: 12 done (3.2 GiB), 2 failed, 1 login`, from the longest form to the
  /// shortest.
  static func news(_ news: TransferNews, since time: String) -> [String] {
    let byteCount = news.completedByteCount
    let size = byteCount > 0 ? " (" + ByteText.size(byteCount) + ")" : ""
    let done = counted(news.completedCount, one: "done")
    let failed = counted(news.failedCount, one: "failed")
    let needs = [
      counted(news.needsLoginCount, one: "login", more: "logins"),
      counted(news.needsLinkCount, one: "new link", more: "new links"),
      counted(news.needsDecisionCount, one: "decision", more: "decisions"),
    ]
    let forms = [
      [done.map { $0 + size }, failed] + needs, [done, failed] + needs,
      [done, failed, needsYou(news)],
    ]
    return forms.map { "since " + time + ": " + $0.compactMap(\.self).joined(separator: ", ") }
  }

  private static func needsYou(_ news: TransferNews) -> String? {
    // Counts from outside can be anything.
    let counts = [news.needsLoginCount, news.needsLinkCount, news.needsDecisionCount]
    let sum = counts.reduce(0) { $0 + min(max(0, $1), 1 << 40) }
    return counted(sum, one: "needs you", more: "need you")
  }

  /// Returns nil for none.
  private static func counted(_ count: Int, one: String, more: String? = nil) -> String? {
    guard count > 0 else { return nil }
    return CountText.text(count) + " " + (count == 1 ? one : more ?? one)
  }
}
