import Foundation
import FoundationNetworking
import KettleSystem

/// A transfer of a session. A new task is suspended; `resume()` starts it.
///
/// A task of a background session continues in the service when the program ends, and
/// `URLSession.allTasks` contains it in the next run. Source: Apple's documentation of
/// `URLSessionTask`.
///
/// ```swift
/// let task = session.downloadTask(with: url)
/// task.taskDescription = "The first chapter"
/// task.resume()
/// ```
// Unchecked because a class with subclasses cannot be checked: its only stored property is a
// constant, and a lock inside guards everything that changes.
public class URLSessionTask: @unchecked Sendable {
  let backing: any TaskBacking

  required init(backing: any TaskBacking) { self.backing = backing }

  /// The transfer of a task of a background session. The core of such a session has no other tasks.
  var handle: TaskHandle {
    guard let handle = backing as? TaskHandle else {
      preconditionFailure("the task has no transfer")
    }
    return handle
  }

  /// The state of a task. Source: Apple's documentation of `URLSessionTask.State`.
  ///
  /// ```swift
  /// switch task.state {
  /// case .suspended: task.resume()
  /// case .running: print("It \(task.waitingReason?.description ?? "runs")")
  /// case .canceling, .completed: break
  /// }
  /// ```
  public enum State: Int, Sendable {
    /// Resumed; `waitingReason` says why it is waiting, if it is.
    case running = 0
    /// Not resumed yet, or suspended.
    case suspended
    /// Cancelled; `didCompleteWithError` has not been called yet.
    case canceling
    /// Finished.
    case completed
  }

  /// A priority of 0.25.
  public static let lowPriority: Float = 0.25
  /// A priority of 0.5, the default.
  public static let defaultPriority: Float = 0.5
  /// A priority of 0.75.
  public static let highPriority: Float = 0.75

  /// The number of the task, unique within its session forever. It is negative for what the service
  /// does not know, and unique in one run only: a task that cannot run, and a data task of a
  /// background session.
  ///
  /// Source: Apple's documentation of `URLSessionTask.taskIdentifier`.
  public var taskIdentifier: Int { backing.taskIdentifier }

  /// The request as the program made it; redirects do not change it.
  ///
  /// ```swift
  /// print(task.originalRequest?.url?.lastPathComponent ?? "")
  /// ```
  public var originalRequest: URLRequest? { backing.originalRequest }

  /// The request after redirects.
  public var currentRequest: URLRequest? { backing.currentRequest }

  /// The response of the server; nil until it arrives.
  ///
  /// It is an `HTTPURLResponse` with every header. A resumed download has the response to the whole
  /// file: status 200, and the length of the whole. `suggestedFilename` is the name that the
  /// service chose: from the Content-Disposition header (RFC 6266), else from the URL. It is a safe
  /// file name without a path. Source: Apple's documentation of `URLSessionTask.response` and
  /// `URLResponse.suggestedFilename`.
  ///
  /// ```swift
  /// if let reply = task.response as? HTTPURLResponse { print(reply.statusCode) }
  /// ```
  public var response: URLResponse? { backing.response }

  /// A description for people; it is stored with the task.
  ///
  /// ```swift
  /// task.taskDescription = "The first chapter"
  /// ```
  public var taskDescription: String? {
    get { backing.taskDescription }
    set { backing.taskDescription = newValue }
  }

  /// What people see in place of the file name; nil until `updateTitle(_:subtitle:)` is called.
  public var title: String? { backing.title?.text }

  /// What people see beside the title; nil until `updateTitle(_:subtitle:)` is called.
  public var subtitle: String? { backing.title?.subtitle }

