import Foundation
import FoundationNetworking
import KettleSystem

/// A background session: a service of the user performs its transfers, whether or not the program
/// is running.
///
/// A process has one session for each identifier: a second one created with the same identifier
/// equals the first and has its delegate. A session lives until it is invalidated, and retains its
/// delegate until then. Source: Apple's documentation of `URLSession`.
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

  /// Creates a session, or reconnects to one: the tasks of an earlier run of the program exist
  /// again, and the delegate is informed of what happened to them meanwhile.
  ///
  /// - Parameters:
  ///   - configuration: Copied; it must come from `background(withIdentifier:)`.
  ///   - delegate: Retained until the session is invalid.
  ///   - queue: The queue on which the delegate is called; nil creates a serial one.
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
    core = URLSessionRegistry.shared.core(
      for: configuration, delegate: delegate, queue: queue)
    core.adopt(self)
  }

  /// A copy of the configuration that the session was created with.
  public var configuration: URLSessionConfiguration { core.configuration.copy() }

  /// The delegate; nil when there is none, and after the session has become invalid.
  public var delegate: (any URLSessionDelegate)? { core.delegate }

  /// The queue on which the delegate is called.
  public var delegateQueue: OperationQueue { core.queue }

  /// A description for people; it is not stored.
  public var sessionDescription: String? {
    get { core.sessionDescription.withLock { $0 } }
    set { core.sessionDescription.withLock { $0 = newValue } }
  }

  /// What to do when a program requests a download that the session already has. The default is
  /// `.separate`, as on Apple's systems.
  ///
  /// ```swift
  /// session.duplicatePolicy = .coalesce
  /// ```
  public var duplicatePolicy: DuplicatePolicy {
    get { core.duplicatePolicy.withLock { $0 } }
    set { core.duplicatePolicy.withLock { $0 = newValue } }
  }

  /// Accepts no new tasks, and invalidates the session when its existing tasks are finished.
  ///
  /// Returns at once; `urlSession(_:didBecomeInvalidWithError:)` is the last call.
  ///
  /// ```swift
  /// session.downloadTask(with: url).resume()
  /// session.finishTasksAndInvalidate()
  /// ```
  public func finishTasksAndInvalidate() { core.invalidate(cancellingTasks: false) }

  /// Cancels all tasks, and invalidates the session when the delegate has been informed of their
  /// ends.
  ///
  /// ```swift
  /// session.invalidateAndCancel()
  /// ```
  public func invalidateAndCancel() { core.invalidate(cancellingTasks: true) }

  /// Calls the handler when the service has recorded every task and every request made so far. From
  /// then on they survive a power cut. The handler is called on the delegate queue.
  ///
  /// Tasks that were never resumed are recorded too: they are suspended in the next run of the
  /// program.
  ///
  /// Source: Apple's documentation of `flush(completionHandler:)`, which promises the same for
  /// cookies and credentials.
  public func flush(completionHandler: @escaping @Sendable () -> Void) {
    core.whenFlushed { [core] in core.queue.addOperation(completionHandler) }
  }

  /// Waits until the service has recorded every task and every request made so far; see the method
  /// with a handler.
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

  /// How to respond to a challenge. Source: Apple's documentation of
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
    /// Sends the credential. Without one, sends nothing and accepts the response as it is.
    case useCredential = 0
    /// Responds as if there were no delegate.
    case performDefaultHandling = 1
    /// Does not respond: the task ends with `URLError.cancelled`.
    case cancelAuthenticationChallenge = 2
    /// Responds as if there were no delegate; the server may offer another method.
    case rejectProtectionSpace = 3
  }

  /// What to do with a task when its response begins; background sessions do not ask. Source:
  /// Apple's documentation of `URLSession.ResponseDisposition`.
  ///
  /// ```swift
  /// func disposition(of response: URLResponse) -> URLSession.ResponseDisposition {
  ///   response.mimeType == "text/html" ? .cancel : .allow
  /// }
  /// ```
  public enum ResponseDisposition: Int, Sendable {
    /// The task ends.
    case cancel = 0
    /// The task continues.
    case allow = 1
    /// The task becomes a download.
    case becomeDownload = 2
    /// The task becomes a stream.
    case becomeStream = 3
  }

  /// What to do with a task at its `earliestBeginDate`. Source: Apple's documentation of
  /// `URLSession.DelayedRequestDisposition`.
  ///
  /// ```swift
  /// func disposition(isStillWanted: Bool) -> URLSession.DelayedRequestDisposition {
  ///   isStillWanted ? .continueLoading : .cancel
  /// }
  /// ```
  public enum DelayedRequestDisposition: Int, Sendable {
    /// The task begins with its original request.
    case continueLoading = 0
    /// The task begins with another request.
    case useNewRequest = 1
    /// The task ends.
    case cancel = 2
  }
}

extension URLSession: Hashable {
  /// Returns whether both are the session of the same identifier.
  public static func == (left: URLSession, right: URLSession) -> Bool { left.core === right.core }

  /// Hashes the identity of the session.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(core)) }
}

extension URLSession: CustomStringConvertible {
  /// A description for logs.
  public var description: String { "<URLSession \"\(core.identifier)\">" }
}
