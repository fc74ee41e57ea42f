import Dispatch
import Glibc

/// A request by the user or the system to end the command.
package enum Interruption: Hashable, Sendable {
  /// SIGINT: Ctrl-C.
  case interrupt
  /// SIGTERM.
  case terminate
}

package protocol InterruptionSource: Sendable {
  /// From this call on, the signals do not end the process but arrive on the stream, until the
  /// stream is dropped.
  func interruptions() -> AsyncStream<Interruption>
}

/// SIGINT and SIGTERM of this process.
package struct ProcessSignals: InterruptionSource {
  package init() {}

  package func interruptions() -> AsyncStream<Interruption> {
    AsyncStream { continuation in
      let watched = [(SIGINT, Interruption.interrupt), (SIGTERM, .terminate)].compactMap {
        number, interruption in
        Self.watch(number) { continuation.yield(interruption) }
      }
      continuation.onTermination = { _ in for source in watched { source.cancel() } }
    }
  }

  /// Returns nil when the signal is ignored: a shell without job control starts background commands
  /// that way, so that Ctrl-C ends only the foreground command.
  private static func watch(
    _ number: Int32, onSignal handler: @escaping @Sendable () -> Void
  ) -> WatchedSignal? {
    // libdispatch installs its own handler. Ignoring the signal until then would lose one that
    // arrives in between.
    var before = sigaction()
    guard sigaction(number, nil, &before) == 0,
      unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self)
        != unsafeBitCast(SIG_IGN, to: Int.self)
    else { return nil }
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler(handler: handler)
    source.resume()
    return WatchedSignal(number, source)
  }

  /// A dispatch source may be cancelled from any thread (dispatch_source_cancel), which its type
  /// does not express.
  private struct WatchedSignal: @unchecked Sendable {
    private let number: Int32
    private let source: any DispatchSourceSignal

    init(_ number: Int32, _ source: any DispatchSourceSignal) {
      self.number = number
      self.source = source
    }

    func cancel() {
      source.cancel()
      signal(number, SIG_DFL)
    }
  }
}
