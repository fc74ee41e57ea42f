import Synchronization
import TransferEngine
import TransferModel

/// Passes on what the engine tells. The sessions need the engine, so they come after it.
final class EngineObservers: Sendable {
  private let broadcaster: Broadcaster
  private let need: ConditionNeed
  private let clock: any EngineClock
  private let sessions = Mutex<SessionRegistry?>(nil)

  init(broadcaster: Broadcaster, need: ConditionNeed, clock: any EngineClock) {
    self.broadcaster = broadcaster
    self.need = need
    self.clock = clock
  }

  /// Before the engine starts.
  func add(_ registry: SessionRegistry) { sessions.withLock { $0 = registry } }

  func observe(_ event: EngineEvent) {
    need.observe(event)
    sessions.withLock { $0 }?.observe(event)
    broadcaster.observe(event, at: clock.now().wall)
  }
}
