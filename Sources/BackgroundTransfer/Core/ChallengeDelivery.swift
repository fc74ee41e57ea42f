import Foundation
import FoundationNetworking
import KettleModel
import KettleSystem

/// A challenge for a delegate, with every method through which the delegate may handle it.
// Unchecked because delegates need not be Sendable: this is used on the delegate queue only.
struct ChallengeDelivery: @unchecked Sendable {
  typealias Answer = (URLSession.AuthChallengeDisposition, URLCredential?)

  /// The task's own delegate before the session's.
  let delegates: [any URLSessionDelegate]
  let session: URLSession
  let task: URLSessionTask
  let challenge: URLAuthenticationChallenge
  /// Whether the challenge goes to the session's method.
  let isOfConnection: Bool

  /// Calls one method after another until it finds one that the delegate implements.
  ///
  /// - Returns: Whether the delegate implements one. Only then is `answer` called, at most once.
  func callDelegate(_ answer: @escaping @Sendable (Answer) -> Void) async -> Bool {
    let answer = Once(answer)
    for delegate in delegates where await call(delegate, answer) { return true }
    return false
  }

  private func call(_ delegate: any URLSessionDelegate, _ answer: Once<Answer>) async -> Bool {
    if isOfConnection {
      let first = MethodCall(challenge, answer)
      delegate.urlSession(
        session, didReceive: first.challenge, completionHandler: first.handler)
      if first.isImplemented { return true }
      let second = MethodCall(challenge, answer)
      let (disposition, credential) = await delegate.urlSession(
        session, didReceive: second.challenge)
      if second.answer(disposition, credential) { return true }
    }
    guard let delegate = delegate as? any URLSessionTaskDelegate else { return false }
    let first = MethodCall(challenge, answer)
    delegate.urlSession(
      session, task: task, didReceive: first.challenge, completionHandler: first.handler)
    if first.isImplemented { return true }
    let second = MethodCall(challenge, answer)
    let (disposition, credential) = await delegate.urlSession(
      session, task: task, didReceive: second.challenge)
    return second.answer(disposition, credential)
  }

  /// One call of a delegate method, and whether the delegate implements that method.
  private struct MethodCall {
    let marker = ChallengeMarker()
    let challenge: URLAuthenticationChallenge
    let handler: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    init(_ challenge: URLAuthenticationChallenge, _ answer: Once<Answer>) {
      let marker = marker
      self.challenge = URLAuthenticationChallenge(
        authenticationChallenge: challenge, sender: marker)
      handler = { disposition, credential in
        guard !marker.isUnimplemented else { return }
        answer.call((disposition, credential))
      }
    }

    var isImplemented: Bool { !marker.isUnimplemented }

    /// Passes on the answer if the delegate implements the method. Returns whether it does.
    func answer(
      _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?
    ) -> Bool {
      handler(disposition, credential)
      return isImplemented
    }
  }
}

/// Runs challenge methods of a delegate on the delegate's queue, `async` ones included: the program
/// may block every thread of the cooperative pool.
final class DelegateExecutor: TaskExecutor {
  private let queue: OperationQueue

  init(queue: OperationQueue) { self.queue = queue }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.addOperation { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

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
