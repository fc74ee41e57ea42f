import Foundation

/// Receives the progress and the files of downloads. All but one of its methods have a default
/// implementation.
///
/// Source: Apple's documentation of `URLSessionDownloadDelegate`.
///
/// ```swift
/// import BackgroundTransfer
/// import Foundation
///
/// final class Keeper: NSObject, URLSessionDownloadDelegate {
///   func urlSession(
///     _ session: URLSession, downloadTask: URLSessionDownloadTask,
///     didFinishDownloadingTo location: URL
///   ) {
///     let target = URL(fileURLWithPath: "/tmp/book-\(downloadTask.taskIdentifier)")
///     try? FileManager.default.moveItem(at: location, to: target)
///   }
///
///   func urlSession(
///     _ session: URLSession, downloadTask: URLSessionDownloadTask,
///     didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
///     totalBytesExpectedToWrite: Int64
///   ) {
///     print("\(totalBytesWritten) of \(totalBytesExpectedToWrite) bytes")
///   }
///
///   func urlSession(
///     _ session: URLSession, downloadTask: URLSessionDownloadTask,
///     didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
///   ) {
///     print("It goes on at \(fileOffset)")
///   }
/// }
/// ```
@preconcurrency
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
  /// Called when the file is complete. The file exists until the method returns; move it or open
  /// it.
  ///
  /// An error page is delivered here too; check `downloadTask.response`. A task with a destination
  /// (`downloadTask(with:to:onConflict:)`) already has its file there, and keeps it.
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL)

  /// Called at most ten times a second, and once with the complete size before
  /// `urlSession(_:downloadTask:didFinishDownloadingTo:)`. All counts are in bytes.
  ///
  /// The expected total is `NSURLSessionTransferSizeUnknown`, -1, when the server did not state it.
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)

  /// Called once, before the first `didWriteData` of a task that continues from resume data.
  ///
  /// `fileOffset` is the number of bytes that the service has already and does not need again. A
  /// later interruption of the same task is not reported. Source: Apple's documentation of
  /// `urlSession(_:downloadTask:didResumeAtOffset:expectedTotalBytes:)`.
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64)
}

extension URLSessionDownloadDelegate {
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {}

  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
  ) {}
}
