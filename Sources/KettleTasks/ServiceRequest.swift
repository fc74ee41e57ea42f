import KettleControl
import KettleModel

/// What a session asks of the service. Every one may be sent a second time, when it is not known
/// whether the first was heard.
package enum ServiceRequest: Hashable, Sendable {
  case add(AddTransfers.Params)
  case control(ControlTransfers.Params)
  case cancel(CancelTasks.Params)
  case acknowledge(AcknowledgeTasks.Params)
  case update(UpdateTask.Params)
  case answer(AnswerChallenge.Params)
  case finishEvents
  case drop
  /// `sessions.attach` once more, for other options.
  case options(SessionOptions)
}

/// What the service answered, as far as a session wants to know.
package enum ServiceReply: Hashable, Sendable {
  /// In the order in which they were asked for.
  case added([TransferID])
  case tokens([ResumeToken])
  case done
  case refused(ControlError)
}

/// What the program wants, before it is known under which number the service has the task.
enum Intent: Hashable, Sendable {
  case add(TransferSpec)
  case start, pause
  case cancel(keepsBytes: Bool)
  /// The token of a task that is not acknowledged yet.
  case makeToken
  case acknowledge(keepsResumeData: Bool)
  case update(UpdateTask.Params)
  case answer(ServerChallenge, ChallengeAnswer)
  case finishEvents, drop
  case options(SessionOptions)

  /// nil as long as a task that it is about has no `id`, and for what is added, several at once.
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
