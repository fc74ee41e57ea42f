import Foundation
import FoundationNetworking
import KettleSystem

// Transfers that a Swift task waits for. They end with the program, so background sessions throw an
// error; except for uploads of files, which continue, and for bytes.

extension URLSession {
  /// Fetches a URL into memory; see the method that accepts a request.
  ///
  /// ```swift
  /// let (data, response) = try await URLSession.shared.data(from: url)
  /// print(data.count, response.mimeType ?? "")
  /// ```
  public func data(
    from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    try await data(for: URLRequest(url: url), delegate: delegate)
  }

  /// Fetches the response to a request into memory. Cancelling the Swift task cancels the transfer.
  /// `delegate` receives challenges and redirects in place of the session's delegate.
  ///
  /// - Throws: `URLError`. An error status is not an error.
  ///
  /// Source: Apple's documentation of `data(for:delegate:)`.
  public func data(
    for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    let session = try foreground(or: .dataTask, request)
    return try await wait { receiver in
      let task: URLSessionDataTask = session.make(
        request, for: self, receiver: .data(receiver), delegate: delegate
      ) { $0.dataTask(with: request) }
      return task
    }
  }

  /// Sends bytes in memory and fetches the response. Cancelling the Swift task cancels the
  /// transfer.
  ///
  /// Source: Apple's documentation of `upload(for:from:delegate:)`.
  ///
  /// ```swift
  /// var request = URLRequest(url: url)
  /// request.httpMethod = "POST"
  /// let (reply, _) = try await URLSession.shared.upload(for: request, from: Data("hello".utf8))
  /// print("\(reply.count) bytes of reply")
  /// ```
  public func upload(
    for request: URLRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    let session = try foreground(or: .uploadOfData, request)
    return try await wait { receiver in
      let task: URLSessionUploadTask = session.make(
        request, for: self, receiver: .data(receiver), delegate: delegate
      ) { $0.uploadTask(with: request, from: bodyData) }
      return task
    }
  }

  /// Sends a file and waits for the response. Cancelling the Swift task cancels the transfer.
  ///
  /// In a background session the transfer continues when the program ends. The wait belongs to the
  /// task, not to this call: a program that ends before the file is sent and calls again with the
  /// same request and file waits for the same task, which may be running or finished. For such a
  /// task the delegate receives only challenges. A program that calls again after it received the
  /// response sends the file a second time. Source: Apple's documentation of
  /// `upload(for:fromFile:delegate:)`.
  ///
  /// - Returns: The body of the response, and the response. Every status is a response.
  /// - Throws: `URLError`.
  ///
  /// ```swift
  /// var request = URLRequest(url: url)
  /// request.httpMethod = "PUT"
  /// let (data, response) = try await session.upload(for: request, fromFile: file)
  /// print((response as? HTTPURLResponse)?.statusCode ?? 0, data.count)
  /// ```
  public func upload(
    for request: URLRequest, fromFile fileURL: URL,
    delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    switch kind {
    case .background(let core): try await core.upload(request, file: fileURL)
    case .foreground(let session):
      try await wait { receiver in
        session.makeUpload(
          request, file: fileURL, for: self, receiver: .data(receiver), delegate: delegate)
      }
    }
  }

  /// Downloads a URL to a temporary file; see the method that accepts a request.
  public func download(
    from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (URL, URLResponse) {
    try await download(for: URLRequest(url: url), delegate: delegate)
  }

  /// Downloads the response to a request to a temporary file, which the program moves or removes.
  /// Cancelling the Swift task cancels the transfer.
  ///
  /// A background session throws an error; there, use `download(for:to:onConflict:)`. Source:
  /// Apple's documentation of `download(for:delegate:)`.
  ///
  /// ```swift
  /// let (temporary, _) = try await URLSession.shared.download(for: request)
  /// try FileManager.default.moveItem(at: temporary, to: file)
  /// ```
  public func download(
    for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (URL, URLResponse) {
    let session = try foreground(or: .completionHandler, request)
    return try await wait { receiver in
      let task: URLSessionDownloadTask = session.make(
        request, for: self, receiver: .file(receiver), delegate: delegate
      ) { $0.downloadTask(with: request) }
      return task
    }
  }

  /// Fetches a URL byte by byte; see the method that accepts a request.
  public func bytes(
    from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (AsyncBytes, URLResponse) {
    try await bytes(for: URLRequest(url: url), delegate: delegate)
  }

  /// Waits for the response to a request, whose bytes then arrive one by one. In a background
  /// session, too, this ends with the program, like a data task.
  ///
  /// FoundationNetworking cannot hold back a server: bytes that arrive faster than they are read
  /// wait in memory. Source: Apple's documentation of `bytes(for:delegate:)`.
  ///
  /// ```swift
  /// let (bytes, _) = try await URLSession.shared.bytes(for: request)
  /// for try await line in bytes.lines { print(line) }
  /// ```
  public func bytes(
    for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (AsyncBytes, URLResponse) {
    let (flow, chunks) = ByteFlow.make()
    let task = makeData(request, .bytes(flow), delegate: delegate)
    flow.whenUnread { [weak task] in task?.cancel() }
    let response = try await withTaskCancellationHandler {
      task.resume()
      return try await flow.response()
    } onCancel: {
      task.cancel()
    }
    return (AsyncBytes(task: task, chunks: chunks), response)
  }

  private func foreground(
    or refusal: TaskRefusal, _ request: URLRequest
  ) throws -> ForegroundSession {
    guard let foreground else { throw TaskFailure.refused(refusal).error(for: request) }
    return foreground
  }

  /// Starts a task and waits for its end; cancelling the Swift task cancels it.
  private func wait<Content: Sendable>(
    for make: (@escaping @Sendable (Content?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask
  ) async throws -> (Content, URLResponse) {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let task = make { content, response, error in
          guard error == nil, let content, let response else {
            return continuation.resume(throwing: error ?? URLError(.badServerResponse))
          }
          continuation.resume(returning: (content, response))
        }
        task.resume()
        cancellation.set(task)
      }
    } onCancel: {
      cancellation.cancel()
    }
  }
}

/// Cancels a task that may not exist yet.
private final class Cancellation: Sendable {
  private enum State {
    case idle
    case cancelled
    case running(URLSessionTask)
  }

  private let state = Mutex(State.idle)

  func set(_ task: URLSessionTask) {
    let isCancelled = state.withLock { state in
      if case .cancelled = state { return true }
      state = .running(task)
      return false
    }
    if isCancelled { task.cancel() }
  }

  func cancel() {
    let task: URLSessionTask? = state.withLock { state in
      defer { state = .cancelled }
      guard case .running(let task) = state else { return nil }
      return task
    }
    task?.cancel()
  }
}
