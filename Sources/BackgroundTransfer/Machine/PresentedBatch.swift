import KettleModel

/// The tasks that a program presents to people, taken together: those under way, and those that
/// have completed since none was.
struct PresentedBatch: Sendable {
  struct Key: Hashable, Sendable {
    let session: String
    let number: Int64
  }

  private struct Share: Sendable {
    var byteCount: Int64 = 0
    /// nil when the total is unknown.
    var byteCountMax: Int64?
    var isUnderWay = true
  }

  private var shares: [Key: Share] = [:]
  private var progress = BatchProgress.none

  /// nil when no task is under way.
  var gauge: BatchGauge? { shares.isEmpty ? nil : BatchGauge(progress) }

  /// Records what the program sees of a task.
  ///
  /// - Parameter totalByteCount: nil when it is unknown.
  mutating func record(
    _ view: TaskView, of key: Key, completedByteCount: Int64, totalByteCount: Int64?
  ) {
    var share = Share(byteCount: completedByteCount, byteCountMax: totalByteCount)
    switch view.state {
    case .running: set(share, of: key)
    case .suspended: set(nil, of: key)
    case .canceling, .completed:
      share.isUnderWay = false
      share.byteCountMax = completedByteCount
      // What failed or was cancelled no longer counts.
      set(view.state == .completed && view.failure == nil ? share : nil, of: key)
    }
  }

  private mutating func set(_ share: Share?, of key: Key) {
    if let old = shares[key] { count(old, by: -1) }
    if let share { count(share, by: 1) }
    shares[key] = share
    guard progress.transferCount == progress.finishedCount else { return }
    shares = [:]
    progress = .none
  }

  /// The numbers come from a service. The sums wrap instead of trapping, so that what was added can
  /// be subtracted again.
  private mutating func count(_ share: Share, by sign: Int64) {
    progress.transferCount += Int(sign)
    if !share.isUnderWay { progress.finishedCount += Int(sign) }
    guard let byteCountMax = share.byteCountMax else { return }
    progress.bytesReceived &+= sign &* share.byteCount
    progress.bytesExpected &+= sign &* byteCountMax
  }
}

extension BatchProgress {
  fileprivate static let none = BatchProgress(
    transferCount: 0, finishedCount: 0, bytesReceived: 0, bytesExpected: 0, unknownSizeCount: 0,
    secondsLeft: nil)
}
