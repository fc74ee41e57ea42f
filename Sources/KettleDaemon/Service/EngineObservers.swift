import KettleEngine
import KettleModel
import KettleSystem

/// Forwards engine events. The sessions and the hooks need the engine, so they are added later.
final class EngineObservers: Sendable {
  private let broadcaster: Broadcaster
  private let need: ConditionNeed
  private let notifications: DesktopNotificationBridge?
  private let ledger: RPCLedger?
  private let clock: any EngineClock
  private let sessions = Mutex<SessionRegistry?>(nil)
  private let hooks = Mutex<HookRegistry?>(nil)
  private let memory = Mutex<MemoryReturn?>(nil)

  init(
    broadcaster: Broadcaster, need: ConditionNeed,
    notifications: DesktopNotificationBridge? = nil, ledger: RPCLedger? = nil,
    clock: any EngineClock
  ) {
    self.broadcaster = broadcaster
    self.need = need
    self.notifications = notifications
    self.ledger = ledger
    self.clock = clock
  }

  /// Must be called before the engine starts.
  func add(_ registry: SessionRegistry) { sessions.withLock { $0 = registry } }

  /// Must be called before the engine starts.
  func add(_ registry: HookRegistry) { hooks.withLock { $0 = registry } }

  /// Must be called before the engine starts.
  func add(_ memory: MemoryReturn) { self.memory.withLock { $0 = memory } }

  func observe(_ event: EngineEvent) {
    memory.withLock { $0 }?.observe(event)
    need.observe(event)
    sessions.withLock { $0 }?.observe(event)
    notify(of: event)
    broadcaster.observe(event, at: clock.now().wall)
    ledger?.observe(event)
    hooks.withLock { $0 }?.observe(event)
  }

  /// Runs before the broadcaster, which still has the previous row.
  private func notify(of event: EngineEvent) {
    switch event {
    case .recovered(let dormant, _): notifications?.begin(dormant)
    case .added(let row): notifications?.observe(from: nil, to: row)
    case .listed(let listed): notifications?.observe(listed)
    case .changed(let row): notifications?.observe(from: broadcaster.row(row.id), to: row)
    case .removed(let row): notifications?.observe(from: row, to: nil)
    case .loaded, .evicted, .progress, .cleared, .uncovered, .limited, .queues, .hooksDue:
      break
    }
  }
}
