import Dispatch
import Glibc
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
