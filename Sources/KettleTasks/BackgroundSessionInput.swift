import KettleControl
import KettleModel

/// An input of a session: an action of its program or a message from the service.
package enum BackgroundSessionInput: Sendable {
  // MARK: The program
  /// Creates a valid task. Its number comes from `BackgroundSessionMachine.reserveNumber`.
  case create(Int64, TransferSpec, isAwaited: Bool)
  /// Creates a task that cannot be carried out.
  case createUnsendable(Int64, TaskFailure, isAwaited: Bool)
  /// The program itself performs a task, which ends with it. The session ends after
  /// `localTaskEnded`.
  case localTaskCreated(Int64)
  case localTaskEnded(Int64)
  /// A created task proved impossible to carry out before it was resumed.
  case refuse(Int64, TaskRefusal)
  case resume(Int64)
  case suspend(Int64)
  case cancel(Int64, keepsBytes: Bool)
  case update(Int64, UpdateTask.Params)
  case answer(Int64, ServerChallenge, ChallengeAnswer)
  /// A request will follow soon: connect again if the service was given up.
  case connectionNeeded
  /// The result of an awaited task was taken.
  case claimed(Int64)
  case invalidate(cancellingTasks: Bool)
  case options(SessionOptions)
  /// `holdEvents`: the program is learning why it was started; hold all other calls until
  /// `releaseEvents`.
  case holdEvents, releaseEvents
  case finishEvents
  /// The current delegate call has returned.
  case returned
  /// The program wants every task in the store, including those that it has not resumed.
  case record
  /// The program is ending normally. The current delegate call counts as returned, and no other is
  /// made.
  case leave

  // MARK: The service
  /// `awaited` has the numbers of the tasks that are awaited and do not use the delegate.
  case attached(AttachSession.Result, awaited: Set<Int64>)
  case event(TransferEvent)
  /// The connection accepts requests now.
  case readyToSend
  case answered(Int64, ServiceReply)
  case connectionLost
  /// There are no more attempts to connect.
  case gaveUp(SessionFailure)
}

/// An action that a session requests, in order.
package enum BackgroundSessionAction: Hashable, Sendable {
  case send(serial: Int64, ServiceRequest)
  /// Requests wait for `BackgroundSessionInput.readyToSend`.
  case requestsWaiting
  /// To be made now. The next call follows `BackgroundSessionInput.returned`.
  case call(DelegateCall)
  /// A task of an earlier run of the program. Precedes everything else about that task.
  case restored(SessionTask)
  case show(Int64, TaskView)
  /// For `cancel(byProducingResumeData:)`.
  case resumeData(Int64, TaskResumption?)
  /// An awaited task ended, with the path of its file.
  case settled(Int64, TaskEnd, path: String?)
  /// The task is over; no further action mentions it.
  case forget(Int64)
  /// Connect to the service again after giving up.
  case connect
  /// The session is over.
  case close
}
