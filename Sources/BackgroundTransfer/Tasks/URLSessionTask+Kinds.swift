import Foundation

/// A task whose reply comes as data. In a background session only uploads are such tasks.
///
/// Source: Apple's documentation of `URLSessionDataTask`.
///
/// ```swift
/// let (data, uploads, _) = await session.tasks
/// print(data.isEmpty, uploads.count)
/// ```
// Unchecked as the class above it is; it adds nothing that is stored.
public class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

/// Sends a file to a server.
///
/// The file has to stay as it is until the task is over. Source: Apple's documentation of
/// `URLSessionUploadTask`.
///
/// ```swift
/// var request = URLRequest(url: url)
/// request.httpMethod = "PUT"
/// session.uploadTask(with: request, fromFile: file).resume()
/// ```
// Unchecked as the class above it is; it adds nothing that is stored.
public final class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}

/// Fetches a file.
///
/// Source: Apple's documentation of `URLSessionDownloadTask`.
///
/// ```swift
/// session.downloadTask(with: url).resume()
/// ```
// Unchecked as the class above it is; it adds nothing that is stored.
public final class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
  /// Where the service puts the file; nil when the delegate is handed it.
  public var destination: URL? { handle.destination }

  /// Ends the task with `URLError.cancelled` and gives what is needed to go on from there.
  ///
  /// - Parameter completionHandler: Called once, on no particular thread; with nil unless the
  ///   request is a plain GET, the server gave an ETag or a Last-Modified date and knows ranges,
  ///   and there are bytes.
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
    handle.core.cancel(handle.number, producingResumeData: completionHandler)
  }

  /// The same as `cancel(byProducingResumeData:)`, to be waited for.
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
