/// One line of the history of a transfer.
package struct HistoryEntry: Codable, Hashable, Sendable {
  package var at: WallTime
  package var event: HistoryEvent

  package init(at: WallTime, _ event: HistoryEvent) {
    self.at = at
    self.event = event
  }

  package var text: String { event.text }
}

/// Something that happened to a transfer. Clients receive the case as a code and its values as
/// arguments. Only `text` makes English of them.
package indirect enum HistoryEvent: Codable, Hashable, Sendable {
  case added
  // States
  case stopped, scheduled, queued
  case running(fromZero: FreshStartReason?)
  /// `seconds` are rounded up to the unit in which they are shown; `retry` is the number of the
  /// retry that follows.
  case waiting(reason: WaitingReason?, seconds: Int64?, retry: Int64?, failure: TransferFailure?)
  case paused, verifying, completed
  case failed(failure: TransferFailure?)
  // Requests
  /// nil for no limit.
  case limited(bytesPerSecond: Int64?)
  case prioritized(priority: TransferPriority)
  case relinked(url: String)
  case changed, accepted, remembered
  /// A new request for the URL has changed these parts.
  case askedAgain(parts: [RequestPart])
  case moved(way: QueueMove)
  case assigned(queue: QueueName)
  case undone(action: BinAction.Kind)
  // Servers
  case redirected(url: String)
  /// An address of the host that accepted the connection and sent nothing.
  case addressLeft(address: String)
  case limitLearned(connectionsMax: Int)
  case unpacked(coding: String)
  /// Bytes of a chunked response without its last chunk.
  case discarded(byteCount: Int64)
  // The disk
  /// Durable bytes that were other ones when they were read again.
  case damaged(byteCount: Int64)

  /// The state that a transfer has entered.
  package init(_ record: TransferRecord, at now: WallTime) {
    self =
      switch record.state {
      case .idle: .stopped
      case .scheduled: .scheduled
      case .queued: .queued
      case .running: .running(fromZero: record.freshStart)
      case .waiting:
        .waiting(
          reason: record.reason,
          seconds: record.goesOnAt.map { Self.seconds(from: now, to: $0) },
          // A retry is counted when it begins.
          retry: record.reason == .retry ? Int64(record.retryCount) + 1 : nil,
          failure: record.failure)
      case .paused: .paused
      case .verifying: .verifying
      case .completed: .completed
      case .failed: .failed(failure: record.failure)
      }
  }
}

extension HistoryEvent {
  package var text: String {
    switch self {
    case .added: "Added"
    case .stopped: "Stopped"
    case .scheduled: "Scheduled"
    case .queued: "Queued"
    case .running(let fromZero): "Running" + (fromZero.map { ", from zero: " + $0.words } ?? "")
    case .waiting(let reason, let seconds, let retry, let failure):
      Self.wait(for: reason, seconds: seconds) + (retry.map { " \($0)" } ?? "")
        + Self.because(
          reason?.isRetry == true ? failure?.sentenceWhileRetrying : failure?.sentence)
    case .paused: "Paused"
    case .verifying: "Verifying"
    case .completed: "Done"
    case .failed(let failure): "Failed" + Self.because(failure?.sentence)
    case .limited(let limit?): "Speed limit: \(ByteText.limit(limit))"
    case .limited(nil): "No speed limit"
    case .prioritized(let priority): "Priority: \(PriorityText.text(priority))"
    case .relinked(let url): "Fresh link: \(url)"
    case .changed: "Options changed"
    case .accepted: "Accepted"
    case .remembered: "Remembered for the host"
    case .askedAgain(let parts):
      "Asked again with \(parts.map(\.rawValue).joined(separator: ", "))"
    case .moved(.up): "Moved up"
    case .moved(.down): "Moved down"
    case .moved(.toTop): "Moved to the top"
    case .moved(.toBottom): "Moved to the bottom"
    case .assigned(let queue): "Queue: \(queue.text)"
    case .undone(.stop): "Stop undone"
    case .undone(.remove), .undone(.removeWithFile): "Removal undone"
    case .undone(.reset): "Reset undone"
    case .undone(.clear): "Clearing undone"
    case .undone(.start): "Start undone"
    case .undone(.pause): "Pause undone"
    case .undone(.limit), .undone(.limitAll): "Limit undone"
    case .undone(.prioritize): "Priority undone"
    case .undone(.move): "Move undone"
    case .redirected(let url): "Redirected to \(url)"
    case .addressLeft(let address):
      "\(address) accepted the connection and sent nothing: another address of the host is asked"
    case .limitLearned(let connectionsMax):
      "The server takes no more than "
        + (connectionsMax == 1 ? "one connection" : "\(connectionsMax) connections")
    case .unpacked(let coding): "Unpacked (\(coding))"
    case .damaged(let byteCount):
      "\(ByteText.size(byteCount)) on the disk are not what was written: fetching them again"
    case .discarded(let byteCount):
      "Discarded \(byteCount) bytes: a reply in chunks counts only when its last chunk has come"
    }
  }

  private static func wait(for reason: WaitingReason?, seconds: Int64?) -> String {
    guard let reason else { return "Waiting" }
    let time = seconds.map { " " + duration($0) } ?? ""
    return HeldBackWords(reason).history.replacing("{time}", with: time)
  }

  private static func because(_ sentence: String?) -> String { sentence.map { ": " + $0 } ?? "" }

  // MARK: Durations

  /// Rounded up to the unit in which they are shown, so that waits that look alike are alike.
  static func seconds(from start: WallTime, to end: WallTime) -> Int64 {
    let (distance, overflow) = end.millisecondsSince1970.subtractingReportingOverflow(
      start.millisecondsSince1970)
    let seconds = overflow ? .max / 1000 : (max(distance, 0) / 1000 + (distance % 1000 > 0 ? 1 : 0))
    let (count, unit, _) = shown(seconds)
    return count * unit
  }

  /// In one unit.
  static func duration(_ seconds: Int64) -> String {
    let (count, _, name) = shown(seconds)
    return "\(count) \(name)"
  }

  private static func shown(_ seconds: Int64) -> (count: Int64, unit: Int64, name: String) {
    let (unit, name): (Int64, String) =
      switch seconds {
      case ..<120: (1, "s")
      case ..<7200: (60, "min")
      default: (3600, "h")
      }
    return (seconds / unit + (seconds % unit > 0 ? 1 : 0), unit, name)
  }
}

extension FreshStartReason {
  fileprivate var words: String {
    switch self {
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
