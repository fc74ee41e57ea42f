import KettleControl
import KettleEngine
import KettleModel
import KettleScheduler
import TestSupport
import Testing

@testable import KettleDaemon

struct BroadcasterTests {
  private let broadcaster = Broadcaster(
    freeSpace: FreeSpace(now: { MonotonicTime(milliseconds: 0) }) { 77 },
    archive: InMemoryJournal(), rows: RowMaker(documentsDirectory: "/d"))
  private let now = WallTime(millisecondsSince1970: 0)

  private func row(_ id: Int64, _ state: TransferState) -> TransferSnapshot {
    TransferSnapshot(
      id: TransferID(rawValue: id), session: .kettle, taskIdentifier: id, title: "a",
      url: "http://a.example/", state: state, createdAt: now)
  }

  @Test func `clearing removes rows from the view of uncleared transfers and sends no event`()
    async throws
  {
    let (id, mailbox) = broadcaster.connect()
    mailbox.watch(.states)
    let uncleared = Viewport(filter: RowFilter(scope: .uncleared))
    broadcaster.subscribe(id, to: uncleared)
    broadcaster.observe(.added(row(1, .completed)), at: now)
    _ = mailbox.nextItem()
    #expect(try await broadcaster.window(uncleared).matchingCount == 1)
    broadcaster.observe(.cleared(upTo: 5), at: now)
    #expect(try await broadcaster.window(uncleared).matchingCount == 0)
    #expect(try await broadcaster.window(Viewport()).rows.first?.isCleared == true)
    #expect(mailbox.nextItem()?.notification == nil)
  }

  @Test
  func
    `a client that watches some states receives transfers that enter, are in or leave them`()
  {
    let (_, mailbox) = broadcaster.connect()
    mailbox.watch(.states, in: [.paused, .completed])
    var received: [TransferState] = []
    for state in [TransferState.queued, .running, .paused, .queued, .running, .completed] {
      broadcaster.observe(
        state == .queued && received.isEmpty ? .added(row(1, state)) : .changed(row(1, state)),
        at: now)
      while case .event(let event)? = mailbox.nextItem()?.notification {
        received.append(event.snapshot.state)
      }
    }
    #expect(received == [.paused, .queued, .completed])
    broadcaster.observe(.added(row(2, .running)), at: now)
    #expect(mailbox.nextItem()?.notification == nil)
    broadcaster.observe(.removed(row(2, .running)), at: now)
    #expect(mailbox.nextItem()?.notification != nil)
  }

  @Test func `each client receives the events of new transfers that it subscribed to`() {
    func received(_ watch: (ClientMailbox) -> Void) -> [Int64] {
      let (id, mailbox) = broadcaster.connect()
      defer { broadcaster.disconnect(id) }
      watch(mailbox)
      broadcaster.observe(.listed(.sample([(1, .queued), (2, .paused), (3, .queued)])), at: now)
      var ids: [Int64] = []
      while case .event(let event)? = mailbox.nextItem()?.notification {
        ids.append(event.id.rawValue)
      }
      return ids
    }
    #expect(received { $0.watch(.states) } == [1, 2, 3])
    #expect(received { $0.watch(.states, of: .kettle) } == [1, 2, 3])
    #expect(received { $0.watch(.states, of: SessionID(rawValue: "other")) } == [])
    #expect(received { $0.watch(.states, in: [.paused, .completed]) } == [2])
    #expect(received { $0.watch(.states, in: [.completed]) } == [])
    #expect(received { $0.watch(.nothing) } == [])
  }

