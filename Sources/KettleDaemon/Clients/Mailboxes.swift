import KettleControl
import KettleSystem
import struct Synchronization.Atomic

/// The mailboxes of all clients, and the memory that they share.
///
/// When more waits than `byteCountMax`, the client that has kept the service waiting for the
/// longest gives up its events. When no client has events to give up, the same one gives up its
/// connection. Clients within their share keep theirs: the shares of all of them fit in.
final class Mailboxes: Sendable {
  struct Limits: Sendable {
    /// Of everything that waits for all clients together.
    var byteCountMax = 48 << 20
    /// What each of 256 clients may keep in any case.
    var shareByteCount = 128 << 10
    var outbox = ClientOutbox.Limits()
  }

  private let limits: Limits
  private let open = Mutex<[ClientMailbox]>([])
  private let held = Atomic(0)
  private let takenCount = Atomic<UInt64>(0)

  init(_ limits: Limits = Limits()) { self.limits = limits }

  var all: [ClientMailbox] { open.withLock { $0 } }

  /// What waits for all clients together, in bytes.
  var heldByteCount: Int { held.load(ordering: .relaxed) }

  func join() -> ClientMailbox {
    let mailbox = ClientMailbox(in: self, limits.outbox)
    open.withLock { $0.append(mailbox) }
    return mailbox
  }

  func leave(_ mailbox: ClientMailbox) {
    open.withLock { $0.removeAll { $0 === mailbox } }
    mailbox.close()
  }

  /// Returns a number that grows with every item that any client takes.
  func countTaken() -> UInt64 { takenCount.add(1, ordering: .relaxed).newValue }

  /// The memory of one mailbox has changed by so much.
  func account(_ byteCount: Int) { held.add(byteCount, ordering: .relaxed) }

  /// Makes room when more waits than is allowed.
  func relieve() {
    while heldByteCount > limits.byteCountMax {
      let waiting = all.compactMap { mailbox in
        mailbox.sending.map { (mailbox: mailbox, sending: $0) }
      }.sorted { $0.sending.since < $1.sending.since }
      let large = waiting.filter { $0.sending.heldByteCount > limits.shareByteCount }
      if let slowest = large.first(where: { $0.sending.spareByteCount > 0 }) {
        slowest.mailbox.giveUpEvents()
      } else if large.count > 1 {
        large[0].mailbox.giveUp()
      } else {
        // One large reply may be larger than everything by itself.
        return
      }
    }
  }
}
