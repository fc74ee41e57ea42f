import KettleModel

/// Decides when to notify the person on the desktop, and of what: that everything under way has
/// finished, and that something failed or cannot continue without them.
///
/// Simultaneous events share one alert, and consecutive alerts are spaced by growing pauses. Tasks
/// of programs produce no alert, because their program is notified.
package struct AlertBoard: Sendable {
  package struct Settings: Hashable, Sendable {
    package var tellsFinished = true
    package var tellsFailures = true

    package init() {}
  }

  /// Gathers events that arrive together into one alert.
  static let settlingMilliseconds: Int64 = 3000
  static let firstPauseMilliseconds: Int64 = 30_000
  static let longestPauseMilliseconds: Int64 = 30 * 60_000
  /// After this long without an alert the pauses are short again.
  static let calmMilliseconds: Int64 = 10 * 60_000

  private enum Stage {
    /// It continues by itself.
    case underWay
    case completed
    case failed
    case needsUser
    /// Not started, not before a date, or stopped or paused by the user.
    case aside
  }

  private let settings: Settings
  private var underWayCount = 0
  // Totals of the current work, which ends when nothing is under way.
  private var completed = AlertTally()
  private var failed = AlertTally()
  private var needy = AlertTally()
  // Not yet reported.
  private var untoldFailed = AlertTally()
  private var untoldNeedy = AlertTally()
  /// When the last transfer ended; nil once another one has begun.
  private var allDoneAt: MonotonicTime?
  private var troubledAt: MonotonicTime?
  private var lastTellingAt: MonotonicTime?
  private var pauseMilliseconds = firstPauseMilliseconds

  package init(_ settings: Settings = Settings()) { self.settings = settings }

  // MARK: Input

  /// Counts the transfers that exist only in the store. Queued ones are reported when their turn
  /// comes, and until then not everything is done. None of them is a task.
  package mutating func begin(_ dormant: EvictedTally) {
    take(dormant.states.mapValues(\.count))
  }

  /// Records a change of a transfer; nil stands for a transfer that is not on the list.
  ///
  /// - Parameter isWatched: Whether a person sees it on one of our screens.
  package mutating func take(
    _ before: TransferSnapshot?, _ after: TransferSnapshot?, isWatched: Bool,
    at now: MonotonicTime
  ) {
    let old = before.flatMap(Self.stage)
    let new = after.flatMap(Self.stage)
    guard old != new else { return }
    if let before, old == .failed || old == .needsUser { forget(before.id) }
    if new == .underWay { begin(1) }
    guard old == .underWay else { return }
    underWayCount -= 1
    if let after, let new { end(after, new, isWatched, now) }
  }

  /// Adds this many new transfers in each state, none of which waits for anything or is a task.
  package mutating func take(_ counts: [TransferState: Int]) {
    let count = counts.reduce(0) { Self.isUnderWay($1.key) ? $0 + $1.value : $0 }
    if count > 0 { begin(count) }
  }

  private mutating func begin(_ count: Int) {
    underWayCount += count
    allDoneAt = nil
  }

  /// The user who restarts a failed transfer knows about it.
  private mutating func forget(_ id: TransferID) {
    failed.remove(id)
    needy.remove(id)
    untoldFailed.remove(id)
    untoldNeedy.remove(id)
    if untoldFailed.isEmpty, untoldNeedy.isEmpty { troubledAt = nil }
  }

  private mutating func end(
    _ row: TransferSnapshot, _ stage: Stage, _ isWatched: Bool, _ now: MonotonicTime
  ) {
    switch stage {
    // The user who puts a transfer aside knows about it.
    case .underWay, .aside: return
    case .completed: completed.add(row)
    case .failed:
      failed.add(row)
      if !isWatched { untoldFailed.add(row) }
    case .needsUser:
      needy.add(row)
      if !isWatched { untoldNeedy.add(row) }
    }
    if troubledAt == nil, !untoldFailed.isEmpty || !untoldNeedy.isEmpty { troubledAt = now }
    guard underWayCount == 0 else { return }
    if isWatched { forgetAll() } else { allDoneAt = now }
  }

  private static func isUnderWay(_ state: TransferState) -> Bool {
    switch state {
    case .queued, .running, .waiting, .verifying: true
    case .idle, .scheduled, .paused, .completed, .failed: false
    }
  }

  private static func stage(_ row: TransferSnapshot) -> Stage? {
    guard row.task == nil else { return nil }
    switch row.state {
    case .queued, .running, .verifying: return .underWay
    case .waiting: return row.reason?.needsUser == true ? .needsUser : .underWay
    case .completed: return .completed
    case .failed: return .failed
    case .idle, .scheduled, .paused: return .aside
    }
  }

  // MARK: Output

  /// When to call `alert`; nil when there is nothing to report.
  package var dueAt: MonotonicTime? {
    let times = [
      settings.tellsFinished ? allDoneAt : nil, settings.tellsFailures ? troubledAt : nil,
    ]
    guard let first = times.compactMap(\.self).min() else { return nil }
    let settled = first.advanced(byMilliseconds: Self.settlingMilliseconds)
    guard let lastTellingAt else { return settled }
    return max(settled, lastTellingAt.advanced(byMilliseconds: pauseMilliseconds))
  }

  /// Returns the alert that is due now, or nil when it is not time yet or a person has seen the
  /// changes meanwhile.
  package mutating func alert(at now: MonotonicTime, isWatched: Bool) -> Alert? {
    guard let dueAt, now >= dueAt else { return nil }
    let isAllDone = allDoneAt != nil
    let alert = isWatched ? nil : words(isAllDone: isAllDone)
    if isAllDone { forgetAll() } else { forgetTrouble() }
    if alert != nil { noteTelling(now) }
    return alert
  }

  private func words(isAllDone: Bool) -> Alert? {
    let none = AlertTally()
    if isAllDone, settings.tellsFinished, !completed.isEmpty {
      return AlertText.finished(
        completed, failed: settings.tellsFailures ? failed : none,
        needy: settings.tellsFailures ? needy : none)
    }
    guard settings.tellsFailures, !untoldFailed.isEmpty || !untoldNeedy.isEmpty else { return nil }
    return AlertText.trouble(failed: untoldFailed, needy: untoldNeedy)
  }

  private mutating func forgetTrouble() {
    (untoldFailed, untoldNeedy, troubledAt) = (AlertTally(), AlertTally(), nil)
  }

  private mutating func forgetAll() {
    forgetTrouble()
    (completed, failed, needy, allDoneAt) = (AlertTally(), AlertTally(), AlertTally(), nil)
  }

  private mutating func noteTelling(_ now: MonotonicTime) {
    let isCalm =
      lastTellingAt.map { now.milliseconds(since: $0) >= Self.calmMilliseconds + pauseMilliseconds }
      ?? true
    pauseMilliseconds =
      isCalm
      ? Self.firstPauseMilliseconds : min(pauseMilliseconds * 2, Self.longestPauseMilliseconds)
    lastTellingAt = now
  }
}
