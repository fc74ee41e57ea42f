import Dispatch
import Glibc
import KettleSystem
import struct Synchronization.Atomic

/// SIGTERM and SIGINT shut the service down cleanly; a second one ends it immediately. SIGHUP makes
/// it read its configuration again.
///
/// On Linux a signal source of libdispatch installs its own handler. Until then each signal keeps
/// its default action, which ends the process. Ignoring it first would lose signals that arrive
/// before the handler is installed.
final class ServiceSignals: Sendable {
  private final class Arrivals: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
  }

  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

  private init(_ sources: [any DispatchSourceSignal]) { self.sources = sources }

  /// Calls `end` for the first of SIGTERM and SIGINT, and `reload` for each SIGHUP. Returns when
  /// all handlers are installed.
  static func handle(
    by end: @escaping @Sendable () -> Void, reload: @escaping @Sendable () -> Void
  ) async -> ServiceSignals {
    let queue = DispatchQueue(label: "kettle.signals")
    let arrivals = Arrivals()
    let sources = [SIGTERM, SIGINT].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        if arrivals.next() == 1 { end() } else { _exit(128 + number) }
      }
      return source
    }
    let hangUp = DispatchSource.makeSignalSource(signal: SIGHUP, queue: queue)
    hangUp.setEventHandler(handler: reload)
    let all = sources + [hangUp]
    for source in all {
      await withCheckedContinuation { continuation in
        source.setRegistrationHandler { continuation.resume() }
        source.activate()
      }
    }
    return ServiceSignals(all)
  }

  func end() { for source in sources { source.cancel() } }
}

/// A one-way switch, turned on by a signal, a request or the absence of clients; it resumes the
/// waiting task. The first reason counts.
final class StopSwitch: Sendable {
  enum Reason: Sendable {
    case requested
    /// No client was connected for as long as the options permit.
    case abandoned
  }

  private enum State: Sendable {
    case off
    case awaited(CheckedContinuation<Reason, Never>)
    case on(Reason)
  }

  private let state = Mutex(State.off)

  func turnOn(_ reason: Reason = .requested) {
    let waiting = state.withLock { state -> CheckedContinuation<Reason, Never>? in
      switch state {
      case .off:
        state = .on(reason)
        return nil
      case .awaited(let continuation):
        state = .on(reason)
        return continuation
      case .on: return nil
      }
    }
    waiting?.resume(returning: reason)
  }

  /// Returns why the switch is on, once it is. At most one task waits.
  func waitUntilOn() async -> Reason {
    await withCheckedContinuation { continuation in
      let reason: Reason? = state.withLock { state in
        if case .on(let reason) = state { return reason }
        state = .awaited(continuation)
        return nil
      }
      if let reason { continuation.resume(returning: reason) }
    }
  }
}

/// Reaps the processes whose parents have ended, as the first process of a container must. They
/// would fill the process table otherwise.
final class OrphanReaper: Sendable {
  private let queue = DispatchQueue(label: "kettle.orphans")
  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let source: any DispatchSourceSignal

  /// How long the thread that waits for a child of ours has to reap it.
  private static let pauseMilliseconds = 20

  /// Returns nil unless orphans become children of this process.
  init?() {
    guard getpid() == 1 else { return nil }
    source = DispatchSource.makeSignalSource(signal: SIGCHLD, queue: queue)
    source.setEventHandler { [weak self] in self?.reap() }
    source.activate()
  }

  func end() { source.cancel() }

  private func reap() {
    while let processID = Self.endedChild() {
      guard !OwnChildren.reapUnlessOwn(processID) else { continue }
      queue.asyncAfter(deadline: .now() + .milliseconds(Self.pauseMilliseconds)) { [weak self] in
        self?.reap()
      }
      return
    }
  }

  /// Returns a child that has ended and was not reaped, without reaping it.
  private static func endedChild() -> pid_t? {
    var information = siginfo_t()
    guard waitid(P_ALL, 0, &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return nil }
    let processID = information._sifields._sigchld.si_pid
    return processID > 0 ? processID : nil
  }
}
