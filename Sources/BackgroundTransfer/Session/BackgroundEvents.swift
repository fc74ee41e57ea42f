import Dispatch
import Foundation

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
