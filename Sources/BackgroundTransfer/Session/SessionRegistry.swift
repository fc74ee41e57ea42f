import Foundation
import Synchronization

/// The live sessions of this process: one for an identifier.
final class SessionRegistry: Sendable {
  static let shared = SessionRegistry()

  private let cores = Mutex<[String: SessionCore]>([:])

  func core(
    for configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
    queue: OperationQueue?
  ) -> SessionCore {
    let identifier = configuration.identifier ?? ""
    let made = SessionCore(
      configuration: configuration.copy(), delegate: delegate, queue: queue)
    return cores.withLock { cores in
      cores[identifier] = cores[identifier] ?? made
      return cores[identifier] ?? made
    }
  }

  func eventsWereHandled(_ identifier: String) {}
}
