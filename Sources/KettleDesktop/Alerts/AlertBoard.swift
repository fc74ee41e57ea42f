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

  /// Adds new transfers, counted by state. None of them is waiting or is a task.
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

/// A desktop notification for a person who is not watching a Kettle screen: plain text, safe to
/// show.
package struct Alert: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case finished
    case trouble
  }

  package var kind: Kind
  /// One line, shown in bold by most desktops.
  package var summary: String
  package var body: String

  package init(kind: Kind, summary: String, body: String) {
    self.kind = kind
    self.summary = summary
    self.body = body
  }
}

/// The sentences of alerts.
enum AlertText {
  /// Everything that was under way has finished. `failed` and `blocked` are the exceptions.
  static func finished(
    _ completed: AlertTally, failed: AlertTally, blocked: AlertTally
  ) -> Alert {
    var parts = ["\(downloads(completed.count)) finished"]
    var lines: [String] = []
    if !failed.isEmpty {
      parts.append("\(number(failed.count)) failed")
      lines.append("Failed: \(failed.list)")
    }
    if !blocked.isEmpty {
      parts.append("\(number(blocked.count)) \(blocked.count == 1 ? "needs" : "need") you")
      lines.append(need(of: blocked))
    }
    if lines.isEmpty { lines = [completed.list] + (completed.subtitle.map { [$0] } ?? []) }
    let summary =
      parts.count == 1 && completed.count == 1
      ? "Download finished" : parts.joined(separator: ", ")
    return Alert(kind: .finished, summary: summary, body: lines.joined(separator: "\n"))
  }

  /// Some failed or cannot continue without the user; the rest continues.
  static func trouble(failed: AlertTally, blocked: AlertTally) -> Alert {
    var parts: [String] = []
    var lines: [String] = []
    if !failed.isEmpty {
      parts.append(failed.count == 1 ? "Download failed" : "\(downloads(failed.count)) failed")
      lines.append(failed.sentence ?? failed.list)
    }
    if !blocked.isEmpty {
      let verb = blocked.count == 1 ? "needs" : "need"
      let subject =
        blocked.count == 1 ? "A download" : downloads(blocked.count)
      parts.append("\(parts.isEmpty ? subject : number(blocked.count)) \(verb) you")
      lines.append(need(of: blocked))
    }
    return Alert(
      kind: .trouble, summary: parts.joined(separator: ", "), body: lines.joined(separator: "\n"))
  }

  private static func need(of blocked: AlertTally) -> String {
    blocked.sentence ?? "Waiting for a login or a new link: \(blocked.list)"
  }

  private static func downloads(_ count: Int) -> String {
    count == 1 ? "1 download" : "\(number(count)) downloads"
  }

  /// Formats a number with commas between thousands.
  static func number(_ count: Int) -> String {
    let digits = Array(String(count))
    return digits.indices.reduce(into: "") { text, index in
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digits[index])
    }
  }
}

/// Transfers with the same outcome: their count, and the names of the first few.
struct AlertTally: Hashable, Sendable {
  static let namedCountMax = 3
  /// Transfers beyond these are only counted, not known individually.
  static let knownCountMax = 10_000
  private static let nameCharacterCountMax = 80
  private static let sentenceCharacterCountMax = 400

  private struct Named: Hashable, Sendable {
    var id: TransferID
    var name: String
    var subtitle: String?
    var sentence: String?
  }

  private var named: [Named] = []
  private var known: Set<TransferID> = []
  private var unknownCount = 0

  var count: Int { known.count + unknownCount }
  var isEmpty: Bool { count == 0 }

  mutating func add(_ row: TransferSnapshot) {
    guard known.count < Self.knownCountMax else {
      unknownCount += 1
      return
    }
    guard known.insert(row.id).inserted, named.count < Self.namedCountMax else { return }
    named.append(
      Named(
        id: row.id, name: row.title.sanitizedForDisplay(limit: Self.nameCharacterCountMax),
        subtitle: row.shownSubtitle?.sanitizedForDisplay(limit: Self.nameCharacterCountMax),
        sentence: row.problemSentence?.sanitizedForDisplay(
          limit: Self.sentenceCharacterCountMax)))
  }

  /// Removes a transfer that is under way again.
  mutating func remove(_ id: TransferID) {
    guard known.remove(id) != nil else { return }
    named.removeAll { $0.id == id }
  }

  /// What went wrong, if there is exactly one transfer.
  var sentence: String? { count == 1 ? named.first?.sentence : nil }

  /// The subtitle, if there is exactly one transfer.
  var subtitle: String? { count == 1 ? named.first?.subtitle : nil }

  /// `a.iso, b.iso, c.iso and 2 more`
  var list: String {
    guard !named.isEmpty else { return "" }
    let names = named.map(\.name).joined(separator: ", ")
    return count > named.count
      ? "\(names) and \(AlertText.number(count - named.count)) more" : names
  }
}
