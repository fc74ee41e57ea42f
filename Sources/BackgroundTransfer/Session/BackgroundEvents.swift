import Dispatch
import Foundation

/// The counterpart of `application(_:handleEventsForBackgroundURLSession:completionHandler:)`: how
/// a program learns that it was started because a session of it has news.
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
  /// Registers what is called, on the main queue and at most once in the life of the process, when
  /// the service started the program for a session.
  ///
  /// Register at the start of the program, before the session is made: its delegate is called for
  /// nothing until `body` has returned, and the main queue has to run for that.
  /// `completionHandler` tells the service that everything was taken; it may be called on any
  /// thread, and a second call does nothing. Without it the service notes after 30 seconds that the
  /// program fell silent.
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

  /// The identifier of the session for which the service started this program; nil when somebody
  /// else started it.
  ///
  /// ```swift
  /// let isInBackground = BackgroundEvents.sessionIdentifier != nil
  /// ```
  public static var sessionIdentifier: String? { LaunchEvents.shared.identifier }
}
