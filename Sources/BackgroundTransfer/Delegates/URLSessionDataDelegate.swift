import Foundation

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
  /// Called with the body of the reply to an upload, in pieces of at most 64 KiB, after all of it
  /// has come.
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}

extension URLSessionDataDelegate {
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
  ) {}
}
