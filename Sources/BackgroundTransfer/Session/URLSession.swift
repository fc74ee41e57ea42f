import Foundation
import FoundationNetworking
import KettleSystem

/// A background session: transfers that a service of the user carries out, whether or not the
/// program runs.
///
/// There is one session for an identifier in a process: a second one that is made with the same
/// identifier is equal to the first, and has its delegate. A session lives until it is
/// invalidated, and holds its delegate until then. Source: Apple's documentation of `URLSession`.
///
/// ```swift
/// import BackgroundTransfer
/// import Foundation
///
/// final class Downloads: NSObject, URLSessionDownloadDelegate {
///   func urlSession(
///     _ session: URLSession, downloadTask: URLSessionDownloadTask,
///     didFinishDownloadingTo location: URL
///   ) {
///     try? FileManager.default.moveItem(at: location, to: URL(fileURLWithPath: "/tmp/book.pdf"))
///   }
/// }
///
/// let session = URLSession(
///   configuration: .background(withIdentifier: "org.example.books"), delegate: Downloads(),
///   delegateQueue: nil)
/// ```
public final class URLSession: Sendable {
  let core: SessionCore

  /// Makes the session, or comes back to one: tasks of an earlier run of the program are there
  /// again, and what happened to them meanwhile is told to the delegate.
  ///
  /// - Parameters:
  ///   - configuration: Copied; it has to be one of `background(withIdentifier:)`.
  ///   - delegate: Held until the session is invalid.
  ///   - queue: Where the delegate is called; a serial one is made when it is nil.
  ///
  /// ```swift
  /// let session = URLSession(
  ///   configuration: .background(withIdentifier: "org.example.books"), delegate: nil,
  ///   delegateQueue: .main)
  /// ```
  public init(
    configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)? = nil,
    delegateQueue queue: OperationQueue? = nil
  ) {
    core = SessionRegistry.shared.core(
      for: configuration, delegate: delegate, queue: queue)
    core.adopt(self)
  }

  /// A copy of what the session was made with.
  public var configuration: URLSessionConfiguration { core.configuration.copy() }

  /// The delegate; nil when there is none and after the session became invalid.
  public var delegate: (any URLSessionDelegate)? { core.delegate }

  /// Where the delegate is called.
  public var delegateQueue: OperationQueue { core.queue }

  /// A text for people; it is not kept.
  public var sessionDescription: String? {
    get { core.sessionDescription.withLock { $0 } }
    set { core.sessionDescription.withLock { $0 = newValue } }
  }

  /// What happens when the session is asked for a download that it already has; `.separate` unless
  /// set, as on Apple's systems.
  ///
  /// ```swift
  /// session.duplicatePolicy = .coalesce
  /// ```
  public var duplicatePolicy: DuplicatePolicy {
    get { core.duplicatePolicy.withLock { $0 } }
    set { core.duplicatePolicy.withLock { $0 = newValue } }
  }

  /// Lets no new tasks begin, and invalidates the session when those that it has are over.
  ///
  /// It returns at once; `urlSession(_:didBecomeInvalidWithError:)` is the last call.
  ///
  /// ```swift
  /// session.downloadTask(with: url).resume()
  /// session.finishTasksAndInvalidate()
  /// ```
  public func finishTasksAndInvalidate() { core.invalidate(cancellingTasks: false) }

  /// Cancels all tasks, and invalidates the session when their delegate has been told.
  ///
  /// ```swift
  /// session.invalidateAndCancel()
  /// ```
  public func invalidateAndCancel() { core.invalidate(cancellingTasks: true) }

  /// Calls when the service has acknowledged everything that was asked so far: it survives a power
  /// cut from then on. The handler is called on the delegate queue.
  ///
  /// Source: Apple's documentation of `flush(completionHandler:)`, which promises the same of
  /// cookies and credentials.
  public func flush(completionHandler: @escaping @Sendable () -> Void) {
    core.whenFlushed { [core] in core.queue.addOperation(completionHandler) }
  }

  /// Waits until the service has acknowledged everything that was asked so far.
  ///
  /// ```swift
  /// task.resume()
  /// await session.flush()
  /// ```
  public func flush() async {
    await withCheckedContinuation { continuation in
      core.whenFlushed { continuation.resume() }
    }
  }

  /// How a challenge is answered. Source: Apple's documentation of
  /// `URLSession.AuthChallengeDisposition`.
  ///
  /// ```swift
  /// func answer(_ password: String?) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
  ///   guard let password else { return (.cancelAuthenticationChallenge, nil) }
  ///   let login = URLCredential(user: "reader", password: password, persistence: .forSession)
  ///   return (.useCredential, login)
  /// }
  /// ```
  public enum AuthChallengeDisposition: Int, Sendable {
    /// With the credential; without one nothing is shown and the reply is taken as it stands.
    case useCredential = 0
    /// As if there were no delegate.
    case performDefaultHandling = 1
    /// Not at all: the task ends with `URLError.cancelled`.
    case cancelAuthenticationChallenge = 2
    /// As if there were no delegate; the server may offer another way.
    case rejectProtectionSpace = 3
  }

  /// What becomes of a task when its reply begins; background sessions do not ask. Source: Apple's
  /// documentation of `URLSession.ResponseDisposition`.
  ///
  /// ```swift
  /// func disposition(of response: URLResponse) -> URLSession.ResponseDisposition {
  ///   response.mimeType == "text/html" ? .cancel : .allow
  /// }
  /// ```
  public enum ResponseDisposition: Int, Sendable {
    /// The task ends.
    case cancel = 0
    /// The task goes on.
    case allow = 1
    /// The task becomes a download.
    case becomeDownload = 2
    /// The task becomes a stream.
    case becomeStream = 3
  }

  /// What becomes of a task whose `earliestBeginDate` has come; the service begins it by itself.
  /// Source: Apple's documentation of `URLSession.DelayedRequestDisposition`.
  ///
  /// ```swift
  /// func disposition(isStillWanted: Bool) -> URLSession.DelayedRequestDisposition {
  ///   isStillWanted ? .continueLoading : .cancel
  /// }
  /// ```
  public enum DelayedRequestDisposition: Int, Sendable {
    /// It begins as it was made.
    case continueLoading = 0
    /// It begins with another request.
    case useNewRequest = 1
    /// It ends.
    case cancel = 2
  }
}

extension URLSession: Hashable {
  /// Tells whether both are the session of one identifier.
  public static func == (left: URLSession, right: URLSession) -> Bool { left.core === right.core }

  /// Feeds the identity of the session.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(core)) }
}

extension URLSession: CustomStringConvertible {
  /// For logs.
  public var description: String { "<URLSession \"\(core.identifier)\">" }
}
