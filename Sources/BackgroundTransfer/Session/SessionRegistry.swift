import KettleTasks
import Dispatch
import Foundation
import Glibc
import KettleSystem

/// The live sessions of this process: one for an identifier.
final class SessionRegistry: Sendable {
  static let shared = SessionRegistry()

  private struct State {
    var cores: [String: SessionCore] = [:]
    /// Sessions whose events were handled before they were made, or once already.
    var handled: Set<String> = []
    var flushesAtExit = false
  }

  private let state = Mutex(State())

  /// How long the process may be kept from ending by what the service has not acknowledged.
  private static let flushBudget = DispatchTimeInterval.seconds(2)

  func core(
    for configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
    queue: OperationQueue?
  ) -> SessionCore {
    let identifier = configuration.identifier ?? ""
    let box = delegate.map(SessionCore.Delegate.init)
    let (core, isFirst) = state.withLock { state in
      if let core = state.cores[identifier], !core.isOver { return (core, false) }
      let core = SessionCore(configuration: configuration.copy(), delegate: box, queue: queue)
      // Sessions without a name are not the same session.
      if !identifier.isEmpty { state.cores[identifier] = core }
      defer { state.flushesAtExit = true }
      return (core, !state.flushesAtExit)
    }
    if isFirst { atexit { SessionRegistry.shared.flush() } }
    if LaunchEvents.shared.isCalling(for: identifier) {
      core.feed(.holdEvents)
      // It may have been called just now, when the session was not there to be told.
      if !LaunchEvents.shared.isCalling(for: identifier) { core.feed(.releaseEvents) }
    }
    return core
  }

  /// Nothing when there is no such session yet.
  func feed(_ input: SessionInput, to identifier: String) {
    state.withLock { $0.cores[identifier] }?.feed(input)
  }

  func forget(_ core: SessionCore) {
    state.withLock { state in
      if state.cores[core.identifier] === core { state.cores[core.identifier] = nil }
    }
  }

  /// Called by the handler that the program was given; only the first time counts.
  func eventsWereHandled(_ identifier: String) {
    let core = state.withLock { state in
      state.handled.insert(identifier).inserted ? state.cores[identifier] : nil
    }
    core?.feed(.finishEvents)
  }

  /// Whether the program said that it is done before it had made the session.
  func wereEventsHandled(_ identifier: String) -> Bool {
    state.withLock { $0.handled.contains(identifier) }
  }

  private func flush() {
    let deadline = DispatchTime.now() + Self.flushBudget
    for core in state.withLock({ Array($0.cores.values) }) { core.flush(until: deadline) }
  }
}
