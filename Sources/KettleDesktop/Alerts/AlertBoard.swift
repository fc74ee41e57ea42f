import KettleModel

/// Decides what a person is told on the desktop, and when: that everything which was under way is
/// finished, and that something failed or cannot go on without them.
///
/// Many things at once are one alert, and alerts in a row come with growing pauses. Tasks of
/// programs are not told, because their program is.
package struct AlertBoard: Sendable {
  package struct Settings: Hashable, Sendable {
    package var tellsFinished = true
    package var tellsFailures = true

    package init() {}
  }

  /// So that what comes together is told together.
  static let settlingMilliseconds: Int64 = 3000
  static let firstPauseMilliseconds: Int64 = 30_000
  static let longestPauseMilliseconds: Int64 = 30 * 60_000
  /// After so long without a alert the pauses are short again.
  static let calmMilliseconds: Int64 = 10 * 60_000

  private enum Stage {
    /// It goes on by itself.
    case underWay
    case completed
    case failed
    case needsUser
    /// Not started, not before a date, or put aside by the user.
    case aside
  }

  private let settings: Settings
  private var underWayCount = 0
  // Of the work that goes on until nothing is under way.
  private var completed = AlertTally()
  private var failed = AlertTally()
  private var needy = AlertTally()
  // Of those that were not told yet.
  private var untoldFailed = AlertTally()
  private var untoldNeedy = AlertTally()
  /// When the last transfer ended, unless another one was begun since.
  private var allDoneAt: MonotonicTime?
  private var troubledAt: MonotonicTime?
  private var lastTellingAt: MonotonicTime?
  private var pauseMilliseconds = firstPauseMilliseconds

  package init(_ settings: Settings = Settings()) { self.settings = settings }

  // MARK: Input

  /// Begins with the transfers that only the store has: of those in the line it is told when they
  /// come to their turn, and until then not everything is done. None of them is a task.
  package mutating func begin(_ dormant: DormantTally) {
    take(dormant.states.mapValues(\.count))
  }

  /// Takes that a transfer is another than before; nil is a transfer that is not on the list.
  ///
  /// - Parameter isWatched: Whether a person sees it on a screen of ours.
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

  /// Takes so many new transfers in each state, none of which waits for anything or is a task.
  package mutating func take(_ counts: [TransferState: Int]) {
    let count = counts.reduce(0) { Self.isUnderWay($1.key) ? $0 + $1.value : $0 }
    if count > 0 { begin(count) }
  }

  private mutating func begin(_ count: Int) {
    underWayCount += count
    allDoneAt = nil
  }

  /// Whoever makes a failed one go on knows of it.
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
    // Who puts a transfer aside knows what goes on.
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

  /// When `alert` is to be asked; nil when there is nothing to say.
  package var dueAt: MonotonicTime? {
    let times = [
      settings.tellsFinished ? allDoneAt : nil, settings.tellsFailures ? troubledAt : nil,
    ]
    guard let first = times.compactMap(\.self).min() else { return nil }
    let settled = first.advanced(byMilliseconds: Self.settlingMilliseconds)
    guard let lastTellingAt else { return settled }
    return max(settled, lastTellingAt.advanced(byMilliseconds: pauseMilliseconds))
  }

  /// What is to be said now; nil when it is not the time, or a person has seen it meanwhile.
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
      return AlertWords.finished(
        completed, failed: settings.tellsFailures ? failed : none,
        needy: settings.tellsFailures ? needy : none)
    }
    guard settings.tellsFailures, !untoldFailed.isEmpty || !untoldNeedy.isEmpty else { return nil }
    return AlertWords.trouble(failed: untoldFailed, needy: untoldNeedy)
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
