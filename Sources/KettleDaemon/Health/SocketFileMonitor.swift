import Dispatch
import KettleEngine
import KettleSocket
import KettleSystem
import Logging

/// Checks that the socket file exists, and has it bound again when it is gone: the last logout
/// deletes the runtime directory, and the next login creates another.
///
/// The kernel reports removals from the directory, which trigger a check. A file system mounted
/// over the directory is not reported, so a timer checks as well; it does so more often for a while
/// after a removal, because more will follow.
final class SocketFileMonitor: Sendable {
  struct Pace: Sendable {
    var calm = Duration.seconds(60)
    var alert = Duration.seconds(5)
    /// The number of checks at the alert pace after a check that found something.
    var alertLookCount = 12
  }

  private enum Phase {
    case resting
    case looking
  }

  private struct State {
    var phase = Phase.resting
    /// It could not be restored; logged once, because this can last for days.
    var isFailing = false
    var alertLooksLeft = 0
  }

  private let pace: Pace
  private let directory: String
  private let logger: Logger
  private let restore: @Sendable () async throws -> Bool
  private let queue = DispatchQueue(label: "kettle.socket-keeper")
  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let timer: any DispatchSourceTimer
  private let departures: DirectoryRemovalWatch?
  private let state = Mutex(State())

  /// - Parameter restore: returns whether it had to do something.
  init(
    of socketPath: String, pace: Pace = Pace(), logger: Logger,
    restore: @escaping @Sendable () async throws -> Bool
  ) {
    self.pace = pace
    self.logger = logger
    self.restore = restore
    directory = socketPath.lastIndex(of: "/").map { String(socketPath[..<$0]) } ?? "."
    timer = DispatchSource.makeTimerSource(queue: queue)
    // Without it, the timer must suffice.
    departures = DirectoryRemovalWatch(queue: queue)
    timer.setEventHandler { [weak self] in self?.look() }
    departures?.begin { [weak self] in self?.somethingLeft() }
    departures?.watch(directory)
    schedule(pace.calm)
    timer.activate()
  }

  func end() {
    timer.cancel()
    departures?.end()
  }

  private func schedule(_ interval: Duration) {
    let (seconds, attoseconds) = interval.components
    let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    timer.schedule(
      deadline: .now() + .milliseconds(milliseconds), leeway: .milliseconds(milliseconds / 5))
  }

  private func somethingLeft() {
    state.withLock { $0.alertLooksLeft = pace.alertLookCount }
    look()
  }

  private func look() {
    let begins = state.withLock { state in
      guard case .resting = state.phase else { return false }
      state.phase = .looking
      state.alertLooksLeft = max(0, state.alertLooksLeft - 1)
      return true
    }
    // The check in progress sets the timer when it finishes.
    guard begins else { return }
    Task(executorPreference: WorkerPool.tasks) { [self] in
      let failure: (any Error)?
      do {
        if try await restore() { logger.info("The socket was put back after its file had gone") }
        failure = nil
      } catch {
        failure = error
      }
      looked(failure)
    }
  }

  private func looked(_ failure: (any Error)?) {
    let (isNews, isAlert) = state.withLock { state in
      defer {
        state.isFailing = failure != nil
        state.phase = .resting
      }
      return (!state.isFailing, failure != nil || state.alertLooksLeft > 0)
    }
    if let failure, isNews {
      let sentence = ServiceSentence.of(failure)
      logger.error("The socket cannot be put back", metadata: ["error": "\(sentence)"])
    }
    // It may be a different directory by now.
    departures?.watch(directory)
    schedule(isAlert ? pace.alert : pace.calm)
  }
}
