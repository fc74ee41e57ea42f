import KettleEngine
import KettleModel
import KettleSystem

/// Forwards engine events. The sessions need the engine, so they are added later.
final class EngineObservers: Sendable {
  private let broadcaster: Broadcaster
  private let need: ConditionNeed
  private let telling: DesktopNotificationBridge?
  private let clock: any EngineClock
  private let sessions = Mutex<SessionRegistry?>(nil)

  init(
    broadcaster: Broadcaster, need: ConditionNeed, telling: DesktopNotificationBridge? = nil,
    clock: any EngineClock
  ) {
    self.broadcaster = broadcaster
    self.need = need
    self.telling = telling
    self.clock = clock
  }

  /// Must be called before the engine starts.
  func add(_ registry: SessionRegistry) { sessions.withLock { $0 = registry } }

  func observe(_ event: EngineEvent) {
    need.observe(event)
    sessions.withLock { $0 }?.observe(event)
    tell(event)
    broadcaster.observe(event, at: clock.now().wall)
  }

  /// Runs before the broadcaster, which still has the previous row.
  private func tell(_ event: EngineEvent) {
    switch event {
    case .recovered(let dormant, _): telling?.begin(dormant)
    case .added(let row): telling?.observe(nil, row)
    case .listed(let listed): telling?.observe(listed)
    case .changed(let row): telling?.observe(broadcaster.row(row.id), row)
    case .removed(let row): telling?.observe(row, nil)
    case .woken, .slept, .progress, .cleared, .limited: break
    }
  }
}
