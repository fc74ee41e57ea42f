import Foundation
import FoundationNetworking

/// Receives the events of tasks of every kind. Every method has a default implementation.
///
/// Source: Apple's documentation of `URLSessionTaskDelegate`.
///
/// ```swift
/// import BackgroundTransfer
/// import Foundation
///
/// final class Uploads: URLSessionTaskDelegate {
///   private let login: URLCredential
///
///   init(login: URLCredential) { self.login = login }
///
///   func urlSession(
///     _ session: URLSession, task: URLSessionTask,
///     didReceive challenge: URLAuthenticationChallenge,
///     completionHandler:
///       @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
///   ) {
///     guard challenge.previousFailureCount == 0 else {
///       return completionHandler(.cancelAuthenticationChallenge, nil)
///     }
///     completionHandler(.useCredential, login)
///   }
///
///   func urlSession(
///     _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
///     totalBytesSent: Int64, totalBytesExpectedToSend: Int64
///   ) {
///     print("\(totalBytesSent) of \(totalBytesExpectedToSend) bytes")
///   }
///
///   func urlSession(
///     _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
///   ) {
///     print("Task \(task.taskIdentifier): \(error?.localizedDescription ?? "done")")
///   }
/// }
/// ```
@preconcurrency
public protocol URLSessionTaskDelegate: URLSessionDelegate {
  /// Called on the session's delegate for each new task, before the method that creates the task
  /// returns: on the thread that called it, and not on the delegate queue.
  ///
  /// Here a program can set the properties of tasks that other code creates. Tasks of earlier runs
  /// are not reported. Source: Apple's documentation of `urlSession(_:didCreateTask:)` and
  /// NSURLSession.h.
  ///
  /// ```swift
  /// import BackgroundTransfer
  /// import Foundation
  ///
  /// final class Polite: NSObject, URLSessionTaskDelegate {
  ///   func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
  ///     task.priority = URLSessionTask.lowPriority
  ///   }
  /// }
  /// ```
  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)

  /// Called when a server redirects a task. Pass on the new request to follow it, another one to
  /// change it, or nil to make the redirect itself the response.
  ///
  /// Never called in a background session, which always follows redirects. The default
  /// implementation follows them.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void)

  /// Called when the `earliestBeginDate` of a task has arrived, before the task begins. The task
  /// waits for the answer.
  ///
  /// A program that is not running is launched for it. A task begins without an answer if no
  /// delegate has a method for this, if the program cannot be launched
  /// (`URLSessionConfiguration.sessionSendsLaunchEvents`, `URLSessionConfiguration.launch`),
  /// or if its last launch failed. A new request that is missing or cannot be sent cancels the
  /// task; a new request for an upload keeps the file. Source: Apple's documentation of
  /// `urlSession(_:task:willBeginDelayedRequest:completionHandler:)`.
  ///
  /// ```swift
  /// import BackgroundTransfer
  /// import Foundation
  ///
  /// final class Nightly: NSObject, URLSessionTaskDelegate {
  ///   func urlSession(
  ///     _ session: URLSession, task: URLSessionTask,
  ///     willBeginDelayedRequest request: URLRequest,
  ///     completionHandler:
  ///       @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
  ///   ) {
  ///     var newRequest = request
  ///     newRequest.setValue("Bearer 5f3a", forHTTPHeaderField: "Authorization")
  ///     completionHandler(.useNewRequest, newRequest)
  ///   }
  /// }
  /// ```
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willBeginDelayedRequest request: URLRequest,
    completionHandler:
      @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void)

  /// The `async` form, called when the form with a completion handler is not implemented.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willBeginDelayedRequest request: URLRequest
  ) async -> (URLSession.DelayedRequestDisposition, URLRequest?)

  /// Called for challenges of a server or a proxy (Basic, Digest), and for those of a connection
  /// when the session's method is not implemented.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

  /// The `async` form, called when the form with a completion handler is not implemented.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

  /// Called when an upload made with `uploadTask(withStreamedRequest:)` needs its body, for the
  /// first time or again. The default implementation passes on nil, an empty body.
  ///
  /// Never called in a background session, which sends only files.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)

  /// Called for an informational response (1xx) that arrives while the program is running, before
  /// the response itself. 100 (Continue) and 101 are not reported.
  ///
  /// With 104 (Upload Resumption Supported) a server offers to continue an upload after an
  /// interruption; see <doc:Uploading>.
  ///
  /// Source: Apple's documentation of
  /// `urlSession(_:task:didReceiveInformationalResponse:)`.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    didReceiveInformationalResponse response: HTTPURLResponse)

  /// Called from time to time while the body of an upload is sent; counts are in bytes. After a
  /// lost connection they start again where the server has asked the service to continue, or from
  /// zero.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64)

  /// Called once when a task waits for the network, for its host or for a proxy before the server
  /// has responded.
  ///
  /// The task continues by itself. A later run of the program receives the call again if the task
  /// still waits. Source: Apple's documentation of `urlSession(_:taskIsWaitingForConnectivity:)`,
  /// which background sessions of Apple's systems do not call.
  ///
  /// ```swift
  /// import BackgroundTransfer
  /// import Foundation
  ///
  /// final class Waits: NSObject, URLSessionTaskDelegate {
  ///   func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
  ///     print("Task \(task.taskIdentifier): \(task.waitingReason?.description ?? "waits")")
  ///   }
  /// }
  /// ```
  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)

  /// Called with the times and the connections of a task, directly before `didCompleteWithError`.
  ///
  /// The service measures, so the times are those of the transfer, whether or not the program was
  /// running. Called also for a task that failed without a request. Source: Apple's documentation
  /// of `urlSession(_:task:didFinishCollecting:)`.
  ///
  /// ```swift
  /// import BackgroundTransfer
  /// import Foundation
  ///
  /// final class Meter: NSObject, URLSessionTaskDelegate {
  ///   func urlSession(
  ///     _ session: URLSession, task: URLSessionTask,
  ///     didFinishCollecting metrics: URLSessionTaskMetrics
  ///   ) {
  ///     print("\(metrics.taskInterval.duration) s, \(metrics.redirectCount) redirects")
  ///   }
  /// }
  /// ```
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    didFinishCollecting metrics: URLSessionTaskMetrics)

  /// The last call for a task, made exactly once.
  ///
  /// The error is nil on success. An HTTP error status is a success here; check `task.response`.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}

