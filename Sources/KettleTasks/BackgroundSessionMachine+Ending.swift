import KettleControl
import KettleModel

/// The end of calls, of events and of the session.
extension BackgroundSessionMachine {
  /// Handles the return of the current delegate call.
  mutating func callReturned() {
    switch calls.returned() {
    case .completed(let number, _)?: completionReturned(number)
    case .finished(let number, _)?, .received(let number, _)?:
      tasks[number]?.delivered = .file
    case .becameInvalid?:
      ending = .done
      emit(.close)
    case .measured(let number)?: tasks[number]?.delivered = .metrics
    case .challenge?, .waits?, .informed?, .resumed?, .wrote?, .sent?, .finishedEvents?, nil: break
    }
  }

  /// Records what the program has received, so that its next run does not receive it again.
  mutating func leave() {
    guard case .running = program else { return }
    program = .leaving
    if case .finishedEvents? = calls.current { request(.finishEvents, task: nil) }
    callReturned()
    for number in tasks.keys.sorted() {
      guard let record = tasks[number], let delivered = record.delivered,
        case .ending(_, isAcknowledged: false) = record.phase
      else { continue }
      var params = UpdateTask.Params(id: TransferID(rawValue: 0))
      params.delivered = delivered
      request(.update(params), task: number)
    }
  }

  private mutating func completionReturned(_ number: Int64) {
    guard let record = tasks[number], case .ending(_, let isAcknowledged) = record.phase
    else { return }
    guard !isAcknowledged else { return forget(number) }
    acknowledge(record)
  }

  /// Acknowledges the task's end. A task whose resume data was given to the program stays.
  mutating func acknowledge(_ record: TaskRecord) {
    tasks[record.number]?.phase = .reported
    request(.acknowledge(keepsResumeData: record.gaveToken), task: record.number)
  }

  /// Reports the end of events to a program that was launched for the session, after all other
  /// calls.
  mutating func checkEvents() {
    guard case .owed = launch, link.isAttached, calls.isIdle else { return }
    for record in tasks.values {
      if case .requestingResumeData = record.phase { return }
    }
    launch = .reported
    calls.append(.finishedEvents)
  }

  mutating func checkEnding() {
    guard case .afterTasks = ending, calls.isIdle, localTasks.isEmpty,
      tasks.values.allSatisfy(\.isOver)
    else { return }
    switch link {
    // The tasks of an earlier run of the program are not known yet.
    case .connecting where !wasAttached: break
    case .attached, .connecting:
      ending = .dropping
      request(.drop, task: nil)
    case .disconnected: reportInvalidation(nil)
    }
  }

  mutating func reportInvalidation(_ failure: SessionFailure?) {
    ending = .reporting
    calls.append(.becameInvalid(failure))
  }

  /// Fails every task as lost and drops it from the service after the next connection. Awaited
  /// tasks are found again by the next `await`.
  mutating func gaveUp(_ failure: SessionFailure) {
    link = .disconnected
    unacknowledged.forgetAll()
    // No call could tell an ending program, and its next run finds what the service has recorded.
    guard !isLeaving else { return }
    for number in tasks.keys.sorted() { lose(number, failure) }
    unadded.sort()
    switch (ending, failure) {
    case (.done, _), (.reporting, _): break
    case (.dropping, _): reportInvalidation(nil)
    case (.none, .noService), (.afterTasks, .noService): break
    case (.none, .inUse), (.none, .emptyIdentifier), (.afterTasks, .inUse),
      (.afterTasks, .emptyIdentifier):
      reportInvalidation(failure)
    }
  }

  private mutating func lose(_ number: Int64, _ failure: SessionFailure) {
    guard let record = tasks[number] else { return }
    switch record.phase {
    case .new where record.suspensions > 0 && failure.isPassing: break
    case .unsent where record.suspensions > 0 && failure.isPassing:
      tasks[number]?.phase = .new
      unadded.append(number)
    case .unsendable, .unclaimed: break
    case .requestingResumeData(let reported):
      if !record.isAwaited { abandon(record) }
      tasks[number]?.id = nil
      reportEnd(of: number, reported, nil)
    case .new, .unsent, .live:
      let isKnown = record.id != nil && !record.isAwaited
      if isKnown { abandon(record) }
      tasks[number]?.id = nil
      end(number, .failure(.session(failure)))
    case .ending(let end, _):
      if record.id != nil { abandon(record) }
      tasks[number]?.phase = .ending(end, isAcknowledged: true)
    case .reported:
      abandon(record)
      forget(number)
    }
  }

  /// The service drops it after the next connection.
  private mutating func abandon(_ record: TaskRecord) {
    abandoned[record.number] = record.gaveToken ? .gaveToken : .gaveNothing
  }
}

extension SessionFailure {
  /// Whether a new attempt may succeed.
  fileprivate var isPassing: Bool {
    switch self {
    case .noService: true
    case .inUse, .emptyIdentifier: false
    }
  }
}