  /// Presents the task to people: the counterpart of a continued processing task.
  ///
  /// The dashboard, `kettle why` and `kettle list --json` show the title and the subtitle. When the
  /// presented tasks and the user's own downloads have ended, the desktop shows a notification
  /// unless a dashboard is open. A terminal that supports OSC 9;4 shows the progress of the
  /// program's presented tasks in its tab or taskbar entry; see
  /// `URLSessionConfiguration.showsProgressInTerminal`.
  ///
  /// Both texts are stored with the task, and can be changed until it ends; each is cut to 1,024
  /// bytes. An empty title means the file name. Tasks of other sessions than background sessions
  /// keep the texts, but nothing shows them. Source: Apple's documentation of
  /// `BGContinuedProcessingTask.updateTitle(_:subtitle:)`.
  ///
  /// ```swift
  /// let task = session.downloadTask(with: url)
  /// task.updateTitle("Winter in the Alps", subtitle: "Chapter 3 of 12")
  /// task.resume()
  /// ```
  public func updateTitle(_ title: String, subtitle: String) {
    backing.setTitle(title, subtitle: subtitle)
  }

  /// Data that the program stores with the task, which survives a relaunch; at most about 180 KB.
  ///
  /// ```swift
  /// task.userInfo = try JSONEncoder().encode(["book": "17"])
  /// ```
  public var userInfo: Data? {
    get { backing.userInfo }
    set { backing.userInfo = newValue }
  }

  /// The current state of the task.
  public var state: State { backing.state }

  /// Why the task ended; nil until it ends, and when it succeeded.
  ///
  /// ```swift
  /// if let error = task.error as? URLError, error.code == .timedOut { print("It took too long") }
  /// ```
  public var error: (any Error)? { backing.error }

  /// The priority among the waiting tasks, from 0 (last) to 1 (first). It can change at any time.
  ///
  /// ```swift
  /// task.priority = URLSessionTask.highPriority
  /// ```
  public var priority: Float {
    get { backing.priority }
    set { backing.priority = newValue }
  }

  /// The earliest time at which the task begins; set it before `resume()`. At that time the
  /// delegate is asked (`urlSession(_:task:willBeginDelayedRequest:completionHandler:)`).
  ///
  /// It is wall-clock time: it remains valid across reboots and follows changes of the clock.
  /// Source: Apple's documentation of `earliestBeginDate`.
  ///
  /// ```swift
  /// task.earliestBeginDate = Date(timeIntervalSinceNow: 60 * 60)
  /// ```
  public var earliestBeginDate: Date? {
    get { backing.earliestBeginDate }
    set { backing.earliestBeginDate = newValue }
  }

  /// The program's estimate of an upper bound for the bytes to send, headers included.
  ///
  /// ```swift
  /// task.countOfBytesClientExpectsToSend = 200
  /// ```
  public var countOfBytesClientExpectsToSend: Int64 {
    get { backing.countOfBytesClientExpectsToSend }
    set { backing.countOfBytesClientExpectsToSend = newValue }
  }

  /// The program's estimate of an upper bound for the bytes to receive, headers included.
  ///
  /// ```swift
  /// task.countOfBytesClientExpectsToReceive = 30 * 1024 * 1024
  /// ```
  public var countOfBytesClientExpectsToReceive: Int64 {
    get { backing.countOfBytesClientExpectsToReceive }
    set { backing.countOfBytesClientExpectsToReceive = newValue }
  }

  /// The number of body bytes received so far.
  public var countOfBytesReceived: Int64 { backing.countOfBytesReceived }

  /// The expected number of body bytes; `NSURLSessionTransferSizeUnknown` when the server did not
  /// state it.
  ///
  /// ```swift
  /// let total = task.countOfBytesExpectedToReceive
  /// if total != NSURLSessionTransferSizeUnknown {
  ///   print("\(task.countOfBytesReceived) of \(total) bytes")
  /// }
  /// ```
  public var countOfBytesExpectedToReceive: Int64 {
    backing.countOfBytesExpectedToReceive
  }

  /// The number of bytes of the request's body sent so far.
  public var countOfBytesSent: Int64 { backing.countOfBytesSent }

