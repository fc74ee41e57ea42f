import KettleSystem
import Testing

@testable import KettleDaemon

struct AbandonmentWatchTests {
  /// What happens during a pause, and how often the service was found abandoned.
  private final class Log: Sendable {
    let abandonedCount = Mutex(0)
    let duringPause = Mutex<(@Sendable () -> Void)?>(nil)
  }

  private func watch(_ log: Log) -> AbandonmentWatch {
    AbandonmentWatch(afterPause: { check in
      log.duringPause.withLock { $0 }?()
      check()
    }) {
      log.abandonedCount.withLock { $0 += 1 }
    }
  }

  @Test func `a service that no client comes to is abandoned`() {
    let log = Log()
    watch(log).begin()
    #expect(log.abandonedCount.withLock { $0 } == 1)
  }

  @Test func `only the last client that leaves begins the wait`() {
    let log = Log()
    let watch = watch(log)
    watch.arrived()
    watch.arrived()
    watch.left()
    #expect(log.abandonedCount.withLock { $0 } == 0)
    watch.left()
    #expect(log.abandonedCount.withLock { $0 } == 1)
  }

  @Test func `a client that comes during the wait ends it, even if it leaves again`() {
    let log = Log()
    let watch = watch(log)
    watch.arrived()
    log.duringPause.withLock { $0 = { watch.arrived() } }
    watch.left()
    #expect(log.abandonedCount.withLock { $0 } == 0)
  }
}
