import Foundation
import FoundationNetworking
import KettleModel
import KettleSystem
import KettleTasks

/// The question whether a task may begin at its date, with the delegates that may answer it.
// Unchecked because delegates need not be Sendable: this is used on the delegate queue only.
struct DelayedRequestDelivery: @unchecked Sendable {
  typealias Answer = (URLSession.DelayedRequestDisposition, URLRequest?)

  /// The task's own delegate before the session's.
  let delegates: [any URLSessionTaskDelegate]
  let session: URLSession
  let task: URLSessionTask
  let challenge: ServerChallenge

  /// Calls one method after another until it finds one that a delegate implements.
  ///
  /// - Returns: Whether a delegate implements one. Only then is `answer` called, at most once.
  func callDelegate(_ answer: @escaping @Sendable (ChallengeAnswer) -> Void) async -> Bool {
    guard let request = task.originalRequest else { return false }
    let answer = Once(answer)
    let handle = task.handle
    for delegate in delegates {
      handle.values.withLock { $0.hasNoDelayMethod = false }
      delegate.urlSession(session, task: task, willBeginDelayedRequest: request) {
        guard !handle.hasNoDelayMethod else { return }
        answer.call(handle.answer(to: ($0, $1)))
      }
      if !handle.hasNoDelayMethod { return true }
      handle.values.withLock { $0.hasNoDelayMethod = false }
      let (disposition, newRequest) = await delegate.urlSession(
        session, task: task, willBeginDelayedRequest: request)
      if !handle.hasNoDelayMethod {
        answer.call(handle.answer(to: (disposition, newRequest)))
        return true
      }
    }
    return false
  }
}

extension SessionCore {
  /// Asks the delegates. A task whose delegates have no method for it begins.
  func deliver(_ delivery: DelayedRequestDelivery) {
    let number = delivery.task.handle.number
    Task(executorPreference: executor) { [self] in
      let isAnswered = await delivery.callDelegate { [self] answer in
        feed(.answer(number, delivery.challenge, answer))
      }
      let isNews = state.withLock { state in
        defer { state.hasDelayMethod = isAnswered }
        return state.hasDelayMethod != isAnswered
      }
      if isNews { feed(.options(options)) }
      if !isAnswered { feed(.answer(number, delivery.challenge, .standard)) }
    }
  }
}

extension TaskHandle {
  fileprivate var hasNoDelayMethod: Bool { values.withLock { $0.hasNoDelayMethod } }

  /// Records that the delegate method that is being called is the default implementation.
  func markNoDelayMethod() { values.withLock { $0.hasNoDelayMethod = true } }

  /// Converts an answer of a delegate. A new request that is missing or cannot be sent cancels the
  /// task.
  fileprivate func answer(to answer: DelayedRequestDelivery.Answer) -> ChallengeAnswer {
    switch answer {
    case (.continueLoading, _): return .standard
    case (.cancel, _), (.useNewRequest, nil): return .cancel
    case (.useNewRequest, let request?):
      let made = TaskSpec.download(
        DownloadPlan(request: request), core.configuration.snapshot)
      guard case .success(let spec) = made else { return .cancel }
      values.withLock { $0.replacement = request }
      return .request(
        ReplacementRequest(
          url: spec.url, login: spec.login, headers: spec.headers, cookies: spec.options.cookies,
          content: spec.request))
    }
  }
}
