import KettleModel

/// The queue of delegate calls, one at a time and in order: the next call is handed out when the
/// previous one has returned. A file therefore stays until the delegate is done with it, on any
/// queue, and progress reports are merged while a slow delegate is busy.
struct CallQueue: Sendable {
  private enum Phase {
    case free
    case calling(DelegateCall)
  }

  private var phase = Phase.free
  private var waiting: [DelegateCall] = []
  /// Calls in `waiting` before this index were handed out.
  private var head = 0
  /// The number of calls removed from the front of `waiting`.
  private var removedCount = 0
  /// The position of each task's last call, counted from the first call ever. Thousands of tasks
  /// may wait for a slow delegate; a progress report must not search through them.
  private var lastPositions: [Int64: Int] = [:]

  /// Whether no call waits and none is under way.
  var isIdle: Bool {
    switch phase {
    case .free: head == waiting.count
    case .calling: false
    }
  }

  /// The call under way.
  var current: DelegateCall? {
    switch phase {
    case .free: nil
    case .calling(let call): call
    }
  }

  mutating func append(_ call: DelegateCall) {
    guard let task = call.task else { return waiting.append(call) }
    if let index = lastPositions[task].map({ $0 - removedCount }), index >= head,
      let merged = waiting[index].merged(with: call)
    {
      waiting[index] = merged
    } else {
      lastPositions[task] = removedCount + waiting.count
      waiting.append(call)
    }
  }

  /// Returns the call to make now, or nil while one is under way or none waits.
  mutating func next() -> DelegateCall? {
    guard case .free = phase, head < waiting.count else { return nil }
    let call = waiting[head]
    if let task = call.task, lastPositions[task] == removedCount + head {
      lastPositions[task] = nil
    }
    head += 1
    // Drop half of it at a time, so that each call is moved once on average.
    if head * 2 >= waiting.count {
      waiting.removeFirst(head)
      removedCount += head
      head = 0
    }
    phase = .calling(call)
    return call
  }

  /// Records that the current call has returned.
  mutating func returned() -> DelegateCall? {
    guard case .calling(let call) = phase else { return nil }
    phase = .free
    return call
  }
}

/// One delegate call. Tasks are identified by their task identifiers.
enum DelegateCall: Hashable, Sendable {
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
  var task: Int64? {
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
enum TaskEnd: Hashable, Sendable {
  case success
  case failure(TaskFailure)

  var failure: TaskFailure? {
    switch self {
    case .success: nil
    case .failure(let failure): failure
    }
  }
}
