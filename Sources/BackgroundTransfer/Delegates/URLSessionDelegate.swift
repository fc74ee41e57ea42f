import Foundation
import FoundationNetworking

/// Is told what concerns a session as a whole. Every method has a default.
///
/// The calls come on the delegate queue of the session, one at a time and in order. Source: Apple's
/// documentation of `URLSessionDelegate`. Unlike Apple's it does not ask for `NSObjectProtocol`, so
/// that an actor can be a delegate, too.
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
  /// Called last of all in a session; afterwards the session lets its delegate go.
  ///
  /// The error is nil when the program had asked for it (`invalidateAndCancel`,
  /// `finishTasksAndInvalidate`).
  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

  /// Called for challenges that concern a connection: server trust, client certificate, NTLM and
  /// Negotiate. The default leaves it to the method of the task.
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

  /// The same as a method to be waited for; called when the one with a handler is not implemented.
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

  /// Called when a program that was started for the session has been told everything that happened
  /// meanwhile. Call the handler that `BackgroundEvents` gave.
  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

extension URLSessionDelegate {
  public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}

  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    ChallengeMarker.noteUnimplemented(challenge)
    completionHandler(.performDefaultHandling, nil)
  }

  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    ChallengeMarker.noteUnimplemented(challenge)
    return (.performDefaultHandling, nil)
  }

  public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
}
