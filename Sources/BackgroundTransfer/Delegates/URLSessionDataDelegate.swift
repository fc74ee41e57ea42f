import Foundation
import FoundationNetworking

/// Receives the response bodies of uploads. Every method has a default implementation.
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
  /// Never called for uploads of a background session, as on Apple's systems. It exists so that
  /// programs that implement it compile.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)

  /// Called with the response body of an upload, in pieces of at most 64 KiB, after the whole body
  /// has arrived.
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
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
}
