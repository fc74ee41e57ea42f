import KettleEngine
import KettleModel
import KettleSystem

/// A clock that stands still until a test advances it.
package final class ManualClock: EngineClock {
  private struct Alarm: Sendable {
    var deadline: MonotonicTime
    var wake: @Sendable () -> Void
  }

  private struct State: Sendable {
    var now: Moment
    var alarm: Alarm?
  }

  private let state: Mutex<State>

  package init(
    now: Moment = Moment(
      monotonic: MonotonicTime(milliseconds: 1_000_000),
      wall: WallTime(millisecondsSince1970: 1_700_000_000_000))
  ) {
    state = Mutex(State(now: now, alarm: nil))
  }

  package func now() -> Moment { state.withLock { $0.now } }

  /// The time of the next alarm; nil if none is set.
  package var deadline: MonotonicTime? { state.withLock { $0.alarm?.deadline } }

  package func wake(at deadline: MonotonicTime?, _ wake: @escaping @Sendable () -> Void) {
    state.withLock { $0.alarm = deadline.map { Alarm(deadline: $0, wake: wake) } }
    ringIfDue()
  }

  /// Advances both clocks and fires the alarms that are due.
  package func advance(milliseconds: Int64) {
    state.withLock { state in
      state.now.monotonic = state.now.monotonic.advanced(byMilliseconds: milliseconds)
      state.now.wall = state.now.wall.advanced(byMilliseconds: milliseconds)
    }
    ringIfDue()
  }

  private func ringIfDue() {
    let due = state.withLock { state -> Alarm? in
      guard let alarm = state.alarm, alarm.deadline <= state.now.monotonic else { return nil }
      state.alarm = nil
      return alarm
    }
    due?.wake()
  }
}
