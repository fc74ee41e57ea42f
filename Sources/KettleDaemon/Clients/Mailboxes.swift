import KettleControl
import KettleSystem
import struct Synchronization.Atomic

/// The mailboxes of all clients, and the memory that they share.
///
/// When more than `byteCountMax` is waiting, the client that has kept the service waiting longest
/// loses its events. If no client has events to drop, the same client is disconnected. Clients
/// within their share are safe: the shares of all of them fit in the limit.
final class Mailboxes: Sendable {
  struct Limits: Sendable {
    /// The limit for everything waiting for all clients together.
    var byteCountMax = 48 << 20
    /// The amount that each of 256 clients may always keep.
    var shareByteCount = 128 << 10
    var outbox = ClientOutbox.Limits()
  }

  private let limits: Limits
  private let mailboxes = Mutex<[ClientMailbox]>([])
  private let held = Atomic(0)
  private let readCount = Atomic<UInt64>(0)

  init(_ limits: Limits = Limits()) { self.limits = limits }

  var all: [ClientMailbox] { mailboxes.withLock { $0 } }

  /// The bytes waiting for all clients together.
  var usedByteCount: Int { held.load(ordering: .relaxed) }

  func open() -> ClientMailbox {
    let mailbox = ClientMailbox(in: self, limits.outbox)
    mailboxes.withLock { $0.append(mailbox) }
    return mailbox
  }

  func close(_ mailbox: ClientMailbox) {
    mailboxes.withLock { $0.removeAll { $0 === mailbox } }
    mailbox.close()
  }

  /// Returns a number that grows whenever any client has read what was sent to it.
  func nextReadNumber() -> UInt64 { readCount.add(1, ordering: .relaxed).newValue }

  /// Adds a change of one mailbox's memory.
  func account(_ byteCount: Int) { held.add(byteCount, ordering: .relaxed) }

  /// Frees memory while more than the limit is waiting.
  func relieve() {
    while usedByteCount > limits.byteCountMax {
      let waiting = all.compactMap { mailbox in
        mailbox.sending.map { (mailbox: mailbox, sending: $0) }
      }.sorted { $0.sending.since < $1.sending.since }
      let large = waiting.filter { $0.sending.usedByteCount > limits.shareByteCount }
      if let slowest = large.first(where: { $0.sending.droppableByteCount > 0 }) {
        slowest.mailbox.omitEvents()
      } else if large.count > 1 {
        large[0].mailbox.discardAll()
      } else {
        // A single large reply may exceed the limit by itself.
        return
      }
    }
  }
}

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

struct ClientID: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt64
}

/// The other end of one connection.
struct ConnectedClient: Sendable {
  let id: ClientID
  /// The process that connected.
  let processID: Int64
  let mailbox: ClientMailbox
}
