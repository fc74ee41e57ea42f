import KettleControl
import KettleModel

/// A request of a session to the service. Each may be sent twice, because after a lost connection
/// it is unknown whether the first one arrived.
enum ServiceRequest: Hashable, Sendable {
  case add(AddTransfers.Params)
  case control(ControlTransfers.Params)
  case cancel(CancelTasks.Params)
  case acknowledge(AcknowledgeTasks.Params)
  case update(UpdateTask.Params)
  case answer(AnswerChallenge.Params)
  case finishEvents
  case drop
  /// A repeated `sessions.attach` with other options.
  case options(SessionOptions)
}

/// A reply of the service, reduced to what a session needs.
enum ServiceReply: Hashable, Sendable {
  /// In the order of the request.
  case added([TransferID])
  case tokens([ResumeToken])
  case done
  case refused(ControlError)
}

/// A request of the program about a task that the service has or will have, or about the session.
enum Intent: Hashable, Sendable {
  case start, pause
  case cancel(keepsBytes: Bool)
  /// Makes the token of a task that is not acknowledged yet.
  case makeToken
  case acknowledge(keepsResumeData: Bool)
  case update(UpdateTask.Params)
  case answer(ServerChallenge, ChallengeAnswer)
  case finishEvents, drop
  case options(SessionOptions)

  /// Whether one message may contain this request for many tasks.
  var isForMany: Bool {
    switch self {
    case .start, .pause, .cancel, .acknowledge: true
    case .makeToken, .update, .answer, .finishEvents, .drop, .options: false
    }
  }

  /// Returns nil if a task is required and `ids` is empty.
  func request(ids: [TransferID]) -> ServiceRequest? {
    switch self {
    case .finishEvents: return .finishEvents
    case .drop: return .drop
    case .options(let options): return .options(options)
    case .start, .pause, .cancel, .makeToken, .acknowledge, .update, .answer: break
    }
    guard let id = ids.first else { return nil }
    switch self {
    case .start: return .control(.init(control: .start, selection: .ids(ids)))
    case .pause: return .control(.init(control: .pause, selection: .ids(ids)))
    case .cancel(let keepsBytes): return .cancel(.init(ids: ids, keepsBytes: keepsBytes))
    case .makeToken:
      return .acknowledge(.init(ids: [id], keepsResumeData: true, onlyTokens: true))
    case .acknowledge(let keepsResumeData):
      return .acknowledge(.init(ids: ids, keepsResumeData: keepsResumeData))
    case .update(var params):
      params.id = id
      return .update(params)
    case .answer(let challenge, let answer):
      return .answer(.init(id: id, challenge: challenge, answer: answer))
    case .finishEvents, .drop, .options: return nil
    }
  }
}

/// An input of a session: an action of its program or a message from the service.
enum BackgroundSessionInput: Sendable {
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
enum BackgroundSessionAction: Hashable, Sendable {
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
