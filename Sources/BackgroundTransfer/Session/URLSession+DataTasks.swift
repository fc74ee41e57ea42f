import Foundation
import FoundationNetworking
import KettleTasks

/// Calls for which Apple's background sessions raise an exception. Here the task fails when it is
/// resumed, with `URLError.unknown` and a message that says what to use instead.
extension URLSession {
  /// Creates a task that fails: data tasks live only as long as their program.
  ///
  /// ```swift
  /// // In place of each method here: a download that the program waits for, or a delegate.
  /// let file = try await session.download(from: url, to: URL(filePath: "/tmp/reply.json"))
  /// let data = try Data(contentsOf: file)
  /// ```
  public func dataTask(with url: URL) -> URLSessionDataTask { dataTask(with: URLRequest(url: url)) }

  /// Creates a task that fails: data tasks live only as long as their program.
  public func dataTask(with request: URLRequest) -> URLSessionDataTask {
    core.makeRefused(request, .dataTask)
  }

  /// Creates a task that fails: only a file outlives the program.
  public func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
    core.makeRefused(request, .uploadOfData)
  }

  /// Creates a task that fails: only a file outlives the program.
  public func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
    core.makeRefused(request, .uploadOfStream)
  }

  /// Creates a task that fails and passes the error to its handler: a handler does not outlive the
  /// program. Use a delegate, or `download(from:to:onConflict:)`.
  @preconcurrency
  public func downloadTask(
    with url: URL,
    completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  /// Creates a task that fails and passes the error to its handler: a handler does not outlive the
  /// program. Use a delegate, or `download(for:to:onConflict:)`.
  @preconcurrency
  public func downloadTask(
    with request: URLRequest,
    completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    core.makeRefused(request, .completionHandler) { completionHandler(nil, nil, $0) }
  }

  /// Creates a task that fails and passes the error to its handler: a handler does not outlive the
  /// program.
  @preconcurrency
  public func dataTask(
    with url: URL,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  /// Creates a task that fails and passes the error to its handler: a handler does not outlive the
  /// program.
  @preconcurrency
  public func dataTask(
    with request: URLRequest,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    core.makeRefused(request, .completionHandler) { completionHandler(nil, nil, $0) }
  }

  /// Creates a task that fails and passes the error to its handler: a handler does not outlive the
  /// program.
  @preconcurrency
  public func uploadTask(
    with request: URLRequest, fromFile fileURL: URL,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask {
    core.makeRefused(request, .completionHandler) { completionHandler(nil, nil, $0) }
  }
}

// Apple's class has other kinds of sessions too. Where a program uses one, the compiler says what
// to write instead of reporting that the member does not exist.

extension URLSession {
  /// For transfers that end with the program, use the sessions of FoundationNetworking.
  @available(*, unavailable, message: "Use FoundationNetworking.URLSession.shared in another file")
  public static var shared: URLSession {
    URLSession(configuration: .background(withIdentifier: ""))
  }
}

extension URLSessionConfiguration {
  /// For transfers that end with the program, use the sessions of FoundationNetworking.
  @available(*, unavailable, message: "Use background(withIdentifier:), the one kind that is here")
  public static var `default`: URLSessionConfiguration { background(withIdentifier: "") }

  /// For transfers that end with the program, use the sessions of FoundationNetworking.
  @available(*, unavailable, message: "Use background(withIdentifier:), the one kind that is here")
  public static var ephemeral: URLSessionConfiguration { background(withIdentifier: "") }
}
