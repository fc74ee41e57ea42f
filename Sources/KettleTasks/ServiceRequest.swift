import KettleControl
import KettleModel

/// A request of a session to the service. Each may be sent twice, because after a lost connection
/// it is unknown whether the first one arrived.
package enum ServiceRequest: Hashable, Sendable {
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
package enum ServiceReply: Hashable, Sendable {
  /// In the order of the request.
  case added([TransferID])
  case tokens([ResumeToken])
  case done
  case refused(ControlError)
}

/// A request of the program, before the service's ID of the task is known.
enum Intent: Hashable, Sendable {
  case add(TransferSpec)
  case start, pause
  case cancel(keepsBytes: Bool)
  /// Makes the token of a task that is not acknowledged yet.
  case makeToken
  case acknowledge(keepsResumeData: Bool)
  case update(UpdateTask.Params)
  case answer(ServerChallenge, ChallengeAnswer)
  case finishEvents, drop
  case options(SessionOptions)

  /// Returns nil while the task has no `id`, and for additions, which are sent in groups.
  func request(id: TransferID?) -> ServiceRequest? {
    switch self {
    case .finishEvents: return .finishEvents
    case .drop: return .drop
    case .options(let options): return .options(options)
    case .add, .start, .pause, .cancel, .makeToken, .acknowledge, .update, .answer: break
    }
    guard let id else { return nil }
    switch self {
    case .start: return .control(.init(control: .start, selection: .ids([id])))
    case .pause: return .control(.init(control: .pause, selection: .ids([id])))
    case .cancel(let keepsBytes): return .cancel(.init(ids: [id], keepsBytes: keepsBytes))
    case .makeToken:
      return .acknowledge(.init(ids: [id], keepsResumeData: true, onlyTokens: true))
    case .acknowledge(let keepsResumeData):
      return .acknowledge(.init(ids: [id], keepsResumeData: keepsResumeData))
    case .update(var params):
      params.id = id
      return .update(params)
    case .answer(let challenge, let answer):
      return .answer(.init(id: id, challenge: challenge, answer: answer))
    case .add, .finishEvents, .drop, .options: return nil
    }
  }
}
