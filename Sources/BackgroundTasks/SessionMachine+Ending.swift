import ControlProtocol
import TransferModel

/// The end of calls, of events and of the session.
extension SessionMachine {
  /// The delegate returned from the call that was handed out.
  mutating func callReturned() {
    switch calls.returned() {
    case .completed(let number, _)?: completionReturned(number)
    case .becameInvalid?:
      ending = .done
      act(.close)
    case .challenge?, .resumed?, .wrote?, .sent?, .finished?, .received?, .finishedEvents?, nil:
      break
    }
  }

  private mutating func completionReturned(_ number: Int64) {
    guard var record = tasks[number], case .ending(_, let isAcknowledged) = record.phase
    else { return }
    guard !isAcknowledged else { return forget(number) }
    record.phase = .told
    tasks[number] = record
    ask(.acknowledge(keepsResumeData: false), task: number)
  }

  /// A program that was started for the session is told when it has been told everything.
  mutating func checkEvents() {
    guard case .owed = launch, link.isAttached, calls.isIdle else { return }
    for record in tasks.values {
      if case .askingResumeData = record.phase { return }
    }
    launch = .told
    calls.append(.finishedEvents)
  }

  mutating func checkEnding() {
    guard case .afterTasks = ending, calls.isIdle,
      tasks.values.allSatisfy(\.isOver)
    else { return }
    switch link {
    // What an earlier run of the program left is not known yet.
    case .connecting where !wasAttached: break
    case .attached, .connecting:
      ending = .dropping
      ask(.drop, task: nil)
    case .disconnected: tellInvalid(nil)
    }
  }

  mutating func tellInvalid(_ failure: SessionFailure?) {
    ending = .telling
    calls.append(.becameInvalid(failure))
  }

  /// Every task is told that it is lost; what the service has of them is dropped when it is there
  /// again. Those that are awaited are found again by the next who waits.
  mutating func gaveUp(_ failure: SessionFailure) {
    link = .disconnected
    log.forgetAll()
    for number in tasks.keys.sorted() { lose(number, failure) }
    switch (ending, failure) {
    case (.done, _), (.telling, _): break
    case (.dropping, _): tellInvalid(nil)
    case (.none, .noService), (.afterTasks, .noService): break
    case (.none, .inUse), (.none, .emptyIdentifier), (.afterTasks, .inUse),
      (.afterTasks, .emptyIdentifier):
      tellInvalid(failure)
    }
  }

  private mutating func lose(_ number: Int64, _ failure: SessionFailure) {
    guard let record = tasks[number] else { return }
    switch record.phase {
    case .new where record.suspensions > 0 && failure.isPassing: break
    case .hopeless, .unclaimed: break
    case .askingResumeData(let told): tellEnd(number, told, nil)
    case .new, .live:
      let isKnown = record.id != nil && !record.isAwaited
      if isKnown { abandoned.insert(number) }
      tasks[number]?.id = nil
      end(number, .failure(.session(failure)))
    case .ending(let end, _):
      if record.id != nil { abandoned.insert(number) }
      tasks[number]?.phase = .ending(end, isAcknowledged: true)
    case .told:
      abandoned.insert(number)
      forget(number)
    }
  }
}

extension SessionFailure {
  /// Whether it may be otherwise the next time.
  fileprivate var isPassing: Bool {
    switch self {
    case .noService: true
    case .inUse, .emptyIdentifier: false
    }
  }
}
