import KettleModel

/// Decides when to notify the person on the desktop, and of what: that everything under way has
/// finished, and that something failed or cannot continue without them.
///
/// Simultaneous events share one alert, and consecutive alerts are spaced by growing pauses. Tasks
/// of programs produce no alert, because their program is notified, except those that the program
/// presents to people with a title.
package struct AlertBoard: Sendable {
  package struct Settings: Hashable, Sendable {
    package var reportsFinished = true
    package var reportsFailures = true

    package init() {}
  }

  /// Gathers events that arrive together into one alert.
  static let settlingMilliseconds: Int64 = 3000
  static let firstPauseMilliseconds: Int64 = 30_000
  static let longestPauseMilliseconds: Int64 = 30 * 60_000
  /// After this long without an alert the pauses are short again.
  static let calmMilliseconds: Int64 = 10 * 60_000

  private let settings: Settings
  private var underWayCount = 0
  // Totals of the current work, which ends when nothing is under way.
  private var completed = AlertTally()
  private var failed = AlertTally()
  private var blocked = AlertTally()
  // Not yet reported.
  private var unreportedFailed = AlertTally()
  private var unreportedBlocked = AlertTally()
  /// When the last transfer ended; nil once another one has begun.
  private var allDoneAt: MonotonicTime?
  private var troubledAt: MonotonicTime?
  private var lastAlertAt: MonotonicTime?
  private var pauseMilliseconds = firstPauseMilliseconds

  package init(_ settings: Settings = Settings()) { self.settings = settings }

  // MARK: Input

  /// Counts the transfers that exist only in the store. Queued ones are reported when their turn
  /// comes, and until then not everything is done. None of them is a task.
  package mutating func begin(_ dormant: EvictedTally) {
    record(dormant.states.mapValues(\.count))
  }

  /// Whether `record` depends on a person watching: the transfer ends, or begins to need the user.
  package static func dependsOnWatcher(
    from before: TransferSnapshot?, to after: TransferSnapshot?
  ) -> Bool {
    guard before.flatMap(stage) == .underWay else { return false }
    return switch after.flatMap(stage) {
    case .completed, .failed, .needsUser: true
    case .underWay, .inactive, nil: false
    }
  }

  /// Records a change of a transfer; nil stands for a transfer that is not on the list.
  ///
  /// - Parameter isWatched: Whether a person sees it on one of our screens.
  package mutating func record(
    from before: TransferSnapshot?, to after: TransferSnapshot?, isWatched: Bool,
    at now: MonotonicTime
  ) {
    let old = before.flatMap(Self.stage)
    let new = after.flatMap(Self.stage)
    guard old != new else { return }
    if let before, old == .failed || old == .needsUser { forget(before.id) }
    if new == .underWay { addUnderWay(1) }
    guard old == .underWay else { return }
    underWayCount -= 1
    if let after, let new { recordEnd(of: after, as: new, isWatched: isWatched, at: now) }
  }

  /// Adds this many new transfers in each state, none of which waits for anything or is a task.
  package mutating func record(_ counts: [TransferState: Int]) {
    let count = counts.reduce(0) { WorkStage($1.key, nil) == .underWay ? $0 + $1.value : $0 }
    if count > 0 { addUnderWay(count) }
  }

  private mutating func addUnderWay(_ count: Int) {
    underWayCount += count
    allDoneAt = nil
  }

  /// The user who restarts a failed transfer knows about it.
  private mutating func forget(_ id: TransferID) {
    failed.remove(id)
    blocked.remove(id)
    unreportedFailed.remove(id)
    unreportedBlocked.remove(id)
    if unreportedFailed.isEmpty, unreportedBlocked.isEmpty { troubledAt = nil }
  }

  private mutating func recordEnd(
    of row: TransferSnapshot, as stage: WorkStage, isWatched: Bool, at now: MonotonicTime
  ) {
    switch stage {
    // The user who puts a transfer aside knows about it.
    case .underWay, .inactive: return
    case .completed: completed.add(row)
    case .failed:
      failed.add(row)
      if !isWatched { unreportedFailed.add(row) }
    case .needsUser:
      blocked.add(row)
      if !isWatched { unreportedBlocked.add(row) }
    }
    if troubledAt == nil, !unreportedFailed.isEmpty || !unreportedBlocked.isEmpty {
      troubledAt = now
    }
    guard underWayCount == 0 else { return }
    if isWatched { forgetAll() } else { allDoneAt = now }
  }

  private static func stage(_ row: TransferSnapshot) -> WorkStage? {
    row.task == nil || row.subtitle != nil ? WorkStage(row.state, row.reason) : nil
  }

  // MARK: Output

  /// When to call `alert`; nil when there is nothing to report.
  package var dueAt: MonotonicTime? {
    let times = [
      settings.reportsFinished ? allDoneAt : nil, settings.reportsFailures ? troubledAt : nil,
    ]
    guard let first = times.compactMap(\.self).min() else { return nil }
    let settled = first.advanced(byMilliseconds: Self.settlingMilliseconds)
    guard let lastAlertAt else { return settled }
    return max(settled, lastAlertAt.advanced(byMilliseconds: pauseMilliseconds))
  }

  /// Returns the alert that is due now, or nil when it is not time yet or a person has seen the
  /// changes meanwhile.
  package mutating func alert(at now: MonotonicTime, isWatched: Bool) -> Alert? {
    guard let dueAt, now >= dueAt else { return nil }
    let isAllDone = allDoneAt != nil
    let alert = isWatched ? nil : makeAlert(isAllDone: isAllDone)
    if isAllDone { forgetAll() } else { forgetTrouble() }
    if alert != nil { recordAlert(at: now) }
    return alert
  }

  private func makeAlert(isAllDone: Bool) -> Alert? {
    let none = AlertTally()
    if isAllDone, settings.reportsFinished, !completed.isEmpty {
      return AlertText.finished(
        completed, failed: settings.reportsFailures ? failed : none,
        blocked: settings.reportsFailures ? blocked : none)
    }
    guard settings.reportsFailures, !unreportedFailed.isEmpty || !unreportedBlocked.isEmpty else {
      return nil
    }
    return AlertText.trouble(failed: unreportedFailed, blocked: unreportedBlocked)
  }

  private mutating func forgetTrouble() {
    (unreportedFailed, unreportedBlocked, troubledAt) = (AlertTally(), AlertTally(), nil)
  }

  private mutating func forgetAll() {
    forgetTrouble()
    (completed, failed, blocked, allDoneAt) = (AlertTally(), AlertTally(), AlertTally(), nil)
  }

  private mutating func recordAlert(at now: MonotonicTime) {
    let isCalm =
      lastAlertAt.map { now.milliseconds(since: $0) >= Self.calmMilliseconds + pauseMilliseconds }
      ?? true
    pauseMilliseconds =
      isCalm
      ? Self.firstPauseMilliseconds : min(pauseMilliseconds * 2, Self.longestPauseMilliseconds)
    lastAlertAt = now
  }
}
