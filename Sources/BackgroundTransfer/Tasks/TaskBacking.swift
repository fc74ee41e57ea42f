import Foundation
import FoundationNetworking
import KettleSystem

/// What a task object stands for: a transfer of the service, or a task of this process.
protocol TaskBacking: AnyObject, Sendable {
  var taskIdentifier: Int { get }
  var destination: URL? { get }
  var originalRequest: URLRequest? { get }
  var currentRequest: URLRequest? { get }
  var response: URLResponse? { get }
  var taskDescription: String? { get set }
  var userInfo: Data? { get set }
  /// What people see of the task; nil when the program has not set it.
  var title: (text: String, subtitle: String)? { get }
  /// The task's own delegate.
  var delegate: (any URLSessionTaskDelegate)? { get set }
  var state: URLSessionTask.State { get }
  var error: (any Error)? { get }
  var priority: Float { get set }
  var earliestBeginDate: Date? { get set }
  var countOfBytesClientExpectsToSend: Int64 { get set }
  var countOfBytesClientExpectsToReceive: Int64 { get set }
  var countOfBytesReceived: Int64 { get }
  var countOfBytesExpectedToReceive: Int64 { get }
  var countOfBytesSent: Int64 { get }
  var countOfBytesExpectedToSend: Int64 { get }
  var progress: Progress { get }
  var waitingReason: WaitingReason? { get }

  func setTitle(_ title: String, subtitle: String)
  func makeProgressUpdates() -> AsyncStream<TransferProgress>
  func resume()
  func suspend()
  func cancel()
  /// Cancels the task and passes what is needed to continue it, or nil, to the handler.
  func cancel(byProducingResumeData handler: @escaping @Sendable (Data?) -> Void)
}

extension TaskHandle: TaskBacking {
  var taskIdentifier: Int { Int(clamping: number) }

  var taskDescription: String? {
    get { values.withLock { $0.data.description } }
    set { change { $0.data.description = newValue } }
  }

  var userInfo: Data? {
    get { values.withLock { $0.data.userInfo } }
    set { change { $0.data.userInfo = newValue } }
  }

  var title: (text: String, subtitle: String)? { values.withLock { $0.title } }

  var priority: Float {
    get { values.withLock { $0.priority } }
    set { setPriority(newValue) }
  }

  var earliestBeginDate: Date? {
    get { values.withLock { $0.earliestBeginDate } }
    set { setEarliestBeginDate(newValue) }
  }

  var countOfBytesClientExpectsToSend: Int64 {
    get { values.withLock { $0.data.clientExpectsToSend } }
    set { setExpectations(send: newValue) }
  }

  var countOfBytesClientExpectsToReceive: Int64 {
    get { values.withLock { $0.data.clientExpectsToReceive } }
    set { setExpectations(receive: newValue) }
  }

  var countOfBytesReceived: Int64 { view.bytesReceived(of: kind) }
  var countOfBytesExpectedToReceive: Int64 { view.bytesExpectedToReceive(of: kind) }
  var countOfBytesSent: Int64 { view.bytesSent }
  var countOfBytesExpectedToSend: Int64 { view.bytesExpectedToSend }

  func resume() { core.resume(number) }
  func suspend() { core.suspend(number) }
  func cancel() { core.cancel(number) }

  func cancel(byProducingResumeData handler: @escaping @Sendable (Data?) -> Void) {
    core.cancel(number, producingResumeData: handler)
  }
}