  /// The length of the request's body in bytes.
  ///
  /// ```swift
  /// print("\(upload.countOfBytesSent) of \(upload.countOfBytesExpectedToSend) bytes")
  /// ```
  public var countOfBytesExpectedToSend: Int64 { backing.countOfBytesExpectedToSend }

  /// The progress of the task. Cancelling, pausing or resuming it does the same to the task.
  ///
  /// ```swift
  /// let progress = task.progress
  /// print(progress.completedUnitCount, progress.totalUnitCount)
  /// ```
  public var progress: Progress { backing.progress }

  /// Why a resumed task is not running; nil when it is running or finished.
  ///
  /// ```swift
  /// if let reason = task.waitingReason { print("It \(reason).") }
  /// ```
  public var waitingReason: WaitingReason? { backing.waitingReason }

  /// The progress of the task from now until it ends. A slow reader receives only the newest value.
  ///
  /// ```swift
  /// for await progress in task.progressUpdates {
  ///   print(progress.completedByteCount, progress.fraction ?? 0)
  /// }
  /// ```
  public var progressUpdates: AsyncStream<TransferProgress> { backing.makeProgressUpdates() }

  /// The delegate of this task alone; nil by default.
  ///
  /// It receives the calls of `URLSessionTaskDelegate` for this task in place of the session's
  /// delegate. A method that it does not implement is called on the session's delegate. Calls of
  /// `URLSessionDownloadDelegate` and `URLSessionDataDelegate` go to the session's delegate. Set it
  /// before `resume()`. The task retains it until `didCompleteWithError` has returned; a later run
  /// of the program does not have it. Source: Apple's documentation of `URLSessionTask.delegate`,
  /// which background sessions of Apple's systems do not support.
  ///
  /// ```swift
  /// import BackgroundTransfer
  /// import Foundation
  ///
  /// final class End: NSObject, URLSessionTaskDelegate {
  ///   func urlSession(
  ///     _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ///   ) {
  ///     print("Task \(task.taskIdentifier) has ended")
  ///   }
  /// }
  ///
  /// func start(_ task: URLSessionTask) {
  ///   task.delegate = End()
  ///   task.resume()
  /// }
  /// ```
  public var delegate: (any URLSessionTaskDelegate)? {
    get { backing.delegate }
    set { backing.delegate = newValue }
  }

  /// Starts the task, or undoes one `suspend()`.
  ///
  /// Returns at once. The request reaches the service before the process ends in the ordinary way
  /// (`exit`, the end of `main`).
  ///
  /// ```swift
  /// let task = session.downloadTask(with: url)
  /// task.resume()
  /// ```
  public func resume() { backing.resume() }

  /// Suspends the task; the received bytes are kept. Each call needs a `resume()`.
  ///
  /// ```swift
  /// task.suspend()
  /// task.resume()
  /// ```
  public func suspend() { backing.suspend() }

  /// Ends the task with `URLError.cancelled`, without resume data.
  ///
  /// ```swift
  /// task.cancel()
  /// ```
  public func cancel() { backing.cancel() }

  /// Returns whether `object` is this task.
  ///
  /// Source: Apple's documentation of `NSObjectProtocol.isEqual(_:)`.
  ///
  /// ```swift
  /// let isTheSame = task.isEqual(upload)
  /// ```
  public func isEqual(_ object: Any?) -> Bool { object as? URLSessionTask === self }
}

extension URLSessionTask: Hashable {
  /// Returns whether both are the same task.
  public static func == (left: URLSessionTask, right: URLSessionTask) -> Bool { left === right }

  /// Hashes the identity of the task.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension URLSessionTask: CustomStringConvertible {
  /// A description for logs.
  public var description: String { "<\(type(of: self)) \(taskIdentifier)>" }
}

/// The value for an unknown size. Source: NSURLSession.h.
///
/// ```swift
/// let isKnown = task.countOfBytesExpectedToReceive != NSURLSessionTransferSizeUnknown
/// ```
public let NSURLSessionTransferSizeUnknown: Int64 = -1
