import Foundation
import FoundationNetworking
import KettleControl
import KettleModel

/// The errors that delegates receive for their tasks.
extension TaskFailure {
  func error(for handle: TaskHandle) -> any Error {
    var resumeData: [String: Data] = [:]
    if let resumption { resumeData[resumption.errorKey] = resumption.data(for: handle) }
    return error(url: handle.originalRequest?.url, resumeData: resumeData)
  }

  /// The error of a task that was never made.
  func error(for request: URLRequest?) -> any Error { error(url: request?.url) }

  /// - Parameter resumeData: under the keys of the error's `userInfo`.
  func error(url: URL?, resumeData: [String: Data] = [:]) -> any Error {
    if case .refused(.duplicate(let number)) = self {
      return DuplicateTask(taskIdentifier: Int(clamping: number))
    }
    var userInfo: [String: Any] = [NSLocalizedDescriptionKey: sentence]
    userInfo[NSURLErrorFailingURLErrorKey] = url
    // The key that `URLError.failureURLString` reads; the constant for it is deprecated.
    userInfo["NSErrorFailingURLStringKey"] = url?.absoluteString
    userInfo[NSUnderlyingErrorKey] = NSError(
      domain: kettleErrorDomain, code: code.rawValue,
      userInfo: [NSLocalizedDescriptionKey: sentence])
    userInfo.merge(resumeData) { _, data in data }
    if case .removedByUser = self {
      userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] =
        URLError.BackgroundTaskCancelledReason.userForceQuitApplication.rawValue
    }
    return URLError(code, userInfo: userInfo)
  }

  private var resumption: TaskResumption? {
    switch self {
    case .transfer(_, let resumption), .cancelled(let resumption): resumption
    case .removedByUser, .refused, .session, .notKept: nil
    }
  }

  var code: URLError.Code {
    switch self {
    case .transfer(let failure, _): failure.code.urlErrorCode
    case .cancelled, .removedByUser: .cancelled
    case .refused(let refusal): refusal.code
    case .session(let failure): failure.code
    case .notKept(let error):
      switch error.code {
      case .refusedSpec, .invalidParams: .badURL
      case .cannotKeep: .cannotCreateFile
      case .parseError, .invalidRequest, .methodNotFound, .internalError, .versionMismatch,
        .helloMissing, .unknownTransfer, .stopping, .sessionInUse, .unknownSession, .notAttached,
        .tooManyConnections, .unknownQueue, .unknownCollection, .noFleet, .notOffered, .fleet:
        .backgroundSessionWasDisconnected
      }
    }
  }

  var sentence: String {
    switch self {
    case .transfer(let failure, _): failure.sentence
    case .cancelled: "The task was cancelled"
    case .removedByUser: "The user removed the task from the list"
    case .refused(let refusal): refusal.sentence
    case .session(let failure): failure.sentence
    case .notKept(let error):
      "The service rejected the task (\(error.message)); correct it and try again"
    }
  }
}

extension TaskResumption {
  fileprivate var errorKey: String {
    switch self {
    case .download: NSURLSessionDownloadTaskResumeData
    case .upload: NSURLSessionUploadTaskResumeData
    }
  }

  /// The resume data for the program.
  func data(for handle: TaskHandle) -> Data? {
    switch self {
    case .download(let token): ResumePropertyList.of(handle, token)
    case .upload(let resumption, let content):
      UploadResumeData(resumption, of: content, handle: handle)?.data
    }
  }
}

/// The domain of the errors that underlie a `URLError` of this library.
let kettleErrorDomain = "KettleErrorDomain"

extension TaskRefusal {
  var code: URLError.Code {
    switch self {
    case .unsupportedURL, .badResumeData: .unsupportedURL
    case .dataTask, .uploadOfData, .uploadOfStream, .completionHandler, .webSocket, .destination,
      .invalidatedSession, .duplicate:
      .unknown
    case .fileUnreadable: .fileDoesNotExist
    case .tooMuchUserInfo: .dataLengthExceedsMaximum
    case .badRequest: .badURL
    }
  }

