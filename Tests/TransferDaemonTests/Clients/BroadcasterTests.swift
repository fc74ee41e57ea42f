import ControlProtocol
import Testing
import TransferEngine
import TransferModel

@testable import TransferDaemon

struct BroadcasterTests {
  private let broadcaster = Broadcaster(
    freeSpace: FreeSpace(now: { MonotonicTime(milliseconds: 0) }) { nil })
  private let now = WallTime(millisecondsSince1970: 0)

  private func row(_ id: Int64, _ state: TransferState) -> TransferSnapshot {
    TransferSnapshot(
      id: TransferID(rawValue: id), session: .kettle, taskIdentifier: id, title: "a",
      url: "http://a.example/", state: state, createdAt: now)
  }

  @Test func `what was cleared leaves the view of the uncleared, and nobody is told an event`() {
    let (id, mailbox) = broadcaster.join()
    mailbox.watch(.states)
    let uncleared = Viewport(filter: RowFilter(scope: .uncleared))
    broadcaster.look(id, at: uncleared)
    broadcaster.observe(.added(row(1, .completed)), at: now)
    _ = mailbox.next()
    #expect(broadcaster.window(uncleared).matchingCount == 1)
    broadcaster.observe(.cleared(upTo: 1), at: now)
    #expect(broadcaster.window(uncleared).matchingCount == 0)
    #expect(broadcaster.window(Viewport()).rows.first?.isCleared == true)
    #expect(mailbox.next() == nil)
  }

  @Test func `the limit of everything and the batch are in the totals`() {
    #expect(broadcaster.totals.limitBytesPerSecond == nil)
    broadcaster.observe(.limited(bytesPerSecond: 77), at: now)
    broadcaster.observe(.added(row(1, .running)), at: now)
    #expect(broadcaster.totals.limitBytesPerSecond == 77)
    #expect(broadcaster.totals.batch?.transferCount == 1)
    #expect(broadcaster.window(Viewport()).totals.limitBytesPerSecond == 77)
    broadcaster.observe(.limited(bytesPerSecond: nil), at: now)
    #expect(broadcaster.totals.limitBytesPerSecond == nil)
  }

  @Test func `a client that has left looks at nothing any more`() {
    let (id, mailbox) = broadcaster.join()
    broadcaster.look(id, at: Viewport(sort: RowSort(key: .size)))
    #expect(broadcaster.cadence == .live)
    broadcaster.leave(id)
    broadcaster.look(id, at: Viewport(sort: RowSort(key: .title)))
    #expect(broadcaster.cadence == .quiet)
    #expect(mailbox.viewport?.sort.key == .size)
  }

  @Test func `a place in the list is no news of the one that made room`() {
    let before = row(1, .paused)
    var after = before
    after.queuePosition = 9
    #expect(!after.differsInMoreThanProgress(from: before))
  }
}
