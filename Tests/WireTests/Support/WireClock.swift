import Dispatch
import Glibc
import Synchronization
import TransferEngine
import TransferModel

/// The clocks of the machine: on the wire, time passes by itself.
final class WireClock: EngineClock {
  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let timer: any DispatchSourceTimer
  private let wakeUp = Mutex<(@Sendable () -> Void)?>(nil)

  init() {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "wire.clock"))
    timer.setEventHandler { [weak self] in self?.ring() }
    timer.schedule(deadline: .distantFuture)
    timer.activate()
  }

  func now() -> Moment {
    Moment(
      monotonic: MonotonicTime(milliseconds: Self.read(CLOCK_BOOTTIME)),
      wall: WallTime(millisecondsSince1970: Self.read(CLOCK_REALTIME)))
  }

  func wake(at deadline: MonotonicTime?, _ wake: @escaping @Sendable () -> Void) {
    guard let deadline else {
      wakeUp.withLock { $0 = nil }
      timer.schedule(deadline: .distantFuture)
      return
    }
    wakeUp.withLock { $0 = wake }
    let distance = max(0, deadline.milliseconds(since: now().monotonic))
    timer.schedule(deadline: .now() + .milliseconds(Int(min(distance, 3_600_000))))
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
