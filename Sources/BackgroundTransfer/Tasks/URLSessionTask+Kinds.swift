import Foundation
import FoundationNetworking

/// A task whose response arrives as data. In a background session, only uploads are such tasks that
/// run.
///
/// Source: Apple's documentation of `URLSessionDataTask`.
///
/// ```swift
/// let (data, uploads, _) = await session.tasks
/// print(data.isEmpty, uploads.count)
/// ```
// Unchecked like its superclass; it adds no stored property.
public class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

/// A task that sends a file to a server.
///
/// The file must not change until the task is finished. Source: Apple's documentation of
/// `URLSessionUploadTask`.
///
/// ```swift
/// var request = URLRequest(url: url)
/// request.httpMethod = "PUT"
/// session.uploadTask(with: request, fromFile: file).resume()
/// ```
// Unchecked like its superclass; it adds no stored property.
public final class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {
  /// Ends the task with `URLError.cancelled` and passes the data needed to continue to the handler.
  ///
  /// - Parameter completionHandler: Called once, on no particular thread. Its argument is nil
  ///   unless the server has offered to continue the upload
  ///   (draft-ietf-httpbis-resumable-upload).
  ///
  /// Source: Apple's documentation of `URLSessionUploadTask.cancel(byProducingResumeData:)`.
  ///
  /// ```swift
  /// upload.cancel { resumeData in
  ///   print(resumeData == nil ? "It begins from nothing the next time" : "It can go on")
  /// }
  /// ```
  @preconcurrency
  public func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
    handle.core.cancel(handle.number, producingResumeData: completionHandler)
  }

  /// The `async` form of `cancel(byProducingResumeData:)`.
  ///
  /// ```swift
  /// if let resumeData = await upload.cancelByProducingResumeData() {
  ///   session.uploadTask(withResumeData: resumeData).resume()
  /// }
  /// ```
  public func cancelByProducingResumeData() async -> Data? {
    await withCheckedContinuation { continuation in
      cancel(byProducingResumeData: { continuation.resume(returning: $0) })
    }
  }
}

/// A task that downloads a file.
///
/// Source: Apple's documentation of `URLSessionDownloadTask`.
///
/// ```swift
/// session.downloadTask(with: url).resume()
/// ```
// Unchecked like its superclass; it adds no stored property.
public final class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
  /// Where the service puts the file; nil when the delegate receives it.
  public var destination: URL? { backing.destination }

  /// Ends the task with `URLError.cancelled` and passes the data needed to continue to the handler.
  ///
  /// - Parameter completionHandler: Called once, on no particular thread. Its argument is nil
  ///   unless the request is a plain GET, the server sent an ETag or a Last-Modified date and
  ///   supports byte ranges, and some bytes have arrived.
  ///
  /// Source: Apple's documentation of `cancel(byProducingResumeData:)`.
  ///
  /// ```swift
  /// task.cancel { resumeData in
  ///   print(resumeData == nil ? "It begins from nothing the next time" : "It can go on")
  /// }
  /// ```
  @preconcurrency
  public func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
    backing.cancel(byProducingResumeData: completionHandler)
  }

  /// The `async` form of `cancel(byProducingResumeData:)`.
  ///
  /// ```swift
  /// let resumeData = await task.cancelByProducingResumeData()
  /// ```
  public func cancelByProducingResumeData() async -> Data? {
    await withCheckedContinuation { continuation in
      cancel(byProducingResumeData: { continuation.resume(returning: $0) })
    }
  }
}

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

/// The reason why a resumed task is not running.
///
/// ```swift
/// switch task.waitingReason {
/// case .mainsPower, .unmeteredNetwork: print("Plug it in, or find another network")
/// case .freshLink: print("The link is no longer valid")
/// case let reason?: print("It \(reason)")
/// case nil: print("It runs, or is over")
/// }
/// ```
public enum WaitingReason: Hashable, Sendable {
  /// Its `earliestBeginDate` has not arrived.
  case date(Date)
  /// Other tasks are ahead of it in the queue.
  case turn
  /// There is no network.
  case network
  /// The disk is full.
  case diskSpace
  /// The last attempt failed; the task retries at this time, if it is known.
  case retry(Date?)
  /// The server asked for a delay, until this time if it is known.
  case serverAskedToWait(Date?)
  /// The session is discretionary, or does not allow metered networks.
  case mainsPower
  /// The session is discretionary, or does not allow metered networks.
  case unmeteredNetwork
  /// A challenge is waiting for the delegate or the user.
  case challenge
  /// The link has expired; the user may provide a fresh one.
  case freshLink
  /// The user paused or stopped it, for example in the dashboard.
  case user
  /// The service is not responding at the moment.
  case service
}

extension WaitingReason: CustomStringConvertible {
  /// A phrase that follows "it".
  public var description: String {
    switch self {
    case .date(let date): "waits until \(date.formatted(.iso8601))"
    case .turn: "waits for its turn"
    case .network: "waits for the network"
    case .diskSpace: "waits for space on the disk"
    case .retry: "waits before it tries again"
    case .serverAskedToWait: "waits as the server asked"
    case .mainsPower: "waits for mains power"
    case .unmeteredNetwork: "waits for a network that is not metered"
    case .challenge: "waits for the answer to a challenge"
    case .freshLink: "waits for a fresh link"
    case .user: "was paused by the user"
    case .service: "waits for the service"
    }
  }
}
