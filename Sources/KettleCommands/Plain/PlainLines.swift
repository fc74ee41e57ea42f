import KettleControl
import KettleModel

/// Decides which events are worth a line: every change, and of the progress so much that it can be
/// listened to.
struct PlainLines {
  /// Between two lines of one transfer that say how far it is.
  static let intervalMilliseconds: Int64 = 10_000
  /// A transfer that is slow says something now and then all the same.
  static let longIntervalMilliseconds: Int64 = 60_000
  static let percentStep: Int64 = 10

  private struct Told {
    var at: MonotonicTime
    var step: Int64
  }

  private let line: EventLine
  /// Of those that run.
  private var told: [TransferID: Told] = [:]

  init(clock: any CommandClock) { line = EventLine(clock: clock) }

  /// The line of an event; nil when it says too little.
  mutating func take(_ event: TransferEvent, at now: MonotonicTime) -> String? {
    switch event.kind {
    case .added, .stateChanged: note(event.snapshot, at: now)
    case .removed: told[event.id] = nil
    case .progress:
      guard isWorthTelling(event.snapshot, at: now) else { return nil }
      note(event.snapshot, at: now)
    }
    return line.text(of: event)
  }

  /// Takes that the transfer was shown.
  mutating func note(_ row: TransferSnapshot, at now: MonotonicTime) {
    told[row.id] = row.state == .running ? Told(at: now, step: Self.step(row)) : nil
  }

  private func isWorthTelling(_ row: TransferSnapshot, at now: MonotonicTime) -> Bool {
    guard row.state == .running else { return false }
    guard let last = told[row.id] else { return true }
    let passed = now.milliseconds(since: last.at)
    let isFurther = Self.step(row) > last.step
    return passed >= Self.longIntervalMilliseconds
      || (passed >= Self.intervalMilliseconds && isFurther)
  }

  private static func step(_ row: TransferSnapshot) -> Int64 {
    guard let all = row.bytesExpected, all > 0 else { return 0 }
    let part = Double(max(0, row.bytesReceived)) / Double(all)
    return Int64(min(part, 1) * 100) / percentStep
  }
}
