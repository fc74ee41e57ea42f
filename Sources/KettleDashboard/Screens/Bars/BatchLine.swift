import KettleModel

/// The text for all transfers that are under way.
enum BatchText {
  /// When all will be done, or how long that takes; nil if neither is known.
  static func time(_ batch: BatchProgress, _ clock: ClockText, now: WallTime) -> String? {
    ready(BatchSummary(batch), clock, now: now) ?? batch.secondsLeft.map(Strings.timeLeft)
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

  /// Less free space than this is worth a warning while something is downloaded.
  private static let lowDiskByteCount: Int64 = 1 << 29

  /// How much space is missing on the disk, or how little is left; nil if there is enough.
  static func shortage(_ totals: Totals) -> String? {
    guard totals.underWayCount > 0, let free = totals.freeBytes else { return nil }
    let missing = totals.batch.flatMap { batch -> Int64? in
      guard batch.unknownSizeCount <= 0 else { return nil }
      let (left, isTooMuch) = batch.bytesExpected.subtractingReportingOverflow(batch.bytesReceived)
      let (missing, isTooLarge) = left.subtractingReportingOverflow(free)
      return isTooMuch || isTooLarge ? nil : missing
    }
    if let missing, missing > 0 { return Strings.diskShort(missing) }
    return free < lowDiskByteCount ? Strings.diskLow(max(0, free)) : nil
  }

  /// The percentage of the bytes, or how many files are done.
  static func progress(_ batch: BatchProgress) -> String {
    let summary = BatchSummary(batch)
    return switch summary.measure {
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
    // The border of the box says it.
    if !ListLayout.isBoxed(context.size), let text = view.sortText(columns: context.size.columns) {
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
