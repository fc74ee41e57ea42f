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
