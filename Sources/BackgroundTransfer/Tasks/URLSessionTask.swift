import Foundation
import FoundationNetworking
import KettleSystem

/// A transfer of a session. It is made suspended; `resume()` starts it.
///
/// It lives on in the service when the program ends, and comes back with `URLSession.allTasks` the
/// next time. Source: Apple's documentation of `URLSessionTask`.
///
/// ```swift
/// let task = session.downloadTask(with: url)
/// task.taskDescription = "The first chapter"
/// task.resume()
/// ```
// Unchecked because a class with subclasses cannot be checked; all that it has is one constant, and
// what changes is behind the lock in there.
public class URLSessionTask: @unchecked Sendable {
  let handle: TaskHandle

  required init(handle: TaskHandle) { self.handle = handle }

  /// What a task is doing. Source: Apple's documentation of `URLSessionTask.State`.
  ///
  /// ```swift
  /// switch task.state {
  /// case .suspended: task.resume()
  /// case .running: print("It \(task.waitingReason?.description ?? "runs")")
  /// case .canceling, .completed: break
  /// }
  /// ```
  public enum State: Int, Sendable {
    /// It was resumed; `waitingReason` tells when it waits.
    case running = 0
    /// It was not resumed yet, or suspended.
    case suspended
    /// It was cancelled, and `didCompleteWithError` is still to come.
    case canceling
    /// It is over.
    case completed
  }

  /// A priority of 0.25.
  public static let lowPriority: Float = 0.25
  /// A priority of 0.5, which a task has unless told otherwise.
  public static let defaultPriority: Float = 0.5
  /// A priority of 0.75.
  public static let highPriority: Float = 0.75

  /// The number of the task, unique within its session for good. A task that cannot be carried out
  /// has a negative one.
  ///
  /// Source: Apple's documentation of `URLSessionTask.taskIdentifier`.
  public var taskIdentifier: Int { Int(clamping: handle.number) }

  /// What was asked for first; redirects do not change it.
  ///
  /// ```swift
  /// print(task.originalRequest?.url?.lastPathComponent ?? "")
  /// ```
  public var originalRequest: URLRequest? { handle.originalRequest }

  /// What was asked for last, after redirects.
  public var currentRequest: URLRequest? { handle.currentRequest }

  /// What the server answered; nil as long as it did not.
  ///
  /// ```swift
  /// if let reply = task.response as? HTTPURLResponse { print(reply.statusCode) }
  /// ```
  public var response: URLResponse? { handle.response }

  /// A text for people; it is kept with the task.
  ///
  /// ```swift
  /// task.taskDescription = "The first chapter"
  /// ```
  public var taskDescription: String? {
    get { handle.values.withLock { $0.data.description } }
    set { handle.change { $0.data.description = newValue } }
  }

  /// Whatever the program wants to know of the task later, also after a relaunch; at most about
  /// 180 KB.
  ///
  /// ```swift
  /// task.userInfo = try JSONEncoder().encode(["book": "17"])
  /// ```
  public var userInfo: Data? {
    get { handle.values.withLock { $0.data.userInfo } }
    set { handle.change { $0.data.userInfo = newValue } }
  }

  /// What the task is doing.
  public var state: State { handle.state }

  /// Why it ended; nil while it did not, and when it succeeded.
  ///
  /// ```swift
  /// if let error = task.error as? URLError, error.code == .timedOut { print("It took too long") }
  /// ```
  public var error: (any Error)? { handle.error }

  /// From 0, last, to 1, first, among the tasks that wait. It can be changed at any time.
  ///
  /// ```swift
  /// task.priority = URLSessionTask.highPriority
  /// ```
  public var priority: Float {
    get { handle.values.withLock { $0.priority } }
    set { handle.setPriority(newValue) }
  }

  /// The earliest time at which it begins; set it before `resume()`.
  ///
  /// It is a time of the day: it counts through reboots and follows a clock that is set. Source:
  /// Apple's documentation of `earliestBeginDate`.
  ///
  /// ```swift
  /// task.earliestBeginDate = Date(timeIntervalSinceNow: 60 * 60)
  /// ```
  public var earliestBeginDate: Date? {
    get { handle.values.withLock { $0.earliestBeginDate } }
    set { handle.setEarliestBeginDate(newValue) }
  }

