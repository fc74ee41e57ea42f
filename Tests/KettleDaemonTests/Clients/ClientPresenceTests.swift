import KettleSystem
import Testing

@testable import KettleDaemon

struct ClientPresenceTests {
  /// What happens during a pause, and how often the service was found abandoned.
  private final class Log: Sendable {
    let abandonedCount = Mutex(0)
    let duringPause = Mutex<(@Sendable () -> Void)?>(nil)
  }

  private func presence(_ log: Log) -> ClientPresence {
    ClientPresence(afterPause: { check in
      log.duringPause.withLock { $0 }?()
      check()
    }) {
      log.abandonedCount.withLock { $0 += 1 }
    }
  }

  @Test func `a service that no client comes to is abandoned`() {
    let log = Log()
    presence(log).begin()
    #expect(log.abandonedCount.withLock { $0 } == 1)
  }

  @Test func `only the last client that leaves begins the wait`() {
    let log = Log()
    let presence = presence(log)
    presence.arrived()
    presence.arrived()
    presence.left()
    #expect(log.abandonedCount.withLock { $0 } == 0)
    presence.left()
    #expect(log.abandonedCount.withLock { $0 } == 1)
  }

  @Test func `a client that comes during the wait ends it, even if it leaves again`() {
    let log = Log()
    let presence = presence(log)
    presence.arrived()
    log.duringPause.withLock { $0 = { presence.arrived() } }
    presence.left()
    #expect(log.abandonedCount.withLock { $0 } == 0)
  }
}
