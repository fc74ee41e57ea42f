import Dispatch
import Foundation
import KettleSystem
import KettleTasks

/// The launch of this process for a session, and the handler that the program registered for it.
package final class LaunchEvents: Sendable {
  static let shared = LaunchEvents(
    identifier: ProcessInfo.processInfo.environment["KETTLE_SESSION_EVENTS"])

  private enum Handling {
    case unregistered
    /// The registered handler is about to be called, or has not returned yet.
    case calling
    case called
  }

  package let identifier: String?
  private let isUsed = Mutex(false)
  private let handling = Mutex(Handling.unregistered)

  package init(identifier: String?) { self.identifier = identifier }

  /// Returns true once, for the session that this process was launched for. A session that is
  /// created again after its invalidation gets false.
  package func consumeLaunch(for identifier: String) -> Bool {
    guard identifier == self.identifier else { return false }
    return isUsed.withLock { isUsed in
      defer { isUsed = true }
      return !isUsed
    }
  }

  /// Whether the program calls the completion handler itself.
  package var isRegistered: Bool { handling.withLock { $0 != .unregistered } }

  /// Whether the registered handler is about to be called, or is running, for this session.
  package func isCalling(for identifier: String) -> Bool {
    identifier == self.identifier && handling.withLock { $0 == .calling }
  }

  /// Calls `body` on the main queue. The delegate of the session receives no call until `body` has
  /// returned: only then does the program have the completion handler.
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
    URLSessionRegistry.shared.feed(.holdEvents, to: identifier)
    DispatchQueue.main.async { [self] in
      MainActor.assumeIsolated {
        body(identifier) { URLSessionRegistry.shared.eventsWereHandled(identifier) }
      }
      handling.withLock { $0 = .called }
      URLSessionRegistry.shared.feed(.releaseEvents, to: identifier)
    }
  }
}