  /// An upper bound of the bytes that will be sent, headers included, as the program guesses it.
  ///
  /// ```swift
  /// task.countOfBytesClientExpectsToSend = 200
  /// ```
  public var countOfBytesClientExpectsToSend: Int64 {
    get { handle.values.withLock { $0.data.clientExpectsToSend } }
    set { handle.setExpectations(send: newValue) }
  }

  /// An upper bound of the bytes that will be received, headers included, as the program guesses
  /// it.
  ///
  /// ```swift
  /// task.countOfBytesClientExpectsToReceive = 30 * 1024 * 1024
  /// ```
  public var countOfBytesClientExpectsToReceive: Int64 {
    get { handle.values.withLock { $0.data.clientExpectsToReceive } }
    set { handle.setExpectations(receive: newValue) }
  }

  /// The bytes of the body that were received so far.
  public var countOfBytesReceived: Int64 { handle.view.bytesReceived(of: handle.kind) }

  /// The bytes of the body that are expected; `NSURLSessionTransferSizeUnknown` when the server did
  /// not say.
  ///
  /// ```swift
  /// let total = task.countOfBytesExpectedToReceive
  /// if total != NSURLSessionTransferSizeUnknown {
  ///   print("\(task.countOfBytesReceived) of \(total) bytes")
  /// }
  /// ```
  public var countOfBytesExpectedToReceive: Int64 {
    handle.view.bytesExpectedToReceive(of: handle.kind)
  }

  /// The bytes of the request's body that were sent so far.
  public var countOfBytesSent: Int64 { handle.view.bytesSent }

  /// The length of the request's body.
  ///
  /// ```swift
  /// print("\(upload.countOfBytesSent) of \(upload.countOfBytesExpectedToSend) bytes")
  /// ```
  public var countOfBytesExpectedToSend: Int64 { handle.view.bytesExpectedToSend }

  /// How far it is. Cancelling, pausing and resuming it does so to the task.
  ///
  /// ```swift
  /// let progress = task.progress
  /// print(progress.completedUnitCount, progress.totalUnitCount)
  /// ```
  public var progress: Progress { handle.progress }

  /// Why it does not run though it was resumed; nil when it runs, or is over.
  ///
  /// ```swift
  /// if let reason = task.waitingReason { print("It \(reason).") }
  /// ```
  public var waitingReason: WaitingReason? { handle.waitingReason }

  /// How far it is, from now on until it is over. A reader that is late gets the newest.
  ///
  /// ```swift
  /// for await progress in task.progressUpdates {
  ///   print(progress.completedByteCount, progress.fraction ?? 0)
  /// }
  /// ```
  public var progressUpdates: AsyncStream<TransferProgress> { handle.makeProgressUpdates() }

  /// Starts the task, or takes one `suspend()` back.
  ///
  /// It returns at once; what was asked for reaches the service before the process ends in the
  /// ordinary way (`exit`, the end of `main`).
  ///
  /// ```swift
  /// let task = session.downloadTask(with: url)
  /// task.resume()
  /// ```
  public func resume() { handle.core.resume(handle.number) }

  /// Holds the task; what it has is kept. Each one needs a `resume()`.
  ///
  /// ```swift
  /// task.suspend()
  /// task.resume()
  /// ```
  public func suspend() { handle.core.suspend(handle.number) }

  /// Ends the task with `URLError.cancelled`, without resume data.
  ///
  /// ```swift
  /// task.cancel()
  /// ```
  public func cancel() { handle.core.cancel(handle.number) }
}

extension URLSessionTask: Hashable {
  /// Tells whether both are the same task.
  public static func == (left: URLSessionTask, right: URLSessionTask) -> Bool { left === right }

  /// Feeds the identity of the task.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension URLSessionTask: CustomStringConvertible {
  /// For logs.
  public var description: String { "<\(type(of: self)) \(taskIdentifier)>" }
}

/// Stands for a size that is not known. Source: NSURLSession.h.
///
/// ```swift
/// let isKnown = task.countOfBytesExpectedToReceive != NSURLSessionTransferSizeUnknown
/// ```
public let NSURLSessionTransferSizeUnknown: Int64 = -1
