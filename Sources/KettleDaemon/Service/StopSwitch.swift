import Dispatch
import Glibc
import KettleSystem
import struct Synchronization.Atomic

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

/// SIGTERM and SIGINT shut the service down cleanly; a second one ends it immediately.
///
/// On Linux a signal source of libdispatch installs its own handler. Until then each signal keeps
/// its default action, which ends the process. Ignoring it first would lose signals that arrive
/// before the handler is installed.
final class TerminationSignals: Sendable {
  private final class Arrivals: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
  }

  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

  private init(_ sources: [any DispatchSourceSignal]) { self.sources = sources }

  /// Calls `end` for the first signal. Returns when both handlers are installed.
  static func handle(
    by end: @escaping @Sendable () -> Void
  ) async -> TerminationSignals {
    let queue = DispatchQueue(label: "kettle.signals")
    let arrivals = Arrivals()
    let sources = [SIGTERM, SIGINT].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        if arrivals.next() == 1 { end() } else { _exit(128 + number) }
      }
      return source
    }
    for source in sources {
      await withCheckedContinuation { continuation in
        source.setRegistrationHandler { continuation.resume() }
        source.activate()
      }
    }
    return TerminationSignals(sources)
  }

  func end() { for source in sources { source.cancel() } }
}
