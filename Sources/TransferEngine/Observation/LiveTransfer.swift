import TransferCore
import TransferModel

/// What is known of a transfer beyond its record, while the service runs.
struct LiveTransfer: Sendable {
  var speed = SpeedEstimator()
  /// Bytes at the last progress event.
  var toldByteCount: Int64 = 0
  /// Of the body of the request that is under way.
  var sentByteCount: Int64?
  var lastHead: ResponseHead?
  var currentURL: TransferURL?
  private(set) var history: [HistoryItem] = []

  static let historyCountMax = 100

  mutating func note(_ text: String, at time: WallTime) {
    if history.last?.text == text { return }
    history.append(HistoryItem(at: time, text: text))
    if history.count > Self.historyCountMax { history.removeFirst() }
  }
}

/// The words of the history.
enum HistoryText {
  static func of(_ record: TransferRecord) -> String {
    let isRetried = record.reason?.isRetry == true
    let because =
      record.failure.map { ": " + (isRetried ? $0.sentenceWhileRetrying : $0.sentence) } ?? ""
    return switch record.state {
    case .idle: "Stopped"
    case .scheduled: "Scheduled"
    case .queued: "Queued"
    case .running: record.freshStart.map { "Running, from zero: \(word($0))" } ?? "Running"
    case .waiting: "Waiting\(because)"
    case .paused: "Paused"
    case .verifying: "Verifying"
    case .completed: "Completed"
    case .failed: "Failed\(because)"
    }
  }

  private static func word(_ reason: FreshStartReason) -> String {
    switch reason {
    case .resourceChanged: "the server has another version now"
    case .rangeIgnored: "the server cannot send a part of the file"
    case .noValidator: "the server gives nothing to tell two versions apart"
    case .partialFileChanged: "the partial file was changed by another program"
    case .asked: "as asked"
    }
  }
}
