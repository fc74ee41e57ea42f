import KettleControl
import KettleModel

/// Decides which events produce a line: every change, and only as much progress as can be listened
/// to.
struct PlainLines {
  /// The minimum time between two progress lines of one transfer.
  static let intervalMilliseconds: Int64 = 10_000
  /// A slow transfer still reports at this interval.
  static let longIntervalMilliseconds: Int64 = 60_000
  static let percentStep: Int64 = 10

  private struct ShownProgress {
    var at: MonotonicTime
    var step: Int64
  }

  private let format: EventLine
  /// The running transfers.
  private var shown: [TransferID: ShownProgress] = [:]

  init(clock: any CommandClock) { format = EventLine(clock: clock) }

  /// Returns the line for an event, or nil when it is not worth one.
  mutating func line(for event: TransferEvent, at now: MonotonicTime) -> String? {
    switch event.kind {
    case .added, .stateChanged: recordShown(event.snapshot, at: now)
    case .removed: shown[event.id] = nil
    case .progress:
      guard isWorthShowing(event.snapshot, at: now) else { return nil }
      recordShown(event.snapshot, at: now)
    }
    return format.text(of: event)
  }

  /// Records that the transfer was shown.
  mutating func recordShown(_ row: TransferSnapshot, at now: MonotonicTime) {
    shown[row.id] = row.state == .running ? ShownProgress(at: now, step: Self.step(row)) : nil
  }

  private func isWorthShowing(_ row: TransferSnapshot, at now: MonotonicTime) -> Bool {
    guard row.state == .running else { return false }
    guard let last = shown[row.id] else { return true }
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
