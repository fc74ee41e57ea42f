import KettleDesktop
import Logging
import KettleSystem
import KettleEngine
import KettleModel

/// Tells the user on the desktop what the board decides, when its time has come.
final class PersonTelling: Sendable {
  struct Ports: Sendable {
    /// Its alarm is used here alone.
    var clock: any EngineClock
    /// Whether a person looks at a screen of ours.
    var isWatched: @Sendable () -> Bool
    /// May take its time, and fail in silence.
    var show: @Sendable (Alert) async -> Void
  }

  private struct State {
    var board: AlertBoard
    var alarmAt: MonotonicTime?
    var hasEnded = false
  }

  private let ports: Ports
  private let state: Mutex<State>

  init(_ settings: AlertBoard.Settings, ports: Ports) {
    self.ports = ports
    state = Mutex(State(board: AlertBoard(settings)))
  }

  /// Begins with what only the store has.
  func begin(_ dormant: DormantTally) { state.withLock { $0.board.begin(dormant) } }

  /// Takes what a transfer was, and what it is.
  func observe(_ before: TransferSnapshot?, _ after: TransferSnapshot?) {
    let isWatched = ports.isWatched()
    let now = ports.clock.now().monotonic
    state.withLock { $0.board.take(before, after, isWatched: isWatched, at: now) }
    setAlarm()
  }

  /// Takes what is new.
  func observe(_ listed: ListedTransfers) {
    state.withLock { $0.board.take(listed.counts) }
    setAlarm()
  }

  func end() {
    state.withLock { $0.hasEnded = true }
    ports.clock.wake(at: nil) {}
  }

  /// An alarm that rings too early, because more has happened since, is set again.
  private func setAlarm() {
    let deadline: MonotonicTime? = state.withLock { state in
      let dueAt = state.board.dueAt
      guard !state.hasEnded, dueAt != state.alarmAt else { return nil }
      state.alarmAt = dueAt
      return dueAt
    }
    // Outside the lock, because the clock may ring at once.
    if let deadline { ports.clock.wake(at: deadline) { [weak self] in self?.ring() } }
  }

  private func ring() {
    let isWatched = ports.isWatched()
    let now = ports.clock.now().monotonic
    let alert: Alert? = state.withLock { state in
      state.alarmAt = nil
      return state.hasEnded ? nil : state.board.alert(at: now, isWatched: isWatched)
    }
    setAlarm()
    guard let alert else { return }
    Task(executorPreference: WorkLanes.tasks) { [ports] in await ports.show(alert) }
  }
}

extension PersonTelling {
  /// On the desktop of the one whose service this is.
  static func onDesktop(
    _ settings: ServiceSettings.Alerts, _ broadcaster: Broadcaster, _ logger: Logger
  ) -> PersonTelling {
    let notifier = DesktopNotifier(settings.busAddresses)
    return PersonTelling(
      settings.board,
      ports: Ports(
        clock: SystemClock(), isWatched: { broadcaster.isWatchedByPerson },
        show: { alert in
          do throws(BusError) {
            try await notifier.show(alert)
          } catch {
            // Most often nobody is logged in, or there is no desktop at all.
            logger.debug("The desktop was not told", metadata: ["error": "\(error)"])
          }
        }))
  }
}
