import KettleModel
import Testing

@testable import KettleScheduler

struct TransferBinTests {
  private let start = WallTime(millisecondsSince1970: 1_800_000_000_000)

  private func later(_ milliseconds: Int64) -> WallTime {
    start.advanced(byMilliseconds: milliseconds)
  }

  @Test func `an action takes effect with its first entry, and only once`() {
    var bin = TransferBin()
    let action = bin.open(.stop, at: start)
    #expect(bin.actions.isEmpty)
    #expect(bin.note(action) == .bin(.putAction(action)))
    #expect(bin.note(action) == nil)
    #expect(bin.actions == [action])
  }

  @Test func `numbers increase even when the clock is set back, and after a restart`() {
    var bin = TransferBin()
    let first = bin.open(.stop, at: start)
    _ = bin.note(first)
    let second = bin.open(.remove, at: later(-5000))
    #expect(second.number > first.number)
    _ = bin.note(second)
    var restarted = TransferBin(bin.actions)
    #expect(restarted.open(.stop, at: later(-9000)).number > second.number)
  }

  @Test func `an action can be undone for ten minutes`() {
    var bin = TransferBin()
    let action = bin.open(.stop, at: start)
    _ = bin.note(action)
    bin.expire(at: later(599_999))
    #expect(bin.actions.last == action)
    bin.expire(at: later(600_000))
    #expect(bin.actions.last == nil)
    #expect(bin.takeExpired() == [action])
    #expect(bin.takeExpired().isEmpty)
  }

  @Test func `the next expiry is checked every minute, because the clock can be set`() {
    var bin = TransferBin()
    _ = bin.note(bin.open(.stop, at: start))
    func wait(at wall: WallTime) -> Int64? {
      let now = Moment(monotonic: MonotonicTime(milliseconds: 7), wall: wall)
      return bin.nextExpiry(at: now).map { $0.milliseconds(since: now.monotonic) }
    }
    #expect(wait(at: start) == 60_000)
    #expect(wait(at: later(590_000)) == 10_000)
    #expect(wait(at: later(700_000)) == 0)
  }

  @Test func `an action that is being undone neither expires nor is undone a second time`() {
    var bin = TransferBin()
    let earlier = bin.open(.remove, at: start)
    let action = bin.open(.stop, at: start)
    for action in [earlier, action] { _ = bin.note(action) }
    #expect(bin.undoable(nil) == [action, earlier])
    #expect(bin.undoable(earlier.number) == [earlier])
    bin.hold(action.number)
    #expect(bin.undoable(nil) == [earlier])
    #expect(bin.undoable(action.number).isEmpty)
    bin.expire(at: later(700_000))
    bin.expireAll()
    #expect(bin.takeExpired() == [earlier])
    let now = Moment(monotonic: MonotonicTime(milliseconds: 7), wall: later(700_000))
    #expect(bin.nextExpiry(at: now) == nil)
    bin.release(action.number)
    bin.expire(at: later(700_000))
    #expect(bin.takeExpired() == [action])
  }

  @Test func `emptying expires everything, the oldest first`() {
    var bin = TransferBin()
    let actions = [bin.open(.stop, at: start), bin.open(.remove, at: start)]
    for action in actions.reversed() { _ = bin.note(action) }
    #expect(bin.actions == actions)
    bin.expireAll()
    #expect(bin.actions.isEmpty)
    #expect(bin.takeExpired() == actions)
  }
}
