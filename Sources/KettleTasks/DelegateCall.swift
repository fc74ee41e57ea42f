import KettleModel

/// One delegate call. Tasks are identified by their task identifiers.
package enum DelegateCall: Hashable, Sendable {
  /// A challenge and its ordinal within the task.
  case challenge(Int64, ServerChallenge)
  /// `taskIsWaitingForConnectivity`
  case waits(Int64)
  /// `didReceiveInformationalResponse`
  case informed(Int64, ServerReply)
  /// `didResumeAtOffset`; `expected` is -1 when the server did not say.
  case resumed(Int64, offset: Int64, expected: Int64)
  /// `didWriteData`
  case wrote(Int64, bytes: Int64, total: Int64, expected: Int64)
  /// `didSendBodyData`
  case sent(Int64, bytes: Int64, total: Int64, expected: Int64)
  /// `didFinishDownloadingTo`, with the path of the file.
  case finished(Int64, path: String)
  /// `dataTask(didReceive:)`, with the path of the file that contains the response body.
  case received(Int64, path: String)
  /// `didFinishCollecting`
  case measured(Int64)
  /// `didCompleteWithError`: the last call of a task.
  case completed(Int64, TaskEnd)
  /// `urlSessionDidFinishEvents`
  case finishedEvents
  /// `didBecomeInvalidWithError`: the last call of the session.
  case becameInvalid(SessionFailure?)

  /// The task identifier, or nil for a call about the session.
  package var task: Int64? {
    switch self {
    case .challenge(let task, _), .waits(let task), .informed(let task, _),
      .resumed(let task, _, _), .wrote(let task, _, _, _), .sent(let task, _, _, _),
      .finished(let task, _), .received(let task, _), .measured(let task),
      .completed(let task, _):
      task
    case .finishedEvents, .becameInvalid: nil
    }
  }

  /// Returns both calls merged, if `newer` is a progress report that can replace this one.
  func merged(with newer: DelegateCall) -> DelegateCall? {
    switch (self, newer) {
    case (.wrote(let task, let bytes, _, _), .wrote(task, let more, let total, let expected)):
      .wrote(task, bytes: Self.sum(bytes, more), total: total, expected: expected)
    case (.sent(let task, let bytes, _, _), .sent(task, let more, let total, let expected)):
      .sent(task, bytes: Self.sum(bytes, more), total: total, expected: expected)
    default: nil
    }
  }

  private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? .max : sum
  }
}

/// How a task ended.
package enum TaskEnd: Hashable, Sendable {
  case success
  case failure(TaskFailure)

  package var failure: TaskFailure? {
    switch self {
    case .success: nil
    case .failure(let failure): failure
    }
  }
}
