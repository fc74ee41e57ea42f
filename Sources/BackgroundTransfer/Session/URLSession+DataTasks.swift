import Foundation
import FoundationNetworking

// Tasks that end with the program. A background session has only data tasks without a handler; for
// the others, Apple's raises an exception. Here such a task fails when it is resumed, with
// `URLError.unknown` and a message that says what to use instead.

extension URLSession {
  /// Creates a task that fetches a URL into memory; see the method that accepts a request.
  ///
  /// ```swift
  /// let task = URLSession.shared.dataTask(with: url)
  /// task.resume()
  /// ```
  public func dataTask(with url: URL) -> URLSessionDataTask { dataTask(with: URLRequest(url: url)) }

  /// Creates a task whose response goes to the delegate, piece by piece.
  ///
  /// In a background session, too, it ends with the program, as on Apple's systems. There it has a
  /// negative `taskIdentifier`, because the service does not know it, and it follows redirects.
  public func dataTask(with request: URLRequest) -> URLSessionDataTask {
    makeData(request, .delegate)
  }

  /// Creates a task that fetches a URL into memory; see the method that accepts a request.
  ///
  /// ```swift
  /// let task = URLSession.shared.dataTask(with: url) { data, response, error in
  ///   print(data?.count ?? 0, error?.localizedDescription ?? "done")
  /// }
  /// task.resume()
  /// ```
  @preconcurrency
  public func dataTask(
    with url: URL,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  /// Creates a task that passes its whole response to a handler, on the delegate queue.
  ///
  /// The delegate receives challenges, redirects and the progress of the upload, but neither the
  /// response nor the end. In a background session the task fails and passes the error to its
  /// handler: a handler does not outlive the program.
  @preconcurrency
  public func dataTask(
    with request: URLRequest,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    makeData(request, .data(onDelegateQueue(completionHandler)))
  }

  func makeData(
    _ request: URLRequest, _ receiver: ForegroundTask.Receiver,
    delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionDataTask {
    switch (kind, receiver) {
    case (.foreground(let session), _):
      session.make(request, for: self, receiver: receiver, delegate: delegate) {
        $0.dataTask(with: request)
      }
    case (.background(let core), .data(let handler)):
      core.makeRefused(request, .completionHandler) { handler(nil, nil, $0) }
    case (.background(let core), .delegate), (.background(let core), .file),
      (.background(let core), .bytes):
      core.makeData(request, for: self, receiver: receiver, delegate: delegate)
    }
  }

  private func onDelegateQueue<Content: Sendable>(
    _ handler: @escaping @Sendable (Content?, URLResponse?, (any Error)?) -> Void
  ) -> @Sendable (Content?, URLResponse?, (any Error)?) -> Void {
    let queue = delegateQueue
    return { content, response, error in
      queue.addOperation { handler(content, response, error) }
    }
  }
}

extension URLSession {
  /// Creates a download that passes its file to a handler; see the method that accepts a request.
  @preconcurrency
  public func downloadTask(
    with url: URL,
    completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  /// Creates a download that passes its file to a handler, on the delegate queue. The file exists
  /// until the handler returns.
  ///
  /// In a background session the task fails and passes the error to its handler: a handler does not
  /// outlive the program. Use a delegate, or `download(for:to:onConflict:)`.
  ///
  /// ```swift
  /// let task = URLSession.shared.downloadTask(with: request) { location, _, _ in
  ///   guard let location else { return }
  ///   try? FileManager.default.moveItem(at: location, to: file)
  /// }
  /// task.resume()
  /// ```
  @preconcurrency
  public func downloadTask(
    with request: URLRequest,
    completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    switch kind {
    case .background(let core):
      core.makeRefused(request, .completionHandler) { completionHandler(nil, nil, $0) }
    case .foreground(let session):
      session.make(request, for: self, receiver: .file(removingFile(completionHandler))) {
        $0.downloadTask(with: request)
      }
    }
  }

  /// Creates a download that fails and passes the error to its handler: only background sessions
  /// have resume data, and they have no handlers. Use `downloadTask(withResumeData:)`.
  @preconcurrency
  public func downloadTask(
    withResumeData resumeData: Data,
    completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    switch kind {
    case .background(let core):
      core.makeRefused(nil, .completionHandler) {
        completionHandler(nil, nil, $0)
      }
    case .foreground(let session):
      session.refuseResumeData(
        for: self, receiver: .file(removingFile(completionHandler)))
    }
  }

  private func removingFile(
    _ handler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> @Sendable (URL?, URLResponse?, (any Error)?) -> Void {
    onDelegateQueue { file, response, error in
      handler(file, response, error)
      if let file { DelegateBridge.remove(file) }
    }
  }
}

extension URLSession {
  /// Creates an upload of bytes in memory.
  ///
  /// In a background session the task fails: only a file outlives the program.
  ///
  /// ```swift
  /// var request = URLRequest(url: url)
  /// request.httpMethod = "PUT"
  /// URLSession.shared.uploadTask(with: request, from: Data("hello".utf8)).resume()
  /// ```
  public func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
    switch kind {
    case .background(let core): core.makeRefused(request, .uploadOfData)
    case .foreground(let session):
      session.make(request, for: self) { $0.uploadTask(with: request, from: bodyData) }
    }
  }

  /// Creates an upload whose body comes from a stream of the delegate
  /// (`urlSession(_:task:needNewBodyStream:)`).
  ///
  /// In a background session the task fails: only a file outlives the program.
  public func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
    switch kind {
    case .background(let core): core.makeRefused(request, .uploadOfStream)
    case .foreground(let session): session.makeStreamedUpload(request, for: self)
    }
  }

  /// Creates an upload of a file that passes its whole response to a handler, on the delegate
  /// queue.
  ///
  /// In a background session the task fails and passes the error to its handler: a handler does not
  /// outlive the program.
  @preconcurrency
  public func uploadTask(
    with request: URLRequest, fromFile fileURL: URL,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask {
    switch kind {
    case .background(let core):
      core.makeRefused(request, .completionHandler) { completionHandler(nil, nil, $0) }
    case .foreground(let session):
      session.makeUpload(
        request, file: fileURL, for: self, receiver: .data(onDelegateQueue(completionHandler)))
    }
  }

  /// Creates an upload of bytes in memory that passes its whole response to a handler, on the
  /// delegate queue.
  ///
  /// In a background session the task fails and passes the error to its handler: a handler does not
  /// outlive the program.
  @preconcurrency
  public func uploadTask(
    with request: URLRequest, from bodyData: Data?,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask {
    switch kind {
    case .background(let core):
      core.makeRefused(request, .completionHandler) { completionHandler(nil, nil, $0) }
    case .foreground(let session):
      session.make(
        request, for: self, receiver: .data(onDelegateQueue(completionHandler))
      ) {
        $0.uploadTask(with: request, from: bodyData ?? Data())
      }
    }
  }
}

extension URLSession {
  /// Creates a web socket; see the method that accepts a request.
  ///
  /// ```swift
  /// let socket = URLSession.shared.webSocketTask(with: url)
  /// socket.resume()
  /// ```
  public func webSocketTask(with url: URL) -> URLSessionWebSocketTask {
    webSocketTask(with: URLRequest(url: url))
  }

  /// Creates a web socket that offers the server these protocols.
  public func webSocketTask(with url: URL, protocols: [String]) -> URLSessionWebSocketTask {
    var request = URLRequest(url: url)
    request.setValue(
      protocols.joined(separator: ", "), forHTTPHeaderField: "Sec-WebSocket-Protocol")
    return webSocketTask(with: request)
  }

  /// Creates a web socket. In a background session the task fails: a connection does not outlive
  /// the program.
  public func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask {
    switch kind {
    case .background(let core): core.makeRefused(request, .webSocket)
    case .foreground(let session):
      session.make(request, for: self) { $0.webSocketTask(with: request) }
    }
  }
}
