import KettleTasks
import Dispatch
import Foundation
import KettleSystem

/// That this process was started for a session, and who wants to know.
package final class LaunchEvents: Sendable {
  static let shared = LaunchEvents(
    identifier: ProcessInfo.processInfo.environment["KETTLE_SESSION_EVENTS"])

  private enum Handling {
    case unregistered
    /// What the program registered is about to be called, or was not left yet.
    case calling
    case called
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
  package var isRegistered: Bool { handling.withLock { $0 != .unregistered } }

  /// Whether the program is just being told that it was started for this session.
  package func isCalling(for identifier: String) -> Bool {
    identifier == self.identifier && handling.withLock { $0 == .calling }
  }

  /// Calls `body` on the main queue. The delegate of the session that it is about is called for
  /// nothing until `body` has returned: only then does the program have the handler.
  package func register(
    _ body: @escaping @MainActor (String, @escaping @Sendable () -> Void) -> Void
  ) {
    guard let identifier else { return }
    let isFirst = handling.withLock { handling in
      guard handling == .unregistered else { return false }
      handling = .calling
      return true
    }
    guard isFirst else { return }
    SessionRegistry.shared.feed(.holdEvents, to: identifier)
    DispatchQueue.main.async { [self] in
      MainActor.assumeIsolated {
        body(identifier) { SessionRegistry.shared.eventsWereHandled(identifier) }
      }
      handling.withLock { $0 = .called }
      SessionRegistry.shared.feed(.releaseEvents, to: identifier)
    }
  }
}
