import KettleControl
import KettleModel

/// What happens to a session: what its program does, and what the service says.
package enum SessionInput: Sendable {
  // MARK: The program
  /// A task that can be carried out; its number comes from `SessionMachine.takeNumber`.
  case create(Int64, TransferSpec, isAwaited: Bool)
  /// A task that cannot.
  case createHopeless(Int64, TaskFailure, isAwaited: Bool)
  /// One that was made turned out to be such a task, before it was resumed.
  case refuse(Int64, TaskRefusal)
  case resume(Int64)
  case suspend(Int64)
  case cancel(Int64, keepsBytes: Bool)
  case update(Int64, UpdateTask.Params)
  case answer(Int64, ServerChallenge, ChallengeAnswer)
  /// Something will be asked soon: a service that was given up is tried again.
  case wanted
  /// Somebody took the result of a task that is awaited.
  case claimed(Int64)
  case invalidate(cancellingTasks: Bool)
  case options(SessionOptions)
  /// The program is being told why it was started, and nothing else until `releaseEvents`.
  case holdEvents, releaseEvents
  case finishEvents
  /// The call that was handed out has returned.
  case returned

  // MARK: The service
  /// The numbers are those of the tasks that are awaited and not for the delegate.
  case attached(AttachSession.Result, awaited: Set<Int64>)
  case event(TransferEvent)
  case answered(Int64, ServiceReply)
  case connectionLost
  /// No more is tried.
  case gaveUp(SessionFailure)
}

/// What a session wants done, in this order.
package enum SessionAction: Hashable, Sendable {
  case send(serial: Int64, ServiceRequest)
  /// To be made now; the next one comes after `SessionInput.returned`.
  case call(DelegateCall)
  /// A task of an earlier run of the program; it comes before everything else about it.
  case restored(SessionTask)
  case show(Int64, TaskView)
  /// For `cancel(byProducingResumeData:)`.
  case resumeData(Int64, ResumeToken?)
  /// An awaited task ended; the path is that of its file.
  case settled(Int64, TaskEnd, path: String?)
  /// The task is over, and nothing is said of it any more.
  case forget(Int64)
  /// The service is wanted again after all was given up.
  case connect
  /// The session is over.
  case close
}
