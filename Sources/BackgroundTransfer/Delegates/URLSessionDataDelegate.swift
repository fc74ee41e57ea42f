import Foundation
import FoundationNetworking

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
