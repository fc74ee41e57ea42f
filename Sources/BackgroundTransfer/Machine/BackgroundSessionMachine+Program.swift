import KettleControl
import KettleModel

/// Requests of the program.
extension BackgroundSessionMachine {
  mutating func resume(_ number: Int64) {
    guard var record = tasks[number], record.suspensions > 0 else { return }
    record.suspensions -= 1
    tasks[number] = record
    guard record.suspensions == 0 else { return }
    switch record.phase {
    case .unsendable(let failure): end(number, .failure(failure))
    case .new: add(through: number)
    case .unsent: show(number)
    case .live(.none):
      request(.start, task: number)
      show(number)
    case .live, .requestingResumeData, .ending, .unclaimed, .reported: break
    }
  }

  mutating func suspend(_ number: Int64) {
    guard var record = tasks[number] else { return }
    switch record.phase {
    case .new, .unsent, .unsendable: record.suspensions += 1
    case .live(.none):
      record.suspensions += 1
      if record.suspensions == 1 { request(.pause, task: number) }
    case .live, .requestingResumeData, .ending, .unclaimed, .reported: return
    }
    tasks[number] = record
    show(number)
  }

  mutating func cancel(_ number: Int64, keepsBytes: Bool) {
    guard let record = tasks[number] else {
      if keepsBytes { emit(.resumeData(number, nil)) }
      return
    }
    switch record.phase {
    case .new, .unsent, .unsendable:
      if keepsBytes { emit(.resumeData(number, nil)) }
      end(number, .failure(.cancelled(resume: nil)))
    case .live(.none):
      tasks[number]?.phase = .live(keepsBytes ? .keepingBytes : .plain)
      request(.cancel(keepsBytes: keepsBytes), task: number)
      show(number)
    case .live(.plain):
      // Its bytes are already gone.
      if keepsBytes { emit(.resumeData(number, nil)) }
    case .live(.keepingBytes), .requestingResumeData:
      // A caller waiting for resume data gets its answer at the end.
      break
    case .ending, .unclaimed, .reported:
      if keepsBytes { emit(.resumeData(number, nil)) }
    }
  }

  mutating func update(_ number: Int64, _ params: UpdateTask.Params) {
    guard var record = tasks[number], var spec = record.spec else { return }
    spec.priority = params.priority ?? spec.priority
    spec.title = params.title.map { $0.isEmpty ? nil : $0 } ?? spec.title
    if let date = params.notBefore {
      spec.notBefore = date.millisecondsSince1970 > 0 ? date : nil
    }
    if var task = spec.task {
      task.programData = params.programData ?? task.programData
      task.subtitle = params.subtitle ?? task.subtitle
      task.asksBeforeBeginning = params.asksBeforeBeginning ?? task.asksBeforeBeginning
      task.expectedSendByteCount = params.expectedSendByteCount ?? task.expectedSendByteCount
      task.expectedReceiveByteCount =
        params.expectedReceiveByteCount ?? task.expectedReceiveByteCount
      spec.task = task
    }
    record.spec = spec
    tasks[number] = record
    switch record.phase {
    case .live: request(.update(params), task: number)
    case .new, .unsent, .unsendable, .requestingResumeData, .ending, .unclaimed, .reported: break
    }
  }

  mutating func claim(_ number: Int64) {
    guard let record = tasks[number], case .unclaimed = record.phase else { return }
    guard record.id != nil else { return forget(number) }
    acknowledge(record)
  }

  mutating func invalidate(cancellingTasks: Bool) {
    switch ending {
    case .none: ending = .afterTasks(cancelled: cancellingTasks)
    case .afterTasks(let cancelled): ending = .afterTasks(cancelled: cancelled || cancellingTasks)
    case .dropping, .reporting, .done: break
    }
    guard cancellingTasks else { return }
    for number in tasks.keys.sorted() { cancel(number, keepsBytes: false) }
  }

  /// Refuses a task that has become impossible to carry out.
  mutating func refuse(_ number: Int64, _ refusal: TaskRefusal) {
    guard case .new? = tasks[number]?.phase else { return }
    tasks[number]?.phase = .unsendable(.refused(refusal))
  }

  /// Adds the task and all earlier ones: the service accepts the numbers of a session in rising
  /// order only. Those that are suspended are added without a start.
  mutating func add(through number: Int64) {
    let due = unadded.prefix { $0 <= number }
    unadded.removeFirst(due.count)
    for earlier in due {
      guard case .new? = tasks[earlier]?.phase else { continue }
      tasks[earlier]?.phase = .unsent
      unacknowledged.append(newTask: earlier)
      show(earlier)
    }
    if !due.isEmpty { wakeLink() }
  }
}

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
