import KettleModel
import KettleScheduler

/// The texts of the history.
enum HistoryText {
  static func of(_ record: TransferRecord, at now: WallTime) -> String {
    switch record.state {
    case .idle: "Stopped"
    case .scheduled: "Scheduled"
    case .queued: "Queued"
    case .running: record.freshStart.map { "Running, from zero: \(word($0))" } ?? "Running"
    case .waiting: waiting(record, at: now) + because(record)
    case .paused: "Paused"
    case .verifying: "Verifying"
    case .completed: "Completed"
    case .failed: "Failed" + because(record)
    }
  }

  /// The text for a control's change that no state shows; nil for other controls.
  static func of(_ control: TransferScheduler.Control) -> String? {
    switch control {
    case .limit(let limit?): "Speed limit: \(rate(limit))"
    case .limit(nil): "No speed limit"
    case .prioritize(let priority): "Priority: \(word(priority))"
    case .relink(let url, _): "Fresh link: \(url.text)"
    case .change: "Options changed"
    case .accept: "Accepted"
    case .remember: "Remembered for the host"
    case .takeOver(let difference):
      difference.isEmpty ? nil : "Asked again with \(difference.partWords)"
    case .start, .pause, .stop, .remove, .reset, .cancel: nil
    }
  }

  static func of(_ move: QueueMove) -> String {
    switch move {
    case .up: "Moved up"
    case .down: "Moved down"
    case .toTop: "Moved to the top"
    case .toBottom: "Moved to the bottom"
    }
  }

  static func queue(_ name: QueueName) -> String { "Queue: \(name.text)" }

  static func undone(_ kind: BinAction.Kind) -> String {
    switch kind {
    case .stop: "Undone: the stop"
    case .remove, .removeWithFile: "Undone: the removal"
    case .reset: "Undone: the reset"
    case .clear: "Undone: the clearing"
    }
  }

  static func redirected(to url: TransferURL) -> String { "Redirected to \(url.text)" }

  static func left(_ address: IPAddress) -> String {
    "\(address) accepted the connection and sent nothing: another address of the host is asked"
  }

  static func learnedLimit(connectionsMax: Int) -> String {
    connectionsMax == 1
      ? "The server takes no more than one connection"
      : "The server takes no more than \(connectionsMax) connections"
  }

  static func unpacked(_ coding: String) -> String { "Unpacked (\(coding))" }

  static func discarded(byteCount: Int64) -> String {
    "Discarded \(byteCount) bytes: a reply in chunks counts only when its last chunk has come"
  }

  // MARK: Parts

  private static func waiting(_ record: TransferRecord, at now: WallTime) -> String {
    let time = record.goesOnAt.map { " " + duration(from: now, to: $0) } ?? ""
    return switch record.reason {
    // The next retry is counted when it begins.
    case .retry: "Waiting\(time) before retry \(Int64(record.retryCount) + 1)"
    case .retryAfter: "Waiting\(time), as the server asks"
    case .network: "Waiting for the network"
    case .hostUnreachable: "Waiting\(time) for the host"
    case .proxy: "Waiting\(time) for the proxy"
    case .diskSpace: "Waiting\(time) for room on the disk"
    case .needsLink: "Waiting for a fresh link"
    case .needsLogin: "Waiting for a login"
    case .needsDecision: "Waiting for a decision"
    case .discretionary: "Waiting for its conditions"
    case nil: "Waiting"
    }
  }

  private static func because(_ record: TransferRecord) -> String {
    let isRetried = record.reason?.isRetry == true
    return record.failure.map { ": " + (isRetried ? $0.sentenceWhileRetrying : $0.sentence) } ?? ""
  }

  /// Rounded up, in one unit.
  static func duration(from start: WallTime, to end: WallTime) -> String {
    let (distance, overflow) = end.millisecondsSince1970.subtractingReportingOverflow(
      start.millisecondsSince1970)
    let seconds = overflow ? .max / 1000 : (max(distance, 0) / 1000 + (distance % 1000 > 0 ? 1 : 0))
    return switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7200: "\(seconds / 60 + (seconds % 60 > 0 ? 1 : 0)) min"
    default: "\(seconds / 3600 + (seconds % 3600 > 0 ? 1 : 0)) h"
    }
  }

  /// In the largest unit that it reaches, with one decimal, rounded down.
  static func rate(_ bytesPerSecond: Int64) -> String {
    let units: [(name: String, size: Int64)] = [
      ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10),
    ]
    guard let unit = units.first(where: { bytesPerSecond >= $0.size }) else {
      return "\(bytesPerSecond) B/s"
    }
    let tenths = (bytesPerSecond % unit.size) * 10 / unit.size
    return "\(bytesPerSecond / unit.size)" + (tenths > 0 ? ".\(tenths)" : "") + " \(unit.name)/s"
  }

  private static func word(_ priority: TransferPriority) -> String {
    switch priority {
    case .low: "low"
    case .normal: "normal"
    case .high: "high"
    default: "\(priority.value)"
    }
  }

  private static func word(_ reason: FreshStartReason) -> String {
    switch reason {
    case .resourceChanged: "the server has another version now"
    case .rangeIgnored: "the server cannot send a part of the file"
    case .noValidator: "the server gives nothing to tell two versions apart"
    case .partialFileChanged: "the partial file was changed by another program"
    case .otherSources: "the other sources have a file of another size"
    case .contradictoryReplies: "the server's responses contradicted each other"
    case .otherBeginning: "the file that had the name is not the beginning of this one"
    case .asked: "as asked"
    }
  }
}
