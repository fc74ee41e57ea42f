import Foundation
import FoundationNetworking

extension URLSession {
  /// Makes a download of a URL.
  ///
  /// ```swift
  /// session.downloadTask(with: url).resume()
  /// ```
  public func downloadTask(with url: URL) -> URLSessionDownloadTask {
    downloadTask(with: URLRequest(url: url))
  }

  /// Makes a download of what a request asks for. Its URL has to be http or https; others fail with
  /// `URLError.unsupportedURL`.
  ///
  /// ```swift
  /// var request = URLRequest(url: url)
  /// request.setValue("application/pdf", forHTTPHeaderField: "Accept")
  /// session.downloadTask(with: request).resume()
  /// ```
  public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
    core.makeDownload(DownloadPlan(request: request), duplicates: duplicatePolicy)
  }

  /// Makes a download whose file the service puts into its place itself, whole or not at all, also
  /// while the program does not run.
  ///
  /// Unlike without a destination, the task fails with `URLError.badServerResponse` when the server
  /// answers with an error status: an error page never gets the name of the file.
  ///
  /// The destination is a file in a directory that exists. Without `duplicates` the session's own
  /// `duplicatePolicy` holds.
  ///
  /// ```swift
  /// let task = session.downloadTask(with: URLRequest(url: url), to: file, onConflict: .replace)
  /// task.resume()
  /// ```
  public func downloadTask(
    with request: URLRequest, to destination: URL, onConflict: DestinationConflict = .rename,
    duplicates: DuplicatePolicy? = nil
  ) -> URLSessionDownloadTask {
    core.makeDownload(
      DownloadPlan(request: request, destination: destination, onConflict: onConflict),
      duplicates: duplicates ?? duplicatePolicy)
  }

  /// Makes a download of a URL into a place; see the method for a request.
  ///
  /// ```swift
  /// session.downloadTask(with: url, to: file, onConflict: .replace).resume()
  /// ```
  public func downloadTask(
    with url: URL, to destination: URL, onConflict: DestinationConflict = .rename,
    duplicates: DuplicatePolicy? = nil
  ) -> URLSessionDownloadTask {
    downloadTask(
      with: URLRequest(url: url), to: destination, onConflict: onConflict, duplicates: duplicates)
  }

  /// Makes a download that goes on from what another one had (`cancel(byProducingResumeData:)`, or
  /// `URLError.downloadTaskResumeData`). It is a new task with a new identifier.
  ///
  /// Data that is no resume data, or of another version, makes a task that fails with
  /// `URLError.unsupportedURL`, as on Apple's systems. When the bytes are not there any more, or
  /// the server has another version of the file, it begins from nothing.
  ///
  /// ```swift
  /// if let resumeData = await task.cancelByProducingResumeData() {
  ///   session.downloadTask(withResumeData: resumeData).resume()
  /// }
  /// ```
  public func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
    core.makeDownload(resumeData: resumeData)
  }

  /// Fetches a file into a place and waits for it, on a session that goes on when the program does
  /// not.
  ///
  /// The wait is bound to the task and not to this call: when the program ends in the middle and
  /// calls again with the same URL and destination, it takes up the task that is still running, or
  /// has finished meanwhile. The delegate is told nothing of such a task but challenges. Cancelling
  /// the Swift task cancels the transfer, for everybody who waits for it.
  ///
  /// By default a file that has the name already stays, and the new one is called `NAME (2).EXT`: a
  /// program that calls again after it has got its file fetches it a second time. With `.skip` such
  /// a call fetches nothing and answers with the file that is there.
  ///
  /// - Returns: Where the file is; with `.rename` the name may be another one.
  /// - Throws: `URLError`.
  ///
  /// ```swift
  /// let place = URL(fileURLWithPath: "/tmp/book.pdf")
  /// let file = try await session.download(from: url, to: place, onConflict: .skip)
  /// print("It is at \(file.path(percentEncoded: false))")
  /// ```
  @discardableResult
  public func download(
    from url: URL, to destination: URL, onConflict: DestinationConflict = .rename
  ) async throws -> URL {
    try await download(for: URLRequest(url: url), to: destination, onConflict: onConflict)
  }

  /// Fetches what a request asks for into a place and waits for it; see the method for a URL.
  ///
  /// ```swift
  /// var request = URLRequest(url: url)
  /// request.setValue("Bearer 5f3a", forHTTPHeaderField: "Authorization")
  /// try await session.download(for: request, to: file, onConflict: .replace)
  /// ```
  @discardableResult
  public func download(
    for request: URLRequest, to destination: URL, onConflict: DestinationConflict = .rename
  ) async throws -> URL {
    try await core.download(
      DownloadPlan(
        request: request, destination: destination, onConflict: onConflict, isAwaited: true))
  }
}
