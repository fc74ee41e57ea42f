import KettleDesktop
import KettleEngine
import KettleModel
import KettleSystem
import Logging

/// Shows desktop notifications that the board decides on, when they are due.
final class DesktopNotificationBridge: Sendable {
  struct Ports: Sendable {
    /// A clock whose alarm is used only here.
    var clock: any EngineClock
    /// Whether a person is watching one of our screens.
    var isWatched: @Sendable () -> Bool
    /// May be slow, and may fail silently.
    var show: @Sendable (Alert) async -> Void
  }

  private enum Phase {
    case running(alarmAt: MonotonicTime?)
    case ended
  }

  private struct State {
    var board: AlertBoard
    var phase = Phase.running(alarmAt: nil)
  }

  private let ports: Ports
  private let state: Mutex<State>

  init(_ settings: AlertBoard.Settings, ports: Ports) {
    self.ports = ports
    state = Mutex(State(board: AlertBoard(settings)))
  }

  /// Starts with the totals of the dormant transfers.
  func begin(_ dormant: EvictedTally) { state.withLock { $0.board.begin(dormant) } }

  /// Handles a change of a transfer.
  func observe(from before: TransferSnapshot?, to after: TransferSnapshot?) {
    // Most changes are progress, and the answer may need a look at processes.
    let isWatched =
      AlertBoard.dependsOnWatcher(from: before, to: after) && ports.isWatched()
    let now = ports.clock.now().monotonic
    state.withLock { $0.board.record(from: before, to: after, isWatched: isWatched, at: now) }
    setAlarm()
  }

  /// Handles new transfers.
  func observe(_ listed: ListedTransfers) {
    state.withLock { $0.board.record(listed.counts) }
    setAlarm()
  }

  func end() {
    state.withLock { $0.phase = .ended }
    ports.clock.wake(at: nil) {}
  }

  /// An alarm that fires too early, because more has happened since, is set again.
  private func setAlarm() {
    let deadline: MonotonicTime? = state.withLock { state in
      let dueAt = state.board.dueAt
      guard case .running(let alarmAt) = state.phase, dueAt != alarmAt else { return nil }
      state.phase = .running(alarmAt: dueAt)
      return dueAt
    }
    // Outside the lock, because the clock may fire at once.
    if let deadline { ports.clock.wake(at: deadline) { [weak self] in self?.ring() } }
  }

  private func ring() {
    let isWatched = ports.isWatched()
    let now = ports.clock.now().monotonic
    let alert: Alert? = state.withLock { state in
      guard case .running = state.phase else { return nil }
      state.phase = .running(alarmAt: nil)
      return state.board.alert(at: now, isWatched: isWatched)
    }
    setAlarm()
    guard let alert else { return }
    Task(executorPreference: WorkerPool.tasks) { [ports] in await ports.show(alert) }
  }
}

extension DesktopNotificationBridge {
  /// Shows notifications on the desktop of the user who owns the service.
  static func onDesktop(
    _ settings: ServiceSettings.Alerts, broadcaster: Broadcaster, logger: Logger
  ) -> DesktopNotificationBridge {
    let notifier = DesktopNotifier(settings.busAddresses)
    return DesktopNotificationBridge(
      settings.board,
      ports: Ports(
        clock: ServiceClock(), isWatched: { broadcaster.isWatchedByPerson },
        show: { alert in
          do throws(BusError) {
            try await notifier.show(alert)
          } catch {
            // Most often no user is logged in, or there is no desktop.
            logger.debug("A notification could not be shown", metadata: ["error": "\(error)"])
          }
        }))
  }
}
