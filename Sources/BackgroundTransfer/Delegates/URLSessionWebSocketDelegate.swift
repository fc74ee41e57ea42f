import Foundation
import FoundationNetworking

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
