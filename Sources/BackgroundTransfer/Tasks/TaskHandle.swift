import Foundation
import FoundationNetworking
import KettleControl
import KettleModel
import KettleSystem
import KettleTasks

/// The state behind a task object: what the program set, and what the service reported last.
final class TaskHandle: Sendable {
  struct Values: Sendable {
    var data: ProgramData
    var request: URLRequest
    var view = TaskView(state: .suspended)
    var priority: Float = 0.5
    var earliestBeginDate: Date?
    var progressReaders: [Int: AsyncStream<TransferProgress>.Continuation] = [:]
    var nextReader = 0
  }

  let number: Int64
  let kind: TaskOptions.Kind
  let core: SessionCore
  let destination: URL?
  let onConflict: DestinationConflict
  /// Called when the task ends; only tasks that are refused for having a handler have one.
  let refusedHandler: (@Sendable (any Error) -> Void)?
  let values: Mutex<Values>
  let progress = Progress(totalUnitCount: -1)

  init(
    number: Int64, kind: TaskOptions.Kind, core: SessionCore, destination: URL?,
    values: sending Values, onConflict: DestinationConflict = .rename,
    refusedHandler: (@Sendable (any Error) -> Void)? = nil
  ) {
    self.number = number
    self.kind = kind
    self.core = core
    self.destination = destination
    self.onConflict = onConflict
    self.refusedHandler = refusedHandler
    self.values = Mutex(values)
    progress.kind = .file
    progress.isPausable = true
    progress.cancellationHandler = { [core] in core.cancel(number) }
    progress.pausingHandler = { [core] in core.suspend(number) }
    progress.resumingHandler = { [core] in core.resume(number) }
  }

  var view: TaskView { values.withLock { $0.view } }
  var originalRequest: URLRequest? { values.withLock { $0.request } }

  var currentRequest: URLRequest? {
    let (original, view) = values.withLock { ($0.request, $0.view) }
    guard let text = view.snapshot?.task?.reply?.url, let url = URL(string: text) else {
      return original
    }
    var request = original
    request.url = url
    return request
  }

  var response: URLResponse? {
    view.snapshot?.task?.reply.flatMap(HTTPURLResponse.init(reply:))
  }

  var state: URLSessionTask.State {
    switch view.state {
    case .suspended: .suspended
    case .running: .running
    case .canceling: .canceling
    case .completed: .completed
    }
  }

  var error: (any Error)? {
    view.failure.map { $0.error(for: self) }
  }

  var waitingReason: WaitingReason? { view.waitingReason }

  /// Changes the data stored with the task, here and in the service.
  func change(_ body: (inout Values) -> Void) {
    let data = values.withLock {
      body(&$0)
      return $0.data
    }
    core.update(number) { $0.programData = data.kept }
  }

  func setPriority(_ priority: Float) {
    guard let value = TransferPriority(Double(priority)) else { return }
    values.withLock { $0.priority = priority }
    core.update(number) { $0.priority = value }
  }

  func setEarliestBeginDate(_ date: Date?) {
    values.withLock { $0.earliestBeginDate = date }
    core.update(number) {
      $0.notBefore = date.map(WallTime.init(date:)) ?? WallTime(millisecondsSince1970: 0)
    }
  }

  func setExpectations(send: Int64? = nil, receive: Int64? = nil) {
    let data = values.withLock {
      $0.data.clientExpectsToSend = send ?? $0.data.clientExpectsToSend
      $0.data.clientExpectsToReceive = receive ?? $0.data.clientExpectsToReceive
      return $0.data
    }
    core.update(number) {
      $0.programData = data.kept
      $0.expectedSendByteCount = send.flatMap { $0 < 0 ? nil : $0 }
      $0.expectedReceiveByteCount = receive.flatMap { $0 < 0 ? nil : $0 }
    }
  }
}

extension WallTime {
  /// Creates a time from a date; a date out of range becomes the nearest end of the range.
  init(date: Date) {
    self.init(
      millisecondsSince1970: Int64(
        clamping: Int(
          exactly: (date.timeIntervalSince1970 * 1000)
            .rounded()) ?? (date.timeIntervalSince1970 < 0 ? .min : .max)))
  }

  var date: Date { Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1000) }
}

extension HTTPURLResponse {
  convenience init?(reply: ServerReply) {
    guard let url = URL(string: reply.url) else { return nil }
    // Repeated fields form one list (RFC 9110, section 5.3).
    let headers = reply.headers.reduce(into: [String: String]()) { headers, field in
      let key = headers.keys.first { $0.lowercased() == field.name.lowercased() } ?? field.name
      headers[key] = headers[key].map { $0 + ", " + field.value } ?? field.value
    }
    self.init(url: url, statusCode: reply.status, httpVersion: "HTTP/1.1", headerFields: headers)
  }
}