  @Test func `gathered completions arrive as ids, in order with other events`() {
    let (_, mailbox) = broadcaster.connect()
    mailbox.watch(.states, in: [.completed, .failed], completed: .gathered)
    func completed(_ ids: Int64...) -> ControlNotification {
      .completed(CompletedTransfers(runs: IDRuns(ids.map(TransferID.init(rawValue:)))))
    }
    for id in Int64(1)...4 { broadcaster.observe(.added(row(id, .running)), at: now) }
    for id in [Int64(1), 3] { broadcaster.observe(.changed(row(id, .completed)), at: now) }
    broadcaster.observe(.changed(row(2, .failed)), at: now)
    broadcaster.observe(.changed(row(4, .completed)), at: now)
    #expect(mailbox.nextItem()?.notification == completed(1, 3))
    guard case .event(let event)? = mailbox.nextItem()?.notification else {
      Issue.record("a failure must be an event")
      return
    }
    #expect(event.snapshot.state == .failed)
    #expect(mailbox.nextItem()?.notification == completed(4))
    // No completed transfer is reported twice, and a removal is an event.
    broadcaster.observe(.removed(row(4, .completed)), at: now)
    guard case .event(let last)? = mailbox.nextItem()?.notification else {
      Issue.record("a removal must be an event")
      return
    }
    #expect(last.kind == .removed)
  }

  @Test func `gathered completions wake only the task that gathers`() async {
    let (_, mailbox) = broadcaster.connect()
    mailbox.watch(.states, completed: .gathered)
    broadcaster.observe(.added(row(1, .completed)), at: now)
    var mail = mailbox.mail.makeAsyncIterator()
    await mail.next()
    _ = mailbox.nextItem()
    broadcaster.observe(.changed(row(2, .completed)), at: now)
    var gatherings = mailbox.gatherings.makeAsyncIterator()
    await gatherings.next()
    mailbox.sendGathered()
    await mail.next()
    #expect(mailbox.nextItem()?.notification != nil)
    mailbox.close()
    // They were not woken a second time.
    #expect(await gatherings.next() == nil)
    #expect(await mail.next() == nil)
  }

  @Test func `the totals contain the overall limit and the batch`() async throws {
    #expect(broadcaster.totals.limitBytesPerSecond == nil)
    broadcaster.observe(.limited(TotalLimit.Effective(bytesPerSecond: 77)), at: now)
    broadcaster.observe(.added(row(1, .running)), at: now)
    #expect(broadcaster.totals.limitBytesPerSecond == 77)
    #expect(broadcaster.totals.batch?.transferCount == 1)
    #expect(broadcaster.totals.freeBytes == 77)
    #expect(try await broadcaster.window(Viewport()).totals.limitBytesPerSecond == 77)
    broadcaster.observe(.limited(TotalLimit.Effective()), at: now)
    #expect(broadcaster.totals.limitBytesPerSecond == nil)
  }

  @Test func `a disconnected client has no subscription`() {
    let (id, mailbox) = broadcaster.connect()
    broadcaster.subscribe(id, to: Viewport(sort: RowSort(key: .size)))
    #expect(broadcaster.cadence == .live)
    broadcaster.disconnect(id)
    broadcaster.subscribe(id, to: Viewport(sort: RowSort(key: .title)))
    #expect(broadcaster.cadence == .quiet)
    #expect(mailbox.viewport?.sort.key == .size)
  }

  @Test func `the order is kept for a client that reads page by page`() async throws {
    let archive = ArchiveStandIn(
      InMemoryJournal(JournalContents(records: try (1...9).map { try ListWorld.record($0) })))
    let broadcaster = Broadcaster(
      freeSpace: FreeSpace(now: { MonotonicTime(milliseconds: 0) }) { 77 }, archive: archive,
      rows: RowMaker(documentsDirectory: "/d"))
    let (id, _) = broadcaster.connect()
    var ids: [Int64] = []
    for first in [0, 4, 8] {
      let page = try await broadcaster.window(
        Viewport(sort: RowSort(key: .size), first: first, count: 4), for: id)
      ids += page.rows.map(\.id.rawValue)
    }
    #expect(ids == Array(1...9))
    #expect(archive.orderCount == 1)
    broadcaster.disconnect(id)
    _ = try await broadcaster.window(Viewport(sort: RowSort(key: .size)), for: id)
    #expect(archive.orderCount == 2)
  }

