import Foundation
import FoundationNetworking
import KettleModel
import KettleSystem

/// A task of a session whose transfers end with the program.
final class ForegroundTask: TaskBacking {
  /// Who receives what arrives.
  enum Receiver: Sendable {
    case delegate
    /// Called once, with the whole body.
    case data(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
    /// Called once, with the file of a download.
    case file(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
    case bytes(ByteFlow)

    /// Passes on an error in place of a result; the delegate learns of it otherwise.
    func fail(_ error: any Error) {
      switch self {
      case .delegate: break
      case .data(let handler): handler(nil, nil, error)
      case .file(let handler): handler(nil, nil, error)
      case .bytes(let flow): flow.finish(error)
      }
    }
  }

  /// What performs the task.
  enum Source: Sendable {
    case system(System.Task)
    /// An upload whose body comes from the delegate.
    case streamed(System.Task)
    /// A task that fails when it is resumed.
    case refused(TaskRefusal, URLRequest?, number: Int)
  }

  private struct Values: Sendable {
    weak var task: URLSessionTask?
    var description: String?
    var userInfo: Data?
    var title: (text: String, subtitle: String)?
    var earliestBeginDate: Date?
    var delegate: SessionCore.Delegate?
    var reception = Reception()
    var response: URLResponse?
    var error: (any Error)?
    var body = Data()
    var file: URL?
    var stream: BodyStream?
    var receivedByteCount: Int64 = 0
    var sentByteCount: Int64 = 0
    var times = TaskTimes()
  }

  /// Its number in a background session, and what happens after its last delegate call.
  struct Membership: Sendable {
    let number: Int
    let end: @Sendable () -> Void
  }

  let source: Source
  let receiver: Receiver
  /// Lives at least as long as its tasks.
  let session: URLSession
  /// Receives its events.
  let bridge: DelegateBridge
  /// nil for a task of a session that is not a background session.
  let membership: Membership?
  let progress = Progress(totalUnitCount: -1)
  private let values: Mutex<Values>
  private let progressFeed = ProgressFeed()
  private let cancellation = TaskCancellation()

  init(
    _ source: Source, session: URLSession, bridge: DelegateBridge, receiver: Receiver,
    delegate: SessionCore.Delegate? = nil, membership: Membership? = nil
  ) {
    self.source = source
    self.session = session
    self.bridge = bridge
    self.receiver = receiver
    self.membership = membership
    values = Mutex(Values(delegate: delegate))
    progress.cancellationHandler = { [weak self] in self?.cancel() }
    progress.pausingHandler = { [weak self] in self?.suspend() }
    progress.resumingHandler = { [weak self] in self?.resume() }
  }

  /// Tells the task which object of the program it is behind.
  func belong(to task: URLSessionTask) { values.withLock { $0.task = task } }

  var isStreamed: Bool {
    switch source {
    case .streamed: true
    case .system, .refused: false
    }
  }

  private var system: System.Task? {
    switch source {
    case .system(let task), .streamed(let task): task
    case .refused: nil
    }
  }

  var webSocket: System.WebSocketTask? { system as? System.WebSocketTask }

  var delegate: (any URLSessionTaskDelegate)? {
    get { values.withLock { $0.delegate }?.object as? any URLSessionTaskDelegate }
    set {
      let delegate = newValue.map(SessionCore.Delegate.init)
      values.withLock { $0.delegate = delegate }
    }
  }

  /// The delegate of this task, for use on the delegate queue.
  var ownDelegate: SessionCore.Delegate? { values.withLock { $0.delegate } }

  var taskIdentifier: Int { membership?.number ?? key }

  /// The number under which the bridge knows the task: FoundationNetworking's.
  var key: Int {
    switch source {
    case .system(let task), .streamed(let task): task.taskIdentifier
    case .refused(_, _, let number): number
    }
  }

  var destination: URL? { nil }

  var originalRequest: URLRequest? {
    switch source {
    case .system(let task), .streamed(let task): task.originalRequest
    case .refused(_, let request, _): request
    }
  }

  var currentRequest: URLRequest? {
    switch source {
    case .system(let task), .streamed(let task): task.currentRequest
    case .refused(_, let request, _): request
    }
  }

  var response: URLResponse? { values.withLock { $0.response } ?? system?.response }

  var taskDescription: String? {
    get { values.withLock { $0.description } }
    set { values.withLock { $0.description = newValue } }
  }

  var userInfo: Data? {
    get { values.withLock { $0.userInfo } }
    set { values.withLock { $0.userInfo = newValue } }
  }

  var title: (text: String, subtitle: String)? { values.withLock { $0.title } }

  func setTitle(_ title: String, subtitle: String) {
    values.withLock { $0.title = (title, subtitle) }
  }

  var state: URLSessionTask.State {
    guard !values.withLock({ $0.reception.isOver }) else { return .completed }
    guard let system else { return .suspended }
    return switch system.state {
    case .running: .running
    case .suspended: .suspended
    // Between the end of the transfer and its report, the delegate does not know of it yet.
    case .canceling, .completed: .canceling
    }
  }

  var error: (any Error)? { values.withLock { $0.error } }

  var priority: Float {
    get { system?.priority ?? URLSessionTask.defaultPriority }
    set { system?.priority = newValue }
  }

  var earliestBeginDate: Date? {
    get { values.withLock { $0.earliestBeginDate } }
    set { values.withLock { $0.earliestBeginDate = newValue } }
  }

  var countOfBytesClientExpectsToSend: Int64 {
    get { system?.countOfBytesClientExpectsToSend ?? NSURLSessionTransferSizeUnknown }
    set { system?.countOfBytesClientExpectsToSend = newValue }
  }

  var countOfBytesClientExpectsToReceive: Int64 {
    get { system?.countOfBytesClientExpectsToReceive ?? NSURLSessionTransferSizeUnknown }
    set { system?.countOfBytesClientExpectsToReceive = newValue }
  }

  var countOfBytesReceived: Int64 { values.withLock { $0.receivedByteCount } }
  var countOfBytesExpectedToReceive: Int64 { system?.countOfBytesExpectedToReceive ?? 0 }
  var countOfBytesSent: Int64 { values.withLock { $0.sentByteCount } }
  var countOfBytesExpectedToSend: Int64 { system?.countOfBytesExpectedToSend ?? 0 }
  var waitingReason: WaitingReason? { nil }

  func makeProgressUpdates() -> AsyncStream<TransferProgress> { progressFeed.makeStream() }

  func resume() {
    let isFirst = values.withLock { $0.times.start() }
    switch source {
    case .system(let task): task.resume()
    case .streamed(let task):
      guard isFirst else { return task.resume() }
      bridge.prepareBody(of: self) { task.resume() }
    case .refused(let refusal, let request, _):
      endRefused(TaskFailure.refused(refusal).error(for: request))
    }
  }

  func suspend() { system?.suspend() }

  func cancel() {
    cancellation.request(of: system)
    if system == nil { endRefused(URLError(.cancelled)) }
  }

  private func endRefused(_ error: any Error) {
    guard let task = values.withLock({ $0.task }) else { return }
    bridge.insert(task, under: key)
    bridge.handle(.ended(error), of: self)
  }

  func cancel(byProducingResumeData handler: @escaping @Sendable (Data?) -> Void) {
    cancel()
    handler(nil)
  }

  /// Passes on the decision about a redirect, unless the task was cancelled.
  func follow(_ answer: () -> Void) { cancellation.unlessRequested(answer) }

  /// FoundationNetworking has reported the end of the task.
  func endCancellation() {
    if let system { cancellation.end(of: system) }
  }
}

/// The body of a streamed upload, on its way from the delegate to FoundationNetworking.
// Unchecked because streams are not Sendable: the delegate gives it away, and only
// FoundationNetworking reads it.
struct BodyStream: @unchecked Sendable {
  let stream: InputStream?
}

// MARK: - What arrives

extension ForegroundTask {
  /// Records an event and returns what is to be done with it.
  func take(_ event: Reception.Event) -> [Reception.Action] {
    let actions = values.withLock { values in
      let actions = values.reception.handle(event)
      for action in actions {
        switch action {
        case .respond(let response):
          values.response = response
          values.times.respond()
          values.body = Data()
          values.receivedByteCount = 0
        case .receive(let data):
          values.receivedByteCount += Int64(data.count)
          if case .data = receiver { values.body += data }
        case .end(let error): values.error = error
        }
      }
      return actions
    }
    if !actions.isEmpty { showProgress() }
    return actions
  }

