import Foundation
import FoundationNetworking

/// A web socket (RFC 6455). Sessions that are not background sessions have such tasks.
///
/// FoundationNetworking performs it, and needs a libcurl with web sockets for it. Without one the
/// task fails with `URLError.unsupportedURL`. Source: Apple's documentation of
/// `URLSessionWebSocketTask`.
///
/// ```swift
/// let socket = URLSession.shared.webSocketTask(with: url)
/// socket.resume()
/// try await socket.send(.string("hello"))
/// if case .string(let reply) = try await socket.receive() { print(reply) }
/// ```
// Unchecked like its superclass; it adds no stored property.
public final class URLSessionWebSocketTask: URLSessionTask, @unchecked Sendable {
  /// The reason for a close (RFC 6455, section 7.4.1).
  public typealias CloseCode = FoundationNetworking.URLSessionWebSocketTask.CloseCode

  /// A message: bytes or text.
  public typealias Message = FoundationNetworking.URLSessionWebSocketTask.Message

  private var system: System.WebSocketTask? { (backing as? ForegroundTask)?.webSocket }

  /// The largest message in bytes that the task receives; 1 MiB by default.
  public var maximumMessageSize: Int {
    get { system?.maximumMessageSize ?? 0 }
    set { system?.maximumMessageSize = newValue }
  }

  /// The code with which the socket was closed; `.invalid` until then.
  public var closeCode: CloseCode { system?.closeCode ?? .invalid }

  /// The reason that came with the close.
  public var closeReason: Data? { system?.closeReason }

  /// Sends a message and calls the handler when it is written, or with the error.
  @preconcurrency
  public func send(
    _ message: Message, completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    guard let system else { return completionHandler(error ?? URLError(.unsupportedURL)) }
    system.send(message, completionHandler: completionHandler)
  }

  /// Sends a message.
  ///
  /// ```swift
  /// let socket = URLSession.shared.webSocketTask(with: url)
  /// socket.resume()
  /// try await socket.send(.data(Data([1, 2])))
  /// ```
  public func send(_ message: Message) async throws {
    let _: Void = try await withCheckedThrowingContinuation { continuation in
      send(message) { error in
        continuation.resume(with: error.map(Result.failure) ?? .success(()))
      }
    }
  }

  /// Passes the next message to the handler, or the error that ended the socket.
  @preconcurrency
  public func receive(
    completionHandler: @escaping @Sendable (Result<Message, any Error>) -> Void
  ) {
    guard let system else {
      return completionHandler(.failure(error ?? URLError(.unsupportedURL)))
    }
    system.receive(completionHandler: completionHandler)
  }

  /// Waits for the next message.
  public func receive() async throws -> Message {
    try await withCheckedThrowingContinuation { continuation in
      receive { continuation.resume(with: $0) }
    }
  }

  /// Sends a ping and calls the handler when the pong has arrived, or with the error.
  @preconcurrency
  public func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) {
    guard let system else { return pongReceiveHandler(error ?? URLError(.unsupportedURL)) }
    system.sendPing(pongReceiveHandler: pongReceiveHandler)
  }

  /// Closes the socket.
  ///
  /// ```swift
  /// URLSession.shared.webSocketTask(with: url).cancel(with: .goingAway, reason: nil)
  /// ```
  public func cancel(with closeCode: CloseCode, reason: Data?) {
    system?.cancel(with: closeCode, reason: reason)
  }
}
