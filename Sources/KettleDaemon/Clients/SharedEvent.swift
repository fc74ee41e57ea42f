import KettleControl
import KettleSystem

/// An event that is sent to several clients: one object for all outboxes, encoded once.
final class SharedEvent: OutboxEvent {
  let event: TransferEvent
  let outline: EventOutline

  private enum Line: Sendable {
    case notEncoded
    /// nil when the event cannot be encoded as JSON.
    case encoded([UInt8]?)
  }

  private let line = Mutex(Line.notEncoded)

  init(_ event: TransferEvent) {
    self.event = event
    outline = EventOutline(event)
  }

  /// Returns the encoded line of the event. The first call encodes it.
  func line(encodedBy coder: ReplyCoder) -> [UInt8]? {
    line.withLock { line in
      switch line {
      case .encoded(let bytes): return bytes
      case .notEncoded:
        let bytes = coder.encode(.event(event))
        line = .encoded(bytes)
        return bytes
      }
    }
  }
}

extension ClientOutbox.Item {
  /// Returns the line to send; nil when the item cannot be encoded as JSON.
  func line(encodedBy coder: ReplyCoder) -> [UInt8]? {
    switch self {
    case .reply(let line): return line
    case .event(let shared as SharedEvent, let bytesWritten)
    where bytesWritten == shared.outline.bytesWritten:
      return shared.line(encodedBy: coder)
    case .event, .notification: return notification.flatMap(coder.encode)
    }
  }
}