  func countRedirect() { values.withLock { $0.times.countRedirect() } }

  /// What is known at the end about the times of the task; nil if it was never resumed.
  func metrics() -> URLSessionTaskMetrics? {
    let request = currentRequest
    let values = values.withLock { $0 }
    return values.times.metrics(
      of: system == nil ? nil : request.map { ($0, values.response) },
      sentByteCount: values.sentByteCount, receivedByteCount: values.receivedByteCount)
  }

  /// Keeps the body of the next request.
  func enqueue(_ body: BodyStream) { values.withLock { $0.stream = body } }

  /// Removes and returns the body of the next request; nil if there is none.
  func dequeueBody() -> BodyStream? {
    values.withLock { values in
      defer { values.stream = nil }
      return values.stream
    }
  }

  /// Records the file of a download.
  func take(file: URL) { values.withLock { $0.file = file } }

  func take(receivedByteCount: Int64) {
    values.withLock { $0.receivedByteCount = receivedByteCount }
    showProgress()
  }

  func take(sentByteCount: Int64) {
    values.withLock { $0.sentByteCount = sentByteCount }
    showProgress()
  }

  /// Passes the result to a receiver that wants the whole of it.
  func finish(_ error: (any Error)?) {
    let (body, file) = values.withLock { values in
      defer { values.body = Data() }
      return (values.body, values.file)
    }
    if let error { return receiver.fail(error) }
    switch receiver {
    case .delegate: break
    case .data(let handler): handler(body, response, nil)
    case .file(let handler): handler(file, response, nil)
    case .bytes(let flow): flow.finish(nil)
    }
  }

  private func showProgress() {
    let (done, startedAt, isOver) = values.withLock {
      ($0.receivedByteCount + $0.sentByteCount, $0.times.startedAt, $0.reception.isOver)
    }
    let expected = countOfBytesExpectedToReceive
    let total = expected < 0 ? nil : expected + countOfBytesExpectedToSend
    let milliseconds = startedAt.map { Int64((ContinuousClock.now - $0) / .milliseconds(1)) } ?? 0
    progressFeed.send(
      TransferProgress(
        completedByteCount: done, totalByteCount: total,
        bytesPerSecond: isOver ? 0 : done * 1000 / max(1, milliseconds)),
      isLast: isOver)
    if let total, total > 0 { progress.totalUnitCount = total }
    progress.completedUnitCount = done
  }
}
