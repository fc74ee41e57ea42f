import KettleDesktop
import KettleEngine
import KettleModel
import KettleSystem
import TestSupport
import Testing

@testable import KettleDaemon

@Suite(.timeLimit(.minutes(5)))
struct DesktopNotificationBridgeTests {
  private let clock = ManualClock()
  private let watcher = Watcher()
  private let bridge: DesktopNotificationBridge
  private let shown: AsyncStream<Alert>

  private final class Watcher: Sendable {
    let isThere = Mutex(false)
  }

  init() {
    let (shown, continuation) = AsyncStream<Alert>.makeStream()
    self.shown = shown
    bridge = DesktopNotificationBridge(
      AlertBoard.Settings(),
      ports: DesktopNotificationBridge.Ports(
        clock: clock, isWatched: { [watcher] in watcher.isThere.withLock { $0 } },
        show: { continuation.yield($0) }))
  }

  private func row(_ id: Int64, _ state: TransferState) -> TransferSnapshot {
    TransferSnapshot(
      id: TransferID(rawValue: id), session: SessionID(rawValue: "kettle"), taskIdentifier: id,
      title: "file \(id)", url: "http://host/\(id)", state: state,
      createdAt: WallTime(millisecondsSince1970: 0))
  }

  private func complete(_ id: Int64) {
    bridge.observe(from: nil, to: row(id, .running))
    bridge.observe(from: row(id, .running), to: row(id, .completed))
  }

  @Test func `finished downloads are shown after the settling time`() async {
    complete(1)
    complete(2)
    var alerts = shown.makeAsyncIterator()
    clock.advance(milliseconds: 3000)
    #expect(await alerts.next()?.summary == "2 downloads finished")
    #expect(clock.deadline == nil)
  }

  @Test func `a queued transfer in the store delays the notification`() async {
    bridge.observe(ListedTransfers.sample([(1, .queued), (2, .queued), (3, .paused)]))
    bridge.observe(from: row(1, .queued), to: row(1, .completed))
    #expect(clock.deadline == nil)
    bridge.observe(from: row(2, .queued), to: row(2, .completed))
    var alerts = shown.makeAsyncIterator()
    clock.advance(milliseconds: 3000)
    #expect(await alerts.next()?.summary == "2 downloads finished")
  }

  @Test func `an alarm that fires too early is set again`() async {
    complete(1)
    clock.advance(milliseconds: 2000)
    complete(2)
    clock.advance(milliseconds: 1500)
    #expect(clock.deadline != nil)
    var alerts = shown.makeAsyncIterator()
    clock.advance(milliseconds: 1500)
    #expect(await alerts.next()?.summary == "2 downloads finished")
  }

  @Test func `no notification is shown while a person watches a screen`() async {
    complete(1)
    watcher.isThere.withLock { $0 = true }
    clock.advance(milliseconds: 3000)
    watcher.isThere.withLock { $0 = false }
    complete(2)
    clock.advance(milliseconds: 3000)
    var alerts = shown.makeAsyncIterator()
    #expect(await alerts.next()?.body == "file 2")
  }

  @Test func `no notification is shown after the bridge ends`() {
    complete(1)
    bridge.end()
    #expect(clock.deadline == nil)
    complete(2)
    #expect(clock.deadline == nil)
  }
}
