import Dispatch
import Glibc
import Synchronization
import TransferEngine
import TransferModel

/// The clocks of the machine, and one timer.
package final class SystemClock: EngineClock {
  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let timer: any DispatchSourceTimer
  private let wakeUp = Mutex<(@Sendable () -> Void)?>(nil)

  package init() {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "kettle.clock"))
    timer.setEventHandler { [weak self] in self?.ring() }
    timer.schedule(deadline: .distantFuture)
    timer.activate()
  }

  package func now() -> Moment {
    Moment(
      // The time that the machine slept counts: a retry that is due is due (clock_gettime(2)).
      monotonic: MonotonicTime(milliseconds: Self.read(CLOCK_BOOTTIME)),
      wall: WallTime(millisecondsSince1970: Self.read(CLOCK_REALTIME)))
  }

  package func wake(at deadline: MonotonicTime?, _ wake: @escaping @Sendable () -> Void) {
    guard let deadline else {
      wakeUp.withLock { $0 = nil }
      timer.schedule(deadline: .distantFuture)
      return
    }
    wakeUp.withLock { $0 = wake }
    let distance = max(0, deadline.milliseconds(since: now().monotonic))
    let milliseconds = Int(min(distance, 3_600_000))
    timer.schedule(
      deadline: .now() + .milliseconds(milliseconds), leeway: .milliseconds(milliseconds / 20))
  }

  private func ring() {
    let wake = wakeUp.withLock { held in
      defer { held = nil }
      return held
    }
    wake?()
  }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else { return 0 }
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
