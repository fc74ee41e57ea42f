import Foundation
import FoundationNetworking

/// The key of the resume data in the `userInfo` of an error. Source: NSURLSession.h.
///
/// ```swift
/// let resumeData = (error as? URLError)?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data
/// ```
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"

/// The key of an upload's resume data in the `userInfo` of an error. Source: NSURLSession.h.
///
/// ```swift
/// let resumeData = (error as? URLError)?.userInfo[NSURLSessionUploadTaskResumeData] as? Data
/// ```
public let NSURLSessionUploadTaskResumeData = "NSURLSessionUploadTaskResumeData"

extension URLError {
  /// The resume data of a download that failed or was cancelled to produce it; nil if there is
  /// none.
  ///
  /// Source: Apple's documentation of `URLError.downloadTaskResumeData`.
  ///
  /// ```swift
  /// if let data = (error as? URLError)?.downloadTaskResumeData {
  ///   session.downloadTask(withResumeData: data).resume()
  /// }
  /// ```
  public var downloadTaskResumeData: Data? {
    userInfo[NSURLSessionDownloadTaskResumeData] as? Data
  }

  /// The resume data of an upload that failed or was cancelled to produce it; nil if there is none.
  ///
  /// Source: Apple's documentation of `URLError.uploadTaskResumeData`.
  ///
  /// ```swift
  /// if let data = (error as? URLError)?.uploadTaskResumeData {
  ///   session.uploadTask(withResumeData: data).resume()
  /// }
  /// ```
  public var uploadTaskResumeData: Data? {
    userInfo[NSURLSessionUploadTaskResumeData] as? Data
  }

  /// Why a background task was cancelled by something other than the program.
  ///
  /// Source: Apple's documentation of `URLError.BackgroundTaskCancelledReason`.
  ///
  /// ```swift
  /// if let error = error as? URLError,
  ///   error.backgroundTaskCancelledReason == .userForceQuitApplication
  /// {
  ///   print("The user took it off the list")
  /// }
  /// ```
  public enum BackgroundTaskCancelledReason: Int, Sendable {
    /// The user removed the task from the list. On Apple's systems: the user force-quit the app.
    case userForceQuitApplication = 0
    /// Not used.
    case backgroundUpdatesDisabled = 1
    /// Not used.
    case insufficientSystemResources = 2
  }

  /// Why the task was cancelled; nil when the program cancelled it.
  ///
  /// Source: Apple's documentation of `URLError.backgroundTaskCancelledReason`.
  public var backgroundTaskCancelledReason: BackgroundTaskCancelledReason? {
    (userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] as? Int)
      .flatMap(BackgroundTaskCancelledReason.init)
  }
}