  var sentence: String {
    switch self {
    case .unsupportedURL(let sentence): sentence
    case .badResumeData:
      "The resume data is not valid for this kind of task or for this version; start over with a "
        + "new task"
    case .dataTask:
      "Data cannot be awaited in background sessions; use a download task, or a data task with a "
        + "delegate"
    case .uploadOfData:
      "Uploads from data are not supported in background sessions; write the data to a file first"
    case .uploadOfStream:
      "Uploads from streams are not supported in background sessions; write the data to a file "
        + "first"
    case .completionHandler:
      "Completion handlers are not supported in background sessions; use a delegate"
    case .webSocket:
      "Web sockets are not supported in background sessions; use URLSession.shared"
    case .destination:
      "Only a background session downloads to a destination; use "
        + "URLSessionConfiguration.background(withIdentifier:)"
    case .fileUnreadable(let path):
      "The file \"\(path)\" cannot be read; check that it exists"
    case .tooMuchUserInfo:
      "The userInfo of the task is too large to store; store it in a file"
    case .duplicate(let number): "The session already has this download as task \(number)"
    case .invalidatedSession: "The session was invalidated; create a new one"
    case .badRequest(let part): "The request cannot be sent (\(part)); correct that part"
    }
  }
}

extension SessionFailure {
  var error: URLError {
    URLError(
      code,
      userInfo: [
        NSLocalizedDescriptionKey: sentence,
        NSUnderlyingErrorKey: NSError(
          domain: kettleErrorDomain, code: code.rawValue,
          userInfo: [NSLocalizedDescriptionKey: sentence]),
      ])
  }

  var code: URLError.Code {
    switch self {
    case .emptyIdentifier: .unknown
    case .inUse: .backgroundSessionInUseByAnotherProcess
    case .noService: .backgroundSessionWasDisconnected
    }
  }

  var sentence: String {
    switch self {
    case .emptyIdentifier:
      "A background session needs an identifier; give background(withIdentifier:) a name"
    case .inUse(let process):
      "The session is in use by process \(process); end it, or use another identifier"
    case .noService(let sentence): sentence
    }
  }
}

extension TransferFailure.Code {
  /// The nearest of Apple's codes (NSURLError.h). A task fails with an error status only if it has
  /// a destination; otherwise the status is a success, as on Apple's systems.
  var urlErrorCode: URLError.Code {
    switch self {
    case .badURL: .badURL
    case .tooManyRedirects: .httpTooManyRedirects
    case .redirectRefused: .redirectToNonExistentLocation
    case .httpStatus, .rangeReplyWrong, .otherVersion, .otherFile, .contradictoryReply,
      .webPage, .protocolBroken, .checksumListUnusable, .metalinkUnusable, .torrentUnusable,
      .wrongPiece, .playlistUnusable, .liveStream, .listUnusable:
      .badServerResponse
    case .encodedReply, .unpackingFailed: .cannotDecodeContentData
    case .loginNeeded: .userAuthenticationRequired
    case .linkExpired: .resourceUnavailable
    case .hostNotFound: .cannotFindHost
    case .nameServerSilent: .dnsLookupFailed
    case .connectionRefused, .proxyFailed, .proxyUnreachable, .proxyLoginNeeded:
      .cannotConnectToHost
    case .connectionLost, .noDataConnection, .truncated: .networkConnectionLost
    case .timedOut: .timedOut
    case .tlsRefused: .serverCertificateUntrusted
    case .networkDown: .notConnectedToInternet
    case .certificateFileUnusable: .clientCertificateRejected
    case .clientCertificateNeeded: .clientCertificateRequired
    case .headersFileUnusable: .userAuthenticationRequired
    case .tooLong: .dataLengthExceedsMaximum
    case .directoryMissing, .directoryUnwritable: .cannotCreateFile
    case .diskFull, .fileProblem: .cannotWriteToFile
    case .nameTaken, .notContinued: .cannotMoveFile
    case .checksumMismatch: .cannotDecodeRawData
    case .partialFileChanged: .downloadDecodingFailedMidStream
    case .uploadFileUnusable: .fileDoesNotExist
    // No task has an object store as its destination.
    case .storeRefused, .storeUnavailable, .uploadGone: .cannotWriteToFile
    case .cancelled: .cancelled
    case .conditionUnmet: .dataNotAllowed
    // No task is a collection.
    case .internalProblem, .membersUnfinished, .membersFailed: .unknown
    }
  }
}

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
