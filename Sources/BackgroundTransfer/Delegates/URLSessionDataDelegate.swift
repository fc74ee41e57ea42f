import Foundation
import FoundationNetworking

/// Is told what a server answers to an upload. Every method has a default.
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
  /// Never called for uploads of a background session, as on Apple's systems. It is here so that
  /// programs that have it compile.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)

  /// Called with the body of the reply to an upload, in pieces of at most 64 KiB, after all of it
  /// has come.
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
