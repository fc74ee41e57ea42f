import Dispatch
import Glibc
import KettleEngine
import KettleSocket
import KettleSystem
import Logging

/// Checks that the socket file exists, and has it bound again when it is gone: the last logout
/// deletes the runtime directory, and the next login creates another.
///
/// The kernel reports removals from the directory, which trigger a check. So does a client that
/// does not find the socket: it opens the start lock before it starts a service. A file system
/// mounted over the directory is not reported, so a timer checks as well; it does so more often for
/// a while after a removal, because more will follow.
final class SocketFileMonitor: Sendable {
  struct Pace: Sendable {
    var calm = Duration.seconds(60)
    var alert = Duration.seconds(5)
    /// The number of checks at the alert pace after a check that found something.
    var alertCheckCount = 12
  }

  private enum Phase {
    case idle
    case checking
  }

  private struct State {
    var phase = Phase.idle
    /// It could not be restored; logged once, because this can last for days.
    var isFailing = false
    var alertChecksLeft = 0
  }

  private let pace: Pace
  private let directory: String
  private let logger: Logger
  private let restore: @Sendable () async throws -> Bool
  private let queue = DispatchQueue(label: "kettle.socket-keeper")
  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let timer: any DispatchSourceTimer
  private let removals: PathWatch?
  private let state = Mutex(State())

  /// - Parameters:
  ///   - startLockPath: a file that clients open when they do not find the socket.
  ///   - restore: returns whether it had to do something.
  init(
    of socketPath: String, startLockPath: String? = nil, pace: Pace = Pace(), logger: Logger,
    restore: @escaping @Sendable () async throws -> Bool
  ) {
    self.pace = pace
    self.logger = logger
    self.restore = restore
    directory = socketPath.lastIndex(of: "/").map { String(socketPath[..<$0]) } ?? "."
    timer = DispatchSource.makeTimerSource(queue: queue)
    // Without it, the timer must suffice.
    removals = PathWatch(queue: queue)
    timer.setEventHandler { [weak self] in self?.check() }
    removals?.start { [weak self] in self?.entryRemoved() }
    removals?.watchRemovals(from: directory)
    if let startLockPath {
      // It must exist to be watched.
      _ = OwnedDescriptor(
        opened: open(startLockPath, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600))
      removals?.watchOpening(of: startLockPath)
    }
    schedule(pace.calm)
    timer.activate()
  }

  func end() {
    timer.cancel()
    removals?.end()
  }

  private func schedule(_ interval: Duration) {
    let (seconds, attoseconds) = interval.components
    let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    timer.schedule(
      deadline: .now() + .milliseconds(milliseconds), leeway: .milliseconds(milliseconds / 5))
  }

  private func entryRemoved() {
    state.withLock { $0.alertChecksLeft = pace.alertCheckCount }
    check()
  }

  private func check() {
    let isFirst = state.withLock { state in
      guard case .idle = state.phase else { return false }
      state.phase = .checking
      state.alertChecksLeft = max(0, state.alertChecksLeft - 1)
      return true
    }
    // The check in progress sets the timer when it finishes.
    guard isFirst else { return }
    Task(executorPreference: WorkerPool.tasks) { [self] in
      let failure: (any Error)?
      do {
        if try await restore() { logger.info("The socket file was missing and is restored") }
        failure = nil
      } catch {
        failure = error
      }
      checked(failure)
    }
  }

  private func checked(_ failure: (any Error)?) {
    let (isNews, isAlert) = state.withLock { state in
      defer {
        state.isFailing = failure != nil
        state.phase = .idle
      }
      return (!state.isFailing, failure != nil || state.alertChecksLeft > 0)
    }
    if let failure, isNews {
      let sentence = ServiceSentence.of(failure)
      logger.error("The socket file cannot be restored", metadata: ["error": "\(sentence)"])
    }
    // It may be a different directory by now.
    removals?.watchRemovals(from: directory)
    schedule(isAlert ? pace.alert : pace.calm)
  }
}
