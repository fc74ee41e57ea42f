import Foundation
import FoundationNetworking

extension URLSession {
  /// Creates a download of a URL.
  ///
  /// ```swift
  /// session.downloadTask(with: url).resume()
  /// ```
  public func downloadTask(with url: URL) -> URLSessionDownloadTask {
    downloadTask(with: URLRequest(url: url))
  }

  /// Creates a download of the response to a request. The URL must be http or https; otherwise the
  /// task fails with `URLError.unsupportedURL`.
  ///
  /// ```swift
  /// var request = URLRequest(url: url)
  /// request.setValue("application/pdf", forHTTPHeaderField: "Accept")
  /// session.downloadTask(with: request).resume()
  /// ```
  public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
    switch kind {
    case .background(let core):
      core.makeDownload(DownloadPlan(request: request), duplicates: duplicatePolicy)
    case .foreground(let session):
      session.make(request, for: self) { $0.downloadTask(with: request) }
    }
  }

  /// Creates a download whose file the service itself puts at its destination, complete or not at
  /// all, even while the program is not running. In a session that is not a background session, the
  /// task fails.
  ///
  /// The task fails with `URLError.badServerResponse` when the server responds with an error
  /// status, so that an error page never gets the name of the file. Without a destination it would
  /// succeed.
  ///
  /// The destination is a file in an existing directory. If `duplicates` is nil, the session's own
  /// `duplicatePolicy` applies.
  ///
  /// ```swift
  /// let task = session.downloadTask(with: URLRequest(url: url), to: file, onConflict: .replace)
  /// task.resume()
  /// ```
  public func downloadTask(
    with request: URLRequest, to destination: URL, onConflict: DestinationConflict = .rename,
    duplicates: DuplicatePolicy? = nil
  ) -> URLSessionDownloadTask {
    switch kind {
    case .background(let core):
      core.makeDownload(
        DownloadPlan(request: request, destination: destination, onConflict: onConflict),
        duplicates: duplicates ?? duplicatePolicy)
    case .foreground(let session): session.refuse(request, .destination, for: self)
    }
  }

  /// Creates a download with a checksum, mirrors, a speed limit or a priority. The service puts the
  /// file at its destination; nil leaves the file to the delegate. In a session that is not a
  /// background session, the task fails.
  ///
  /// ```swift
  /// var options = DownloadOptions()
  /// options.checksum = "sha256:" + digest
  /// session.downloadTask(with: request, to: file, options: options).resume()
  /// ```
  public func downloadTask(
    with request: URLRequest, to destination: URL? = nil, options: DownloadOptions,
    duplicates: DuplicatePolicy? = nil
  ) -> URLSessionDownloadTask {
    switch kind {
    case .background(let core):
      core.makeDownload(
        DownloadPlan(request: request, destination: destination, options: options),
        duplicates: duplicates ?? duplicatePolicy)
    case .foreground(let session): session.refuse(request, .destination, for: self)
    }
  }

  /// Creates a download of a URL to a destination; see the method that accepts a request.
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

  /// Creates a download that continues from the resume data of another one
  /// (`cancel(byProducingResumeData:)`, or `URLError.downloadTaskResumeData`). It is a new task
  /// with a new identifier.
  ///
  /// Resume data is a property list with the keys of Apple's systems, such as
  /// `NSURLSessionResumeBytesReceived`, so that a program can inspect it. The service keeps the
  /// bytes themselves.
  ///
  /// If the data is not resume data of this library, or has another version, the task has no
  /// request and fails with `URLError.unsupportedURL`, as on Apple's systems. If the bytes no
  /// longer exist, or the server has another version of the file, the download starts from zero.
  /// Only background sessions have resume data; elsewhere the task always fails with
  /// `URLError.unsupportedURL`.
  ///
  /// ```swift
  /// if let resumeData = await task.cancelByProducingResumeData() {
  ///   session.downloadTask(withResumeData: resumeData).resume()
  /// }
  /// ```
  public func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
    switch kind {
    case .background(let core): core.makeDownload(resumeData: resumeData)
    case .foreground(let session): session.refuseResumeData(for: self)
    }
  }

  /// Downloads a file to a destination and waits for it. The transfer continues when the program
  /// ends. A session that is not a background session throws an error.
  ///
  /// The wait belongs to the task, not to this call. A program that ends before the file is
  /// complete and calls again with the same URL and destination waits for the same task, which may
  /// be running or finished. For such a task the delegate receives only `didCreateTask` and
  /// challenges. Cancelling the Swift task cancels the transfer for all calls that wait for it.
  ///
  /// By default an existing file stays, and the new one is named `NAME (2).EXT`: a program that
  /// calls again after it received its file downloads it a second time. With `.skip` such a call
  /// downloads nothing and returns the existing file.
  ///
  /// - Returns: The URL of the file; with `.rename` the name may differ from the destination's.
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

  /// Downloads the response to a request and waits for it; see the method that accepts a URL.
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
    switch kind {
    case .background(let core):
      try await core.download(
        DownloadPlan(
          request: request, destination: destination, onConflict: onConflict, isAwaited: true))
    case .foreground: throw TaskFailure.refused(.destination).error(for: request)
    }
  }
}

extension URLSession {
  /// Creates an upload of a file.
  ///
  /// The body of the request is ignored, and its method is sent as it is: set PUT or POST. A file
  /// that cannot be read makes the task fail with `URLError.fileDoesNotExist`. After a lost
  /// connection a background session continues the upload if the server supports that. Otherwise it
  /// sends the file again from its beginning; see <doc:Uploading>.
  ///
  /// ```swift
  /// var request = URLRequest(url: url)
  /// request.httpMethod = "POST"
  /// session.uploadTask(with: request, fromFile: file).resume()
  /// ```
  public func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
    switch kind {
    case .background(let core): core.makeUpload(request, file: fileURL)
    case .foreground(let session): session.makeUpload(request, file: fileURL, for: self)
    }
  }

  /// Creates an upload that continues from the resume data of another one
  /// (`cancel(byProducingResumeData:)`, or `URLError.uploadTaskResumeData`). It is a new task with
  /// a new identifier.
  ///
  /// If the data is not resume data of an upload, or has another version, the task fails with
  /// `URLError.unsupportedURL`. If the file was changed, it fails with
  /// `URLError.fileDoesNotExist`. If the server no longer has what was sent, the file is sent from
  /// its beginning.
  ///
  /// Source: Apple's documentation of `uploadTask(withResumeData:)`.
  ///
  /// ```swift
  /// if let resumeData = (error as? URLError)?.uploadTaskResumeData {
  ///   session.uploadTask(withResumeData: resumeData).resume()
  /// }
  /// ```
  public func uploadTask(withResumeData resumeData: Data) -> URLSessionUploadTask {
    switch kind {
    case .background(let core): core.makeUpload(resumeData: resumeData)
    case .foreground(let session):
      session.refuse(nil, .badResumeData, for: self)
    }
  }
}
