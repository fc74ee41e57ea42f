import KettleControl
import KettleEngine
import KettleModel
import Testing
import TestSupport

@testable import KettleDaemon

extension ClientMailbox {
  /// Takes one item to send.
  func nextItem() -> ClientOutbox.Item? { next(byteCountMax: 0).first }
}

/// Clients that do not read. Without a socket, an item that was dequeued and not followed by
/// another one counts as being sent.
@Suite(.timeLimit(.minutes(5)))
struct MailboxesTests {
  private let now = WallTime(millisecondsSince1970: 0)

  private func row(_ id: Int64, _ state: TransferState = .running) -> TransferSnapshot {
    TransferSnapshot(
      id: TransferID(rawValue: id), session: .kettle, taskIdentifier: id, title: "a",
      url: "http://a.example/", state: state, createdAt: now)
  }

  private func event(_ id: Int64) -> SharedEvent {
    SharedEvent(TransferEvent(kind: .stateChanged, id: row(id).id, at: now, snapshot: row(id)))
  }

  private func broadcaster(_ limits: Mailboxes.Limits = Mailboxes.Limits()) -> Broadcaster {
    Broadcaster(
      freeSpace: FreeSpace(now: { MonotonicTime(milliseconds: 0) }) { nil },
      archive: InMemoryJournal(), rows: RowMaker(documentsDirectory: "/d"), limits: limits)
  }

  private func notifications(_ mailbox: ClientMailbox) -> [ControlNotification?] {
    var all: [ControlNotification?] = []
    while let item = mailbox.nextItem() { all.append(item.notification) }
    return all
  }

  // Fault 118
  @Test func `256 clients that never read use bounded memory and cause no work`() {
    // Only the clients that fit into the shared memory reach this.
    let broadcaster = broadcaster(Mailboxes.Limits(outbox: .init(eventCountMax: 400)))
    let silent = (0..<256).map { _ in broadcaster.connect().1 }
    for mailbox in silent {
      mailbox.watch(.progress, lag: .resynchronises)
      mailbox.send(reply: [1])
      _ = mailbox.nextItem()
    }
    let (_, reader) = broadcaster.connect()
    reader.watch(.progress, lag: .resynchronises)
    var largest = 0
    var readCount = 0
    for step: Int64 in 0..<1000 {
      broadcaster.observe(
        .changed(row(step % 50, step / 50 % 2 == 0 ? .running : .paused)), at: now)
      largest = max(largest, broadcaster.mailboxes.usedByteCount)
      readCount += notifications(reader).count
    }
    #expect(largest < 64 << 20)
    // A client that reads does not have to resynchronise because of the others.
    #expect(readCount == 1000)
    #expect(silent.allSatisfy { !$0.isWatching })
    #expect(broadcaster.mailboxes.usedByteCount < 1 << 20)
    #expect(silent.allSatisfy { notifications($0) == [.resynchronise] })
    #expect(silent.allSatisfy { $0.isWatching })
  }

  @Test func `the slowest client is dropped if it does not resynchronise`() {
    let broadcaster = broadcaster(
      Mailboxes.Limits(byteCountMax: 10_000, shareByteCount: 1000))
    let clients = (0..<3).map { _ in broadcaster.connect().1 }
    for mailbox in clients {
      mailbox.watch(.states)
      mailbox.send(reply: [1])
      _ = mailbox.nextItem()
    }
    var id: Int64 = 0
    while !clients.contains(where: \.isOverflowed), id < 100 {
      id += 1
      broadcaster.observe(.added(row(id)), at: now)
    }
    #expect(clients.map(\.isOverflowed) == [true, false, false])
  }

  @Test func `a single reply may exceed the limit for all clients`() {
    let mailboxes = Mailboxes(Mailboxes.Limits(byteCountMax: 1000, shareByteCount: 100))
    let mailbox = mailboxes.open()
    mailbox.send(reply: [UInt8](repeating: 0, count: 5000))
    _ = mailbox.nextItem()
    mailbox.send(reply: [1])
    #expect(!mailbox.isOverflowed)
    _ = mailbox.nextItem()
    _ = mailbox.nextItem()
    #expect(mailboxes.usedByteCount == 0)
  }

  @Test func `an event is encoded once for all clients`() {
    let mailboxes = Mailboxes()
    let clients = (0..<3).map { _ in mailboxes.open() }
    let event = event(1)
    let coder = ReplyCoder()
    var lines: Set<UnsafeRawPointer?> = []
    for mailbox in clients {
      mailbox.watch(.states)
      mailbox.deliver(event)
      let line = mailbox.nextItem()?.line(encodedBy: coder)
      #expect(line == coder.encode(.event(event.event)))
      line?.withUnsafeBytes { _ = lines.insert($0.baseAddress) }
    }
    #expect(lines.count == 1)
  }

  @Test func `merged progress is encoded as a separate line`() {
    let mailbox = Mailboxes().open()
    mailbox.watch(.progress)
    let coder = ReplyCoder()
    for _ in 0..<2 {
      mailbox.deliver(
        SharedEvent(
          TransferEvent(
            kind: .progress, id: row(1).id, at: now, snapshot: row(1), bytesWritten: 5)))
    }
    var expected = TransferEvent(kind: .progress, id: row(1).id, at: now, snapshot: row(1))
    expected.bytesWritten = 10
    #expect(mailbox.nextItem()?.line(encodedBy: coder) == coder.encode(.event(expected)))
  }

  @Test func `a client may send another request after it has read its replies`() async {
    let mailbox = Mailboxes().open()
    #expect(await mailbox.waitForReplyRoom())
    for _ in 0..<2 { mailbox.send(reply: [UInt8](repeating: 0, count: 100_000)) }
    async let room = mailbox.waitForReplyRoom()
    for _ in 0..<3 { _ = mailbox.nextItem() }
    #expect(await room)
    mailbox.send(reply: [UInt8](repeating: 0, count: 100_000))
    async let none = mailbox.waitForReplyRoom()
    mailbox.close()
    #expect(await !none)
  }

  @Test func `rows are read again only after the client has read the last window`() async {
    let broadcaster = broadcaster()
    let (id, mailbox) = broadcaster.connect()
    broadcaster.subscribe(id, to: Viewport())
    var changes = mailbox.viewportChanges.makeAsyncIterator()
    await changes.next()
    mailbox.willReadRows()
    mailbox.send(window: RowWindow(first: 0, matchingCount: 0, rows: [], totals: Totals()))
    broadcaster.suspendDisplay(of: id)
    for id: Int64 in 1...9 { broadcaster.observe(.added(row(id)), at: now) }
    #expect(mailbox.hasWindow)
    _ = mailbox.nextItem()
    #expect(mailbox.hasWindow)
    async let taken: Void = mailbox.waitUntilWindowIsRead()
    #expect(mailbox.nextItem()?.notification == nil)
    await taken
    // Nine changes are one signal, and the rows are current.
    await changes.next()
    #expect((try? await broadcaster.displayedRows(of: Viewport(), for: id))?.rows.count == 9)
    mailbox.close()
    #expect(await changes.next() == nil)
  }
}
