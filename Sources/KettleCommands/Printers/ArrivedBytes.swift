import KettleDashboard
import KettleModel

/// The bytes that arrived while a command watched, and the time that they took.
struct ArrivedBytes: Hashable {
  let byteCount: Int64
  let milliseconds: Int64

  /// nil when nothing arrived.
  init?(byteCount: Int64, milliseconds: Int64) {
    guard byteCount > 0, milliseconds > 0 else { return nil }
    self.byteCount = byteCount
    self.milliseconds = milliseconds
  }

  /// For example ` in 1:31, 1.1 MiB/s on average`, after the size of everything. Where a tenth or
  /// more had been there before, the words say how much arrived.
  func words(of totalByteCount: Int64) -> String {
    let isPart = totalByteCount - byteCount > totalByteCount / 10
    let part = isPart ? ", the last \(ByteText.size(byteCount))" : ""
    let speed = Int64(min(Double(byteCount) * 1000 / Double(milliseconds), 9e18))
    return part + " in \(DurationText.spent(milliseconds: milliseconds)), "
      + "\(ByteText.speed(speed)) on average"
  }
}

/// What one transfer did while a command watched it.
enum WatchedArrival: Hashable {
  /// It has not been seen running.
  case pending
  /// It was first seen running at this time, with so many bytes.
  case running(since: MonotonicTime, from: Int64)

  mutating func note(_ row: TransferSnapshot, at now: MonotonicTime) {
    switch self {
    case .pending:
      guard row.state == .running else { return }
      self = .running(since: now, from: max(0, row.bytesReceived))
    case .running(let since, let bytes):
      // It began again from zero.
      self = .running(since: since, from: min(bytes, max(0, row.bytesReceived)))
    }
  }

  func bytes(of row: TransferSnapshot, at now: MonotonicTime) -> ArrivedBytes? {
    switch self {
    case .pending: nil
    case .running(let since, let bytes):
      ArrivedBytes(
        byteCount: max(0, row.bytesReceived) - bytes, milliseconds: now.milliseconds(since: since))
    }
  }
}

/// What several transfers did together while a command watched them.
struct WatchedTotal: Hashable {
  private var startedAt: MonotonicTime?
  /// The bytes that each had when it was first seen.
  private var before: [TransferID: Int64] = [:]
  /// The bytes of those that are done.
  private var done: [TransferID: Int64] = [:]

  mutating func note(_ row: TransferSnapshot, at now: MonotonicTime) {
    let bytes = max(0, row.bytesReceived)
    before[row.id] = min(before[row.id] ?? bytes, bytes)
    if row.state == .completed {
      done[row.id] = bytes
    } else if startedAt == nil {
      startedAt = now
    }
  }

  /// The last line about so many transfers, of which all have ended.
  func sentence(of count: Int, at now: MonotonicTime) -> String {
    let all = done.values.reduce(Int64(0)) { $0.addingReportingOverflow($1).partialValue }
    let old = done.keys.reduce(Int64(0)) {
      $0.addingReportingOverflow(before[$1] ?? 0).partialValue
    }
    let arrived = startedAt.flatMap {
      ArrivedBytes(byteCount: all &- old, milliseconds: now.milliseconds(since: $0))
    }
    return Sentences.got(
      count, failedCount: count - done.count, byteCount: all, arrived: arrived)
  }
}
