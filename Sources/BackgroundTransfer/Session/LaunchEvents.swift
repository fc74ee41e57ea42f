import Dispatch
import Foundation
import Synchronization

/// That this process was started for a session, and who wants to know.
package final class LaunchEvents: Sendable {
  static let shared = LaunchEvents(
    identifier: ProcessInfo.processInfo.environment["KETTLE_SESSION_EVENTS"])

  private enum Handling {
    case unregistered, registered
  }

  package let identifier: String?
  private let isTaken = Mutex(false)
  private let handling = Mutex(Handling.unregistered)

  package init(identifier: String?) { self.identifier = identifier }

  /// Answers true once, for the session that this process was started for: a session that is made
  /// again after it was invalidated was not.
  package func takeLaunch(for identifier: String) -> Bool {
    guard identifier == self.identifier else { return false }
    return isTaken.withLock { isTaken in
      defer { isTaken = true }
      return !isTaken
    }
  }

  /// Whether the program calls the handler by itself.
  package var isRegistered: Bool { handling.withLock { $0 == .registered } }

  package func register(
    _ body: @escaping @MainActor (String, @escaping @Sendable () -> Void) -> Void
  ) {
    guard let identifier else { return }
    let isFirst = handling.withLock { handling in
      defer { handling = .registered }
      return handling == .unregistered
    }
    guard isFirst else { return }
    DispatchQueue.main.async {
      MainActor.assumeIsolated {
        body(identifier) { SessionRegistry.shared.eventsWereHandled(identifier) }
      }
    }
  }
}
