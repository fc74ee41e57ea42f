import Foundation
import FoundationNetworking
import KettleSystem

/// A session: transfers with one configuration and one delegate.
///
/// In a background session, a service of the user performs the transfers, whether or not the
/// program is running. In every other session, FoundationNetworking performs them, and they end
/// with the program.
///
/// A process has one background session for each identifier: a second one created with the same
/// identifier equals the first and has its delegate. A background session lives until it is
/// invalidated, and retains its delegate until then. Source: Apple's documentation of `URLSession`.
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
  enum Kind: Sendable {
    case background(SessionCore)
    case foreground(ForegroundSession)
  }

  let kind: Kind

  /// Creates a session, or reconnects to a background session: the tasks of an earlier run of the
  /// program exist again, and the delegate is informed of what happened to them meanwhile.
  ///
  /// - Parameters:
  ///   - configuration: Copied.
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
    switch configuration.kind {
    case .background:
      let core = URLSessionRegistry.shared.core(
        for: configuration, delegate: delegate, queue: queue)
      kind = .background(core)
      configuration.protocolRejection.map(StandardError.write)
      core.adopt(self)
    case .default, .ephemeral, .shared:
      kind = .foreground(
        ForegroundSession(
          configuration: configuration.copy(), delegate: delegate.map(SessionCore.Delegate.init),
          queue: queue))
    }
  }

  /// The session of the process for plain requests: it has no delegate, the default configuration,
  /// and cannot be invalidated.
  ///
  /// Source: Apple's documentation of `URLSession.shared`.
  ///
  /// ```swift
  /// let (data, _) = try await URLSession.shared.data(from: url)
  /// print("\(data.count) bytes")
  /// ```
  public static let shared = URLSession(
    configuration: URLSessionConfiguration(.shared, values: .init(urlCache: .shared)))

  /// The session's delegate for a call that the delegate of a task does not implement; nil if that
  /// is the session's delegate itself.
  func delegate(besides own: any URLSessionTaskDelegate) -> (any URLSessionTaskDelegate)? {
    switch kind {
    case .background(let core): return core.delegate(besides: own)
    case .foreground(let session):
      let delegate = session.bridge.delegate
      return delegate === own ? nil : delegate as? any URLSessionTaskDelegate
    }
  }

  var foreground: ForegroundSession? {
    switch kind {
    case .background: nil
    case .foreground(let session): session
    }
  }

  /// A copy of the configuration that the session was created with.
  public var configuration: URLSessionConfiguration {
    switch kind {
    case .background(let core): core.configuration.copy()
    case .foreground(let session): session.configuration.copyForProgram()
    }
  }

  /// The delegate; nil when there is none, and after the session has become invalid.
  public var delegate: (any URLSessionDelegate)? {
    switch kind {
    case .background(let core): core.delegate
    case .foreground(let session): session.bridge.delegate
    }
  }

  /// The queue on which the delegate is called.
  public var delegateQueue: OperationQueue {
    switch kind {
    case .background(let core): core.queue
    case .foreground(let session): session.queue
    }
  }

  /// A description for people; it is not stored.
  public var sessionDescription: String? {
    get {
      switch kind {
      case .background(let core): core.sessionDescription.withLock { $0 }
      case .foreground(let session): session.sessionDescription.withLock { $0 }
      }
    }
    set {
      switch kind {
      case .background(let core): core.sessionDescription.withLock { $0 = newValue }
      case .foreground(let session): session.sessionDescription.withLock { $0 = newValue }
      }
    }
  }

  /// What to do when a program requests a download that the session already has. The default is
  /// `.separate`, as on Apple's systems, and the only policy of a session that is not a background
  /// session.
  ///
  /// ```swift
  /// session.duplicatePolicy = .coalesce
  /// ```
  public var duplicatePolicy: DuplicatePolicy {
    get {
      switch kind {
      case .background(let core): core.duplicatePolicy.withLock { $0 }
      case .foreground: .separate
      }
    }
    set {
      switch kind {
      case .background(let core): core.duplicatePolicy.withLock { $0 = newValue }
      case .foreground: break
      }
    }
  }

  /// Accepts no new tasks, and invalidates the session when its existing tasks are finished.
  ///
  /// Returns at once; `urlSession(_:didBecomeInvalidWithError:)` is the last call. Neither this nor
  /// `invalidateAndCancel` has an effect on `shared`.
  ///
  /// ```swift
  /// session.downloadTask(with: url).resume()
  /// session.finishTasksAndInvalidate()
  /// ```
  public func finishTasksAndInvalidate() { invalidate(cancellingTasks: false) }

  /// Cancels all tasks, and invalidates the session when the delegate has been informed of their
  /// ends.
  ///
  /// ```swift
  /// session.invalidateAndCancel()
  /// ```
  public func invalidateAndCancel() { invalidate(cancellingTasks: true) }

  private func invalidate(cancellingTasks: Bool) {
    switch kind {
    case .background(let core): core.invalidate(cancellingTasks: cancellingTasks)
    case .foreground(let session):
      session.invalidate(self, cancellingTasks: cancellingTasks)
    }
  }

  /// Calls the handler when the service has recorded every task and every request made so far. From
  /// then on they survive a power cut. The handler is called on the delegate queue.
  ///
  /// Tasks that were never resumed are recorded too: they are suspended in the next run of the
  /// program.
  ///
  /// A session that is not a background session calls it when FoundationNetworking does. Source:
  /// Apple's documentation of `flush(completionHandler:)`, which promises the same for cookies and
  /// credentials.
  public func flush(completionHandler: @escaping @Sendable () -> Void) {
    let queue = delegateQueue
    whenFlushed { queue.addOperation(completionHandler) }
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
      whenFlushed { continuation.resume() }
    }
  }

  private func whenFlushed(_ body: @escaping @Sendable () -> Void) {
    switch kind {
    case .background(let core): core.whenFlushed(body)
    case .foreground(let session): session.flush(body)
    }
  }

  /// Removes what the session has stored of earlier responses (its cache and its credentials), and
  /// calls the handler on the delegate queue.
  ///
  /// A background session stores nothing of that kind: it does the same as
  /// `flush(completionHandler:)`. Source: Apple's documentation of `reset(completionHandler:)`.
  public func reset(completionHandler: @escaping @Sendable () -> Void) {
    let queue = delegateQueue
    whenReset { queue.addOperation(completionHandler) }
  }

  /// Removes what the session has stored of earlier responses; see `reset(completionHandler:)`.
  ///
  /// ```swift
  /// await URLSession.shared.reset()
  /// ```
  public func reset() async {
    await withCheckedContinuation { continuation in
      whenReset { continuation.resume() }
    }
  }

  private func whenReset(_ body: @escaping @Sendable () -> Void) {
    switch kind {
    case .background(let core): core.whenFlushed(body)
    case .foreground(let session): session.reset(body)
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

  /// What to do with a task when its response begins; background sessions do not ask.
  /// FoundationNetworking cannot turn a task into another kind: the last two are the same as
  /// `.allow`. Source: Apple's documentation of `URLSession.ResponseDisposition`.
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
  /// Returns whether both are the same session, or background sessions of the same identifier.
  public static func == (left: URLSession, right: URLSession) -> Bool {
    left.identity == right.identity
  }

  /// Hashes the identity of the session.
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }

  private var identity: ObjectIdentifier {
    switch kind {
    case .background(let core): ObjectIdentifier(core)
    case .foreground(let session): ObjectIdentifier(session)
    }
  }
}

extension URLSession: CustomStringConvertible {
  /// A description for logs.
  public var description: String {
    switch kind {
    case .background(let core): "<URLSession \"\(core.identifier)\">"
    case .foreground(let session): "<URLSession \(session.configuration.kind)>"
    }
  }
}
