import KettleModel

extension DashboardModel {
  /// Applies a message and returns the effects to perform.
  package mutating func update(_ message: DashboardMessage, at now: Moment) -> [DashboardEffect] {
    if let notice, notice.until <= now.monotonic { self.notice = nil }
    let before = layout
    let effects = apply(message, at: now)
    // The list has gained or lost a line.
    return layout.bodyHeight == before.bodyHeight ? effects : effects + scrollToCursor()
  }

  private mutating func apply(_ message: DashboardMessage, at now: Moment) -> [DashboardEffect] {
    switch message {
    case .keyPressed(let key):
      return keyPressed(key, at: now)
    case .mouse(let event): return receive(event, at: now)
    case .pasteRefused(let countMax):
      showNotice(Strings.pasteRefused(countMax), .problem, at: now)
      return []
    case .resized(let newSize):
      size = newSize
      clampScroll(at: now)
      return scrollToCursor()
    case .rowsArrived(let window, let totals):
      return attention(to: totals) + receive(window, totals, at: now)
    case .found(let search, let found):
      return receive(search, found, at: now)
    case .detailsArrived(let details):
      receive(details)
      clampScroll(at: now)
      return []
    case .duplicatesFound(let found):
      receiveDuplicates(found)
      return []
    case .directoriesKnown(let known):
      directories = known
      return []
    case .linkChanged(let report):
      return linkChanged(report, at: now)
    case .serviceReported(let notices):
      serviceNotices = notices
      if !notices.isEmpty { showProblems(at: now) }
      return []
    case .commandFinished(let outcome):
      commandFinished(outcome, at: now)
      return []
    case .utcOffsetChanged(let seconds):
      utcOffsetSeconds = min(max(seconds, -86_400), 86_400)
      return []
    case .ticked:
      speeds.record(totals.bytesPerSecond, at: now.monotonic)
      return reloadDetailsIfOld(at: now) + searchDuplicatesIfDue(at: now)
    }
  }

  private mutating func linkChanged(_ report: LinkReport, at now: Moment) -> [DashboardEffect] {
    switch report {
    case .connecting:
      if !link.isConnected, window != nil { return [] }
      link = .connecting
      return []
    case .connected:
      if case .lost = link { showNotice(Strings.serviceIsBack, at: now) }
      if link == .connecting { showProblems(at: now) }
      link = .connected
      // The service does not remember requests from an earlier connection.
      subscription = nil
      search.pending = nil
      return subscribeIfMoved() + reloadDetails(at: now)
    case .lost:
      if case .lost = link { return [] }
      link = .lost(since: now.monotonic)
      totals.bytesPerSecond = 0
      return []
    }
  }

  /// Shows the reports of the service and then the configuration problems. The message stays until
  /// a key is pressed, because the user may not look at once.
  private mutating func showProblems(at now: Moment) {
    let text = Strings.problems(
      serviceNotices + settings.problems, helpKey: keymap.key(.help)?.name,
      width: size.columns - 2)
    guard let text else { return }
    let until = now.monotonic.advanced(byMilliseconds: 3_600_000)
    notice = Notice(text: text, kind: .problem, until: until)
  }

  private mutating func commandFinished(_ outcome: CommandOutcome, at now: Moment) {
    switch outcome {
    case .controlled(let verb, let appliedCount, let refused):
      forgetMarks(of: refused)
      if let text = Strings.controlled(verb, appliedCount: appliedCount, refused: refused) {
        showNotice(text, refused.isEmpty ? .plain : .problem, at: now)
      }
    case .added(let count):
      additionSucceeded()
      showNotice(Strings.added(count), at: now)
    case .addFailed(let sentence):
      additionFailed(at: now)
      showNotice(sentence, .problem, at: now)
    case .relinked(let refused):
      showNotice(Strings.relinked(refused), refused.isEmpty ? .plain : .problem, at: now)
    case .limited(let bytesPerSecond, let refused):
      showNotice(
        Strings.limited(bytesPerSecond, refused), refused.isEmpty ? .plain : .problem, at: now)
    case .removed(let count): showNotice(Strings.removed(count), at: now)
    case .moved: break
    case .prioritized(let priority, let appliedCount):
      showNotice(Strings.prioritized(priority, appliedCount), at: now)
    case .cleared(let count): showNotice(Strings.cleared(count), at: now)
    case .reset(let deletedCount, let keptPaths):
      if keptPaths.isEmpty {
        showNotice(Strings.resetDone(deletedCount: deletedCount), at: now)
      } else {
        let report = ResetReport(deletedCount: deletedCount, keptPaths: keptPaths, scroll: 0)
        screens.append(.resetReport(report))
      }
    case .detailsFailed(let id, let sentence):
      changeDetails(of: id) { $0.content = .unavailable(sentence: sentence) }
    case .failed(let sentence): showNotice(sentence, .problem, at: now)
    }
  }

  /// Shows a sentence for a time that is long enough to read it; a failure stays longer.
  mutating func showNotice(_ text: String, _ kind: Notice.Kind = .plain, at now: Moment) {
    let milliseconds: Int64 =
      switch kind {
      case .plain: 5000
      case .problem: 10_000
      }
    notice = Notice(
      text: text, kind: kind, until: now.monotonic.advanced(byMilliseconds: milliseconds))
  }
}
