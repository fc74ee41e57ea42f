import Dispatch
import Foundation
import Glibc
import KettleSystem

/// The live sessions of this process, one for each identifier.
final class URLSessionRegistry: Sendable {
  static let shared = URLSessionRegistry()

  private struct State {
    var cores: [String: SessionCore] = [:]
    /// The sessions whose events were handled, whether or not the session existed then.
    var handled: Set<String> = []
    var flushesAtExit = false
  }

  private let state = Mutex(State())

  func core(
    for configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
    queue: OperationQueue?
  ) -> SessionCore {
    let identifier = configuration.identifier ?? ""
    let box = delegate.map(SessionCore.Delegate.init)
    let (core, isFirst) = state.withLock { state in
      if let core = state.cores[identifier], !core.isOver { return (core, false) }
      let core = SessionCore(
        configuration: configuration.copyForService(), delegate: box, queue: queue)
      // Sessions without an identifier are all different.
      if !identifier.isEmpty { state.cores[identifier] = core }
      defer { state.flushesAtExit = true }
      return (core, !state.flushesAtExit)
    }
    if isFirst { atexit { URLSessionRegistry.shared.leave() } }
    if LaunchEvents.shared.isCalling(for: identifier) {
      core.feed(.holdEvents)
      // The handler may have returned just now, before the session was here to be notified.
      if !LaunchEvents.shared.isCalling(for: identifier) { core.feed(.releaseEvents) }
    }
    return core
  }

  /// Does nothing when there is no such session yet.
  func feed(_ input: BackgroundSessionInput, to identifier: String) {
    state.withLock { $0.cores[identifier] }?.feed(input)
  }

  func forget(_ core: SessionCore) {
    state.withLock { state in
      if state.cores[core.identifier] === core { state.cores[core.identifier] = nil }
    }
  }

  /// Handles a call of the completion handler that the program received; only the first counts.
  func eventsWereHandled(_ identifier: String) {
    let core = state.withLock { state in
      state.handled.insert(identifier).inserted ? state.cores[identifier] : nil
    }
    core?.feed(.finishEvents)
  }

  /// Whether the program called the completion handler before it created the session.
  func wereEventsHandled(_ identifier: String) -> Bool {
    state.withLock { $0.handled.contains(identifier) }
  }

  /// Called at the normal end of the process. Blocks until the service has what the program
  /// requested and knows what the program received, and reports the tasks that it could not record.
  private func leave() {
    for core in state.withLock({ Array($0.cores.values) }) {
      let count = core.leave()
      guard count > 0 else { continue }
      let (tasks, them) = count == 1 ? ("a task", "it") : ("\(count) tasks", "them")
      StandardError.write(
        "BackgroundTransfer: the service did not record \(tasks) of the session "
          + "\"\(core.identifier)\" before the program ended; check the service with "
          + "\"kettle daemon status\" and request \(them) again")
    }
    TerminalGauge.ofProgram?.clear()
  }
}
