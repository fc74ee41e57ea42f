import Foundation
import FoundationNetworking
import KettleSystem

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

  /// Called when a program that was launched for the session has received every event that
  /// occurred while it was not running. Call the handler that `BackgroundEvents` provided.
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

/// The sender of a challenge. It records whether a default implementation received the challenge,
/// which shows that the delegate does not implement that method.
final class ChallengeMarker: NSObject, URLAuthenticationChallengeSender, Sendable {
  private let unimplemented = Mutex(false)

  var isUnimplemented: Bool { unimplemented.withLock { $0 } }

  static func markUnimplemented(_ challenge: URLAuthenticationChallenge) {
    (challenge.sender as? ChallengeMarker)?.unimplemented.withLock { $0 = true }
  }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
  func cancel(_ challenge: URLAuthenticationChallenge) {}
  func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}

/// Receives the responses of data tasks and uploads. Every method has a default implementation.
///
/// Source: Apple's documentation of `URLSessionDataDelegate`.
///
/// ```swift
/// import BackgroundTransfer
/// import Foundation
///
/// final class Replies: URLSessionDataDelegate {
///   func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
///     print("\(data.count) more bytes of the reply to task \(dataTask.taskIdentifier)")
///   }
/// }
/// ```
@preconcurrency
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
  /// Called when a response begins. `.cancel` ends the task; the other answers let it go on.
  ///
  /// The session does not wait for the answer: the first bytes may arrive before it. Never called
  /// for uploads of a background session, as on Apple's systems.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)

  /// Called with each piece of a response body, as it arrives.
  ///
  /// In a background session, it is called with the response body of an upload, in pieces of at
  /// most 64 KiB, after the whole body has arrived.
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)

  /// Called before a response is stored in the cache of the session. Pass on nil to keep it out.
  ///
  /// Never called in a background session, which has no cache.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask,
    willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void)
}

extension URLSessionDataDelegate {
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    completionHandler(.allow)
  }

  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
  ) {}

  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask,
    willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    completionHandler(proposedResponse)
  }
}

/// Receives the progress and the files of downloads. All but one of its methods have a default
/// implementation.
///
/// Source: Apple's documentation of `URLSessionDownloadDelegate`.
///
/// ```swift
/// import BackgroundTransfer
/// import Foundation
///
/// final class Keeper: NSObject, URLSessionDownloadDelegate {
///   func urlSession(
///     _ session: URLSession, downloadTask: URLSessionDownloadTask,
///     didFinishDownloadingTo location: URL
///   ) {
///     let target = URL(fileURLWithPath: "/tmp/book-\(downloadTask.taskIdentifier)")
///     try? FileManager.default.moveItem(at: location, to: target)
///   }
///
///   func urlSession(
///     _ session: URLSession, downloadTask: URLSessionDownloadTask,
///     didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
///     totalBytesExpectedToWrite: Int64
///   ) {
///     print("\(totalBytesWritten) of \(totalBytesExpectedToWrite) bytes")
///   }
///
///   func urlSession(
///     _ session: URLSession, downloadTask: URLSessionDownloadTask,
///     didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
///   ) {
///     print("It goes on at \(fileOffset)")
///   }
/// }
/// ```
@preconcurrency
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
  /// Called when the file is complete. The file exists until the method returns; move it or open
  /// it.
  ///
  /// An error page is delivered here too; check `downloadTask.response`. A task with a destination
  /// (`downloadTask(with:to:onConflict:)`) already has its file there, and keeps it.
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL)

  /// Called at most ten times a second, and once with the complete size before
  /// `urlSession(_:downloadTask:didFinishDownloadingTo:)`. All counts are in bytes.
  ///
  /// The expected total is `NSURLSessionTransferSizeUnknown`, -1, when the server did not state it.
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)

  /// Called once, before the first `didWriteData` of a task that continues from resume data.
  ///
  /// `fileOffset` is the number of bytes that the service has already and does not need again. A
  /// later interruption of the same task is not reported. Source: Apple's documentation of
  /// `urlSession(_:downloadTask:didResumeAtOffset:expectedTotalBytes:)`.
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64)
}

extension URLSessionDownloadDelegate {
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {}

  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
  ) {}
}

/// Receives the beginnings and ends of web sockets. Every method has a default implementation.
///
/// Source: Apple's documentation of `URLSessionWebSocketDelegate`.
///
/// ```swift
/// import BackgroundTransfer
/// import Foundation
///
/// final class Doors: URLSessionWebSocketDelegate {
///   func urlSession(
///     _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
///     didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
///   ) {
///     print("The other side closed it with \(closeCode.rawValue)")
///   }
/// }
/// ```
@preconcurrency
public protocol URLSessionWebSocketDelegate: URLSessionTaskDelegate {
  /// Called when the handshake is complete, with the protocol that the server chose.
  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didOpenWithProtocol protocol: String?)

  /// Called when the server has closed the socket.
  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?)
}

extension URLSessionWebSocketDelegate {
  public func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didOpenWithProtocol protocol: String?
  ) {}

  public func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
  ) {}
}
