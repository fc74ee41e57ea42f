import Foundation
import FoundationNetworking

/// Receives the events of a session as a whole. Every method has a default implementation.
///
/// The session calls its delegate on the delegate queue, one call at a time and in order. Source:
/// Apple's documentation of `URLSessionDelegate`. Unlike Apple's protocol, this one does not
/// inherit from `NSObjectProtocol`, so that an actor can be a delegate too.
///
/// ```swift
/// import BackgroundTransfer
/// import Foundation
///
/// final class Ends: URLSessionDelegate {
///   func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
///     print("\(session) is over: \(error?.localizedDescription ?? "as it was asked for")")
///   }
///
///   func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
///     print("\(session) has told everything")
///   }
/// }
/// ```
@preconcurrency
public protocol URLSessionDelegate: AnyObject {
  /// The last call of a session, which then releases its delegate.
  ///
  /// The error is nil when the program requested the invalidation (`invalidateAndCancel`,
  /// `finishTasksAndInvalidate`).
  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

  /// Called for challenges that concern a connection: server trust, client certificate, NTLM and
  /// Negotiate. The default implementation leaves the challenge to the method of the task delegate.
  ///
  /// ```swift
  /// import BackgroundTransfer
  /// import Foundation
  ///
  /// final class Pinning: NSObject, URLSessionDelegate {
  ///   func urlSession(
  ///     _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
  ///     completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ///   ) {
  ///     guard let trust = challenge.protectionSpace.serverTrust, trust.isTrustedBySystem else {
  ///       return completionHandler(.cancelAuthenticationChallenge, nil)
  ///     }
  ///     completionHandler(.useCredential, URLCredential(trust: trust))
  ///   }
  /// }
  /// ```
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

  /// The `async` form, called when the form with a completion handler is not implemented.
  ///
  /// ```swift
  /// import BackgroundTransfer
  /// import Foundation
  ///
  /// actor Pinning: URLSessionDelegate {
  ///   func urlSession(
  ///     _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ///   ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
  ///     guard let trust = challenge.protectionSpace.serverTrust, trust.isTrustedBySystem else {
  ///       return (.cancelAuthenticationChallenge, nil)
  ///     }
  ///     return (.useCredential, URLCredential(trust: trust))
  ///   }
  /// }
  /// ```
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

  /// Called when a program that was launched for the session has received every event that happened
  /// meanwhile. Call the handler that `BackgroundEvents` provided.
  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

extension URLSessionDelegate {
  public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}

  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    ChallengeMarker.markUnimplemented(challenge)
    completionHandler(.performDefaultHandling, nil)
  }

  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    ChallengeMarker.markUnimplemented(challenge)
    return (.performDefaultHandling, nil)
  }

  public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
}
