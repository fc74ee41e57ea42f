import Foundation
import FoundationNetworking
import KettleModel

/// A challenge that is put to a delegate, in all the ways in which it may have a method for it.
// Unchecked because delegates need not be Sendable: this is used on the delegate queue only.
struct Inquiry: @unchecked Sendable {
  let delegate: any URLSessionDelegate
  let session: URLSession
  let task: URLSessionTask
  let challenge: ServerChallenge

  /// Asks one method after the other until there is one.
  ///
  /// - Returns: Whether there was one. `answer` is called at most once, and then only.
  func ask(_ answer: @escaping @Sendable (ChallengeAnswer) -> Void) async -> Bool {
    let answer = AnswerOnce(answer)
    if challenge.kind.isOfConnection {
      let question = Question(challenge, task.handle, answer)
      delegate.urlSession(
        session, didReceive: question.challenge, completionHandler: question.handler)
      if question.isTaken { return true }
      let second = Question(challenge, task.handle, answer)
      let (disposition, credential) = await delegate.urlSession(
        session, didReceive: second.challenge)
      if second.takes(disposition, credential) { return true }
    }
    guard let delegate = delegate as? any URLSessionTaskDelegate else { return false }
    let question = Question(challenge, task.handle, answer)
    delegate.urlSession(
      session, task: task, didReceive: question.challenge, completionHandler: question.handler)
    if question.isTaken { return true }
    let second = Question(challenge, task.handle, answer)
    let (disposition, credential) = await delegate.urlSession(
      session, task: task, didReceive: second.challenge)
    return second.takes(disposition, credential)
  }

  /// One way to ask, with what tells whether the delegate has a method for it.
  private struct Question {
    let marker = ChallengeMarker()
    let challenge: URLAuthenticationChallenge
    let handler: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    init(_ challenge: ServerChallenge, _ handle: TaskHandle, _ answer: AnswerOnce) {
      let marker = marker
      self.challenge = URLAuthenticationChallenge(
        protectionSpace: challenge.protectionSpace, proposedCredential: nil,
        previousFailureCount: challenge.failureCount, failureResponse: handle.response, error: nil,
        sender: marker)
      handler = { disposition, credential in
        guard !marker.isUnimplemented else { return }
        answer.give(ChallengeAnswer(disposition, credential, to: challenge))
      }
    }

    var isTaken: Bool { !marker.isUnimplemented }

    func takes(
      _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?
    ) -> Bool {
      handler(disposition, credential)
      return isTaken
    }
  }
}

/// Runs what is asked of a delegate on its queue, also where that is to be waited for: the threads
/// that tasks share may all be held by the program.
final class DelegateExecutor: TaskExecutor {
  private let queue: OperationQueue

  init(queue: OperationQueue) { self.queue = queue }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.addOperation { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
