import Foundation
import FoundationNetworking
import KettleModel
import KettleSystem
import KettleTasks

/// Calls the delegates, on the delegate queue.
extension SessionCore {
  func deliver(_ call: DelegateCall) {
    let (session, delegate, task) = state.withLock { state in
      (
        state.session ?? state.former.session,
        state.delegate?.object ?? state.former.delegate,
        call.task.flatMap { state.tasks[$0] }
      )
    }
    if case .completed(_, let end) = call, let task { tellHandler(of: task, end) }
    guard let session, let delegate else { return deliverToNobody(call) }
    switch call {
    case .finishedEvents:
      delegate.urlSessionDidFinishEvents(forBackgroundURLSession: session)
      eventsWereTold()
    case .becameInvalid(let failure):
      delegate.urlSession(session, didBecomeInvalidWithError: failure?.error)
    case .challenge(_, let challenge):
      guard let task else { return }
      ask(ChallengeDelivery(delegate: delegate, session: session, task: task, challenge: challenge))
    case .resumed, .wrote, .finished:
      guard let download = task as? URLSessionDownloadTask,
        let delegate = delegate as? any URLSessionDownloadDelegate
      else { return }
      deliver(call, session, delegate, download)
    case .sent(_, let bytes, let total, let expected):
      guard let task else { return }
      (delegate as? any URLSessionTaskDelegate)?.urlSession(
        session, task: task, didSendBodyData: bytes, totalBytesSent: total,
        totalBytesExpectedToSend: expected)
    case .received(_, let path):
      guard let task = task as? URLSessionDataTask,
        let delegate = delegate as? any URLSessionDataDelegate
      else { return }
      hand(contentsOf: path, to: delegate, session, task)
    case .completed(_, let end):
      guard let task else { return }
      (delegate as? any URLSessionTaskDelegate)?.urlSession(
        session, task: task, didCompleteWithError: error(of: end, task))
    }
  }

  private func deliver(
    _ call: DelegateCall, _ session: URLSession, _ delegate: any URLSessionDownloadDelegate,
    _ task: URLSessionDownloadTask
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
    case .challenge, .sent, .received, .completed, .finishedEvents, .becameInvalid: break
    }
  }

  /// Handles a call when there is no delegate. Challenges get the default answer.
  private func deliverToNobody(_ call: DelegateCall) {
    switch call {
    case .challenge(let number, let challenge): feed(.answer(number, challenge, .standard))
    case .finishedEvents: eventsWereTold()
    case .resumed, .wrote, .sent, .finished, .received, .completed, .becameInvalid: break
    }
  }

  /// A program that did not register for the handler cannot call it.
  private func eventsWereTold() {
    if !LaunchEvents.shared.isRegistered || URLSessionRegistry.shared.wereEventsHandled(identifier) {
      feed(.finishEvents)
    }
  }

  private func tellHandler(of task: URLSessionTask, _ end: TaskEnd) {
    guard let handler = task.handle.refusedHandler, let error = error(of: end, task)
    else { return }
    handler(error)
  }

  private func error(of end: TaskEnd, _ task: URLSessionTask) -> (any Error)? {
    end.failure.map { $0.error(for: task.handle) }
  }

  /// Passes the file to the delegate in pieces of 64 KiB. A read error looks like the end of the
  /// file.
  private func hand(
    contentsOf path: String, to delegate: any URLSessionDataDelegate, _ session: URLSession,
    _ task: URLSessionDataTask
  ) {
    guard let file = FileHandle(forReadingAtPath: path) else { return }
    defer { try? file.close() }
    while let piece = try? file.read(upToCount: 64 * 1024), !piece.isEmpty {
      delegate.urlSession(session, dataTask: task, didReceive: piece)
    }
  }
}
