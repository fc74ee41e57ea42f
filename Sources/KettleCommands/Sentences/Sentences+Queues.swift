import KettleControl
import KettleModel

/// Sentences about the user's queues.
extension Sentences {
  static func assigned(_ id: TransferID, to queue: QueueName) -> String {
    "\(id) is in the queue \(quoted(queue.text))"
  }

  /// One line about a queue: what it permits, whether it is open, and what it has.
  static func of(_ queue: QueueSnapshot, _ clock: any CommandClock) -> String {
    var parts: [String] = []
    if let hours = queue.hours {
      parts.append(hours.sanitizedForDisplay(limit: 60) + ", " + standing(of: queue, clock))
    }
    switch queue.waitsFor {
    case .mainsPower: parts.append("waits for mains power")
    case .unmeteredNetwork: parts.append("waits for a network without costs")
    case nil: break
    }
    parts.append(
      queue.transfersMax.map { "\(queue.runningCount) of \($0) running" }
        ?? "\(queue.runningCount) running")
    if let count = queue.queuedCount { parts.append("\(count) queued") }
    return queue.name.text + "  " + parts.joined(separator: "; ")
  }

  private static func standing(of queue: QueueSnapshot, _ clock: any CommandClock) -> String {
    let until = queue.until.map { " until " + timeText($0, clock) } ?? ""
    return (queue.isOpen ? "open" : "closed") + until
  }
}
