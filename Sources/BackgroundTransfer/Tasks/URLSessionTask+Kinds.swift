import Foundation

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
