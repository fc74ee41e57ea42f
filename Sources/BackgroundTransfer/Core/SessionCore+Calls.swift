import Foundation
import FoundationNetworking
import KettleModel
import KettleSystem

/// Calls the delegates, on the delegate queue.
extension SessionCore {
  /// Tells the delegate of a new task, before the program has it: on the thread that makes it, as
  /// on Apple's systems.
  func announce(_ task: URLSessionTask) {
    let (session, delegate) = state.withLock { ($0.session, $0.delegate?.object) }
    guard let session else { return }
    (delegate as? any URLSessionTaskDelegate)?.urlSession(session, didCreateTask: task)
  }

  func deliver(_ call: DelegateCall) {
    let (session, delegate, task) = state.withLock { state in
      (
        state.session ?? state.former.session,
        state.delegate?.object ?? state.former.delegate,
        call.task.flatMap { state.tasks[$0] }
      )
    }
    if case .completed(_, let end) = call, let task { callRefusedHandler(of: task, end) }
    let own = task?.handle.delegate
    guard let session, let delegate = delegate ?? own else { return deliverWithoutDelegate(call) }
    let taskDelegate = own ?? delegate as? any URLSessionTaskDelegate
    switch call {
    case .finishedEvents:
      delegate.urlSessionDidFinishEvents(forBackgroundURLSession: session)
      finishEventsUnlessHandlerIsPending()
    case .becameInvalid(let failure):
      delegate.urlSession(session, didBecomeInvalidWithError: failure?.error)
    case .challenge(_, let challenge):
      guard let task else { return }
      if challenge.kind == .delayedRequest {
        return deliver(
          DelayedRequestDelivery(
            delegates: [own, delegate as? any URLSessionTaskDelegate].compactMap { $0 },
            session: session, task: task, challenge: challenge))
      }
      deliver(challenge, of: task, in: session, to: own.map { [$0, delegate] } ?? [delegate])
    case .informed(_, let reply):
      guard let task, let response = TaskResponse(reply: reply) else { return }
      taskDelegate?.urlSession(session, task: task, didReceiveInformationalResponse: response)
    case .resumed, .wrote, .finished:
      guard let download = task as? URLSessionDownloadTask,
        let delegate = delegate as? any URLSessionDownloadDelegate
      else { return }
      deliver(call, of: download, in: session, to: delegate)
    case .waits:
      guard let task else { return }
      taskDelegate?.urlSession(session, taskIsWaitingForConnectivity: task)
    case .sent(_, let bytes, let total, let expected):
      guard let task else { return }
      taskDelegate?.urlSession(
        session, task: task, didSendBodyData: bytes, totalBytesSent: total,
        totalBytesExpectedToSend: expected)
    case .received(_, let path):
      guard let task = task as? URLSessionDataTask,
        let delegate = delegate as? any URLSessionDataDelegate
      else { return }
      deliver(contentsOf: path, of: task, in: session, to: delegate)
    case .measured:
      guard let task else { return }
      taskDelegate?.urlSession(
        session, task: task, didFinishCollecting: URLSessionTaskMetrics(task.handle))
    case .completed(_, let end):
      guard let task else { return }
      taskDelegate?.urlSession(session, task: task, didCompleteWithError: error(of: end, task))
      task.handle.delegate = nil
    }
  }

  private func deliver(
    _ call: DelegateCall, of task: URLSessionDownloadTask, in session: URLSession,
    to delegate: any URLSessionDownloadDelegate
  ) {
    switch call {
    case .resumed(_, let offset, let expected):
      delegate.urlSession(
        session, downloadTask: task, didResumeAtOffset: offset, expectedTotalBytes: expected)
    case .wrote(_, let bytes, let total, let expected):
      delegate.urlSession(
        session, downloadTask: task, didWriteData: bytes, totalBytesWritten: total,
        totalBytesExpectedToWrite: expected)
    case .finished(_, let path):
      delegate.urlSession(
        session, downloadTask: task, didFinishDownloadingTo: URL(fileURLWithPath: path))
    case .challenge, .waits, .informed, .sent, .received, .measured, .completed, .finishedEvents,
      .becameInvalid:
      break
    }
  }

  /// Handles a call when there is no delegate. Challenges get the default answer.
  private func deliverWithoutDelegate(_ call: DelegateCall) {
    switch call {
    case .challenge(let number, let challenge): feed(.answer(number, challenge, .standard))
    case .finishedEvents: finishEventsUnlessHandlerIsPending()
    case .waits, .informed, .resumed, .wrote, .sent, .finished, .received, .measured, .completed,
      .becameInvalid:
      break
    }
  }

  /// Reports the end of events for a program that did not register for the handler, and for one
  /// that has already called it.
  private func finishEventsUnlessHandlerIsPending() {
    if !LaunchEvents.shared.isRegistered || URLSessionRegistry.shared.wereEventsHandled(identifier)
    {
      feed(.finishEvents)
    }
  }

  private func callRefusedHandler(of task: URLSessionTask, _ end: TaskEnd) {
    guard let handler = task.handle.refusedHandler, let error = error(of: end, task)
    else { return }
    handler(error)
  }

