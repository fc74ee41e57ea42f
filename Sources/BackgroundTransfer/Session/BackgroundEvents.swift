import Dispatch
import Foundation
import KettleSystem

/// Tells a program that it was launched because its session has news: the counterpart of
/// `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
///
/// ```swift
/// import BackgroundTransfer
///
/// BackgroundEvents.handle { identifier, completionHandler in
///   // Make the session `identifier` here, and call the handler once from
///   // `urlSessionDidFinishEvents(forBackgroundURLSession:)`.
///   completionHandler()
/// }
/// ```
public enum BackgroundEvents {
  /// Registers the handler for a launch by the service. It is called on the main queue, at most
  /// once in the life of the process, and only if the service launched the program for a session.
  ///
  /// Register at the start of the program, before the session is created: its delegate receives no
  /// call until `body` has returned, which requires a running main queue. `completionHandler` tells
  /// the service that the program has handled every event. It may be called on any thread; a second
  /// call does nothing. Without it, the service records after 30 seconds that the program does not
  /// respond.
  ///
  /// Source: Apple's documentation of
  /// `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
  ///
  /// ```swift
  /// BackgroundEvents.handle { identifier, completionHandler in
  ///   print("News for the session \"\(identifier)\"")
  ///   completionHandler()
  /// }
  /// ```
  public static func handle(
    _ body:
      @escaping @MainActor (
        _ identifier: String, _ completionHandler: @escaping @Sendable () -> Void
      ) -> Void
  ) {
    LaunchEvents.shared.register(body)
  }

  /// The identifier of the session for which the service launched this program; nil when the
  /// service did not launch it.
  ///
  /// ```swift
  /// let isInBackground = BackgroundEvents.sessionIdentifier != nil
  /// ```
  public static var sessionIdentifier: String? { LaunchEvents.shared.identifier }
}

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