  @Test func `rows are sent only to clients that display them`() async throws {
    let (id, _) = broadcaster.connect()
    broadcaster.observe(.added(row(1, .running)), at: now)
    #expect(try await broadcaster.displayedRows(of: Viewport(), for: id) == nil)
    broadcaster.subscribe(id, to: Viewport())
    let window = try await broadcaster.displayedRows(of: Viewport(), for: id)
    #expect(window?.rows.map(\.id.rawValue) == [1])
    #expect(window?.totals.freeBytes == 77)
    broadcaster.disconnect(id)
    #expect(try await broadcaster.displayedRows(of: Viewport(), for: id) == nil)
  }

  @Test func `loading and evicting send no event, and totals count each transfer once`()
    async throws
  {
    let (id, mailbox) = broadcaster.connect()
    mailbox.watch(.progress)
    broadcaster.subscribe(id, to: Viewport())
    var dormant = EvictedTally()
    dormant.states[.queued] = StateTally(
      count: 5, unknownSizeCount: 2, bytesReceived: 30, bytesExpected: 100)
    broadcaster.observe(.recovered(dormant, clearedUpTo: nil), at: now)
    broadcaster.observe(.loaded(row(1, .queued)), at: now)
    #expect(broadcaster.row(row(1, .queued).id) != nil)
    #expect(broadcaster.totals.counts == [.queued: 5])
    #expect(broadcaster.totals.batch?.transferCount == 5)
    #expect(broadcaster.totals.batch?.bytesReceived == 30)
    broadcaster.observe(.evicted([row(1, .queued).id]), at: now)
    #expect(broadcaster.row(row(1, .queued).id) == nil)
    #expect(broadcaster.totals.counts == [.queued: 5])
    #expect(mailbox.nextItem()?.notification == nil)
  }

  @Test func `transfers added directly to the store produce events but keep no row`() {
    let (_, mailbox) = broadcaster.connect()
    let (_, other) = broadcaster.connect()
    mailbox.watch(.states, in: [.queued])
    broadcaster.observe(.listed(.sample([(1, .queued), (2, .paused), (3, .queued)])), at: now)
    var received: [TransferID] = []
    while case .event(let event)? = mailbox.nextItem()?.notification {
      #expect(event.kind == .added)
      received.append(event.id)
    }
    #expect(received == [row(1, .queued).id, row(3, .queued).id])
    #expect(other.nextItem()?.notification == nil)
    #expect(broadcaster.row(row(1, .queued).id) == nil)
    #expect(broadcaster.totals.counts == [.queued: 2, .paused: 1])
    let batch = broadcaster.totals.batch
    #expect(batch?.transferCount == 2 && batch?.unknownSizeCount == 2)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a client without events sees transfers added directly to the store`() async {
    let (id, mailbox) = broadcaster.connect()
    var changes = mailbox.viewportChanges.makeAsyncIterator()
    broadcaster.subscribe(id, to: Viewport())
    _ = await changes.next()
    broadcaster.observe(.listed(.sample([(1, .queued)])), at: now)
    #expect(await changes.next() != nil)
  }

  @Test func `a new queue position is not a reportable change`() {
    let before = row(1, .paused)
    var after = before
    after.queuePosition = 9
    #expect(!after.differsInMoreThanProgress(from: before))
  }

  @Test func `more bytes alone are not a reportable change`() {
    let before = row(1, .running)
    var later = before
    later.bytesReceived = 9
    later.bytesPerSecond = 3
    later.secondsLeft = 4
    later.connections = 5
    #expect(!later.differsInMoreThanProgress(from: before))
  }

  @Test func `a different state, error, size or link is a reportable change`() {
    let changes: [(inout TransferSnapshot) -> Void] = [
      { $0.state = .paused }, { $0.error = TransferFailure(.timedOut, on: "h") },
      { $0.bytesExpected = 7 }, { $0.url = "http://h/b" }, { $0.freshStart = .asked },
      { $0.path = "/d/a" },
    ]
    let before = row(1, .running)
    for change in changes {
      var later = before
      change(&later)
      #expect(later.differsInMoreThanProgress(from: before))
    }
  }
}