  private func error(of end: TaskEnd, _ task: URLSessionTask) -> (any Error)? {
    end.failure.map { $0.error(for: task.handle) }
  }

  /// Passes the file to the delegate in pieces of 64 KiB. A read error looks like the end of the
  /// file.
  private func deliver(
    contentsOf path: String, of task: URLSessionDataTask, in session: URLSession,
    to delegate: any URLSessionDataDelegate
  ) {
    guard let file = FileHandle(forReadingAtPath: path) else { return }
    defer { try? file.close() }
    while let piece = try? file.read(upToCount: 64 * 1024), !piece.isEmpty {
      delegate.urlSession(session, dataTask: task, didReceive: piece)
    }
  }
}

/// The results of the tasks that `URLSession.download(for:to:onConflict:)` and
/// `URLSession.upload(for:fromFile:)` await.
struct Outcomes: Sendable {
  /// The success of a task.
  struct Success: Sendable {
    /// The finished file, or the one with the response to an upload; nil when it has no body.
    var file: URL?
    var response: URLResponse?
  }

  /// Reads what it needs of the result, which the service may then delete, and returns the call
  /// that passes it on.
  typealias Waiter = @Sendable (Result<Success, any Error>) -> (@Sendable () -> Void)

  private var waiters: [Int64: [Waiter]] = [:]
  private var results: [Int64: Result<Success, any Error>] = [:]

  /// Records the end of a task and returns the calls that notify its waiters. Without waiters,
  /// keeps the result until a waiter requests it.
  mutating func recordEnd(
    of number: Int64, _ end: TaskEnd, path: String?, handle: TaskHandle?
  ) -> [@Sendable () -> Void] {
    guard let handle else { return [] }
    let result = Self.result(of: end, path: path, handle)
    guard let waiting = waiters.removeValue(forKey: number) else {
      results[number] = result
      return []
    }
    return [
      {
        let calls = waiting.map { $0(result) }
        // Claims the result first: a program that exits when it has its file leaves no result
        // behind.
        handle.core.feed(.claimed(number))
        for call in calls { call() }
      }
    ]
  }

  /// Removes and returns the result if it exists; otherwise adds the waiter and returns nil.
  mutating func wait(
    for number: Int64, _ waiter: @escaping Waiter
  ) -> Result<Success, any Error>? {
    if let result = results.removeValue(forKey: number) { return result }
    waiters[number, default: []].append(waiter)
    return nil
  }

  func hasResult(of number: Int64) -> Bool { results[number] != nil }

  /// Removes the results whose files no longer exist, and returns their task numbers.
  mutating func removeStale(unless isThere: (URL) -> Bool) -> [Int64] {
    let stale = results.filter { _, result in
      if case .success(let success) = result, let file = success.file {
        !isThere(file)
      } else {
        false
      }
    }
    for number in stale.keys { results[number] = nil }
    return stale.keys.sorted()
  }

  private static func result(
    of end: TaskEnd, path: String?, _ handle: TaskHandle
  ) -> Result<Success, any Error> {
    if let failure = end.failure { return .failure(failure.error(for: handle)) }
    let file = path.map { URL(fileURLWithPath: $0) } ?? handle.destination
    return .success(Success(file: file, response: handle.response))
  }
}

extension SessionCore {
  /// - Returns: where the file is.
  func download(_ plan: DownloadPlan) async throws -> URL {
    await removeStaleResults()
    return try await result(of: makeDownload(plan, duplicates: .separate)) { success in
      guard let file = success.file else { throw URLError(.unknown) }
      return file
    }
  }

  /// - Returns: the body of the response, and the response.
  func upload(_ request: URLRequest, file: URL) async throws -> (Data, URLResponse) {
    await removeStaleResults()
    let task = makeUpload(request, file: file, isAwaited: true)
    return try await result(of: task) { success in
      guard let response = success.response else { throw URLError(.unknown) }
      return (try success.file.map { try Data(contentsOf: $0) } ?? Data(), response)
    }
  }

  private func removeStaleResults() async {
    await withCheckedContinuation { continuation in
      whenAttached { continuation.resume() }
    }
    let stale = state.withLock { state in
      state.outcomes.removeStale { FileManager.default.fileExists(atPath: $0.path) }
    }
    for number in stale { feed(.claimed(number)) }
  }

  private func result<Value: Sendable>(
    of task: URLSessionTask,
    _ take: @escaping @Sendable (Outcomes.Success) throws -> Value
  ) async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        wait(for: task) { result in
          let value = result.flatMap { success in Result { try take(success) } }
          return { continuation.resume(with: value) }
        }
      }
    } onCancel: {
      task.cancel()
    }
  }

  private func wait(for task: URLSessionTask, _ waiter: @escaping Outcomes.Waiter) {
    let number = task.handle.number
    let known = state.withLock { $0.outcomes.wait(for: number, waiter) }
    if let known {
      let call = waiter(known)
      feed(.claimed(number))
      call()
    } else if task.state == .suspended {
      task.resume()
    }
  }
}