/// Without an implementation, a call on a task's own delegate goes to the session's delegate.
extension URLSessionTaskDelegate {
  public func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    guard let other = session.delegate(besides: self) else { return completionHandler(request) }
    other.urlSession(
      session, task: task, willPerformHTTPRedirection: response, newRequest: request,
      completionHandler: completionHandler)
  }

  public func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willBeginDelayedRequest request: URLRequest,
    completionHandler:
      @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
  ) {
    (task.backing as? TaskHandle)?.markNoDelayMethod()
    completionHandler(.continueLoading, nil)
  }

  public func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willBeginDelayedRequest request: URLRequest
  ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
    (task.backing as? TaskHandle)?.markNoDelayMethod()
    return (.continueLoading, nil)
  }

  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    ChallengeMarker.markUnimplemented(challenge)
    completionHandler(.performDefaultHandling, nil)
  }

  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    ChallengeMarker.markUnimplemented(challenge)
    return (.performDefaultHandling, nil)
  }

  public func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    guard let other = session.delegate(besides: self) else { return completionHandler(nil) }
    other.urlSession(session, task: task, needNewBodyStream: completionHandler)
  }

  public func urlSession(
    _ session: URLSession, task: URLSessionTask,
    didReceiveInformationalResponse response: HTTPURLResponse
  ) {
    session.delegate(besides: self)?.urlSession(
      session, task: task, didReceiveInformationalResponse: response)
  }

  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    session.delegate(besides: self)?.urlSession(
      session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
      totalBytesExpectedToSend: totalBytesExpectedToSend)
  }

  public func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {}

  public func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    session.delegate(besides: self)?.urlSession(session, taskIsWaitingForConnectivity: task)
  }

  public func urlSession(
    _ session: URLSession, task: URLSessionTask,
    didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    session.delegate(besides: self)?.urlSession(
      session, task: task, didFinishCollecting: metrics)
  }

  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    session.delegate(besides: self)?.urlSession(
      session, task: task, didCompleteWithError: error)
  }
}
