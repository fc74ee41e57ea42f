import KettleScheduler
import KettleModel

/// What is known of a transfer beyond its record, while the service runs.
struct LiveTransfer: Sendable {
  var speed = SpeedEstimator()
  var recentSpeeds = SpeedHistory()
  /// Bytes at the last progress event.
  var toldByteCount: Int64 = 0
  /// Of the body of the request that is under way.
  var sentByteCount: Int64?
  var lastHead: ResponseHead?
  var currentURL: TransferURL?
  /// Where the redirects of the last run led.
  private(set) var redirects: [TransferURL] = []
  private(set) var history: [HistoryItem] = []
  private var notedStanding: Standing?

  static let historyCountMax = 100

  /// - Parameter time: when it was added; nil when nobody knows.
  init(addedAt time: WallTime?) { if let time { note("Added", at: time) } }

  /// Whether anybody has ever answered it.
  var hasRun: Bool { lastHead != nil }

  /// What a line of the history tells; while it is the same there is nothing to tell.
  private struct Standing: Sendable, Hashable {
    var state: TransferState
    var reason: WaitingReason?
    var goesOnAt: WallTime?
    var failure: TransferFailure?
    var freshStart: FreshStartReason?
  }

  mutating func note(_ text: String, at time: WallTime) {
    if history.last?.text == text { return }
    history.append(HistoryItem(at: time, text: text))
    if history.count > Self.historyCountMax { history.removeFirst() }
  }

  mutating func note(_ record: TransferRecord, at time: WallTime) {
    let standing = Standing(
      state: record.state, reason: record.reason, goesOnAt: record.goesOnAt,
      failure: record.failure, freshStart: record.freshStart)
    guard standing != notedStanding else { return }
    notedStanding = standing
    note(HistoryText.of(record, at: time), at: time)
    switch record.state {
    // A list of a million must not keep five minutes of each that is over.
    case .idle, .completed, .failed: recentSpeeds = SpeedHistory()
    case .scheduled, .queued, .running, .waiting, .paused, .verifying: break
    }
  }

  /// The first attempt of a run begins; a redirect counts to the run that it belongs to.
  mutating func opens(_ url: TransferURL, redirectCount: Int, at time: WallTime) {
    if redirectCount == 0 {
      redirects = []
    } else {
      redirects.append(url)
      note(HistoryText.redirected(to: url), at: time)
    }
  }
}
