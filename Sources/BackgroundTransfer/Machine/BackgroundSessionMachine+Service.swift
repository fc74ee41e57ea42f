import KettleControl
import KettleModel

/// Messages from the service.
extension BackgroundSessionMachine {
  mutating func attached(_ reply: AttachSession.Result, awaited: Set<Int64>) {
    link = .attached
    wasAttached = true
    lastNumber = max(lastNumber, reply.lastTaskIdentifier)
    let there = Dictionary(
      reply.tasks.map { ($0.snapshot.taskIdentifier, $0) }, uniquingKeysWith: { first, _ in first })
    for number in tasks.keys.sorted() where there[number] == nil { taskMissing(number) }
    // Report tasks in the order in which they ended.
    for task in reply.tasks.sorted(by: { $0.order < $1.order }) {
      restore(task, isAwaited: awaited.contains(task.snapshot.taskIdentifier))
    }
    for number in tasks.keys.sorted() { show(number) }
  }

  mutating func connectionLost() {
    guard link.isAttached else { return }
    link = .connecting
    unacknowledged.connectionLost()
    for number in tasks.keys.sorted() { show(number) }
  }

  mutating func receive(_ event: TransferEvent) {
    let number = event.snapshot.taskIdentifier
    guard var record = tasks[number], event.snapshot.task != nil else { return }
    guard record.id == nil || record.id == event.id else { return }
    record.id = event.id
    tasks[number] = record
    switch event.kind {
    case .removed: taskRemoved(number)
    case .progress: apply(event.snapshot, to: number, reportsProgress: true)
    case .added, .stateChanged: apply(event.snapshot, to: number, reportsProgress: false)
    }
  }

  mutating func answered(_ serial: Int64, _ reply: ServiceReply) {
    // A stopping service did nothing; the request is sent to the next one.
    if case .refused(let error) = reply, error.code == .stopping { return }
    if case .refused = reply, unacknowledged.splitRefusedAdd(serial) { return }
    if let numbers = unacknowledged.removeAdd(serial) { return added(numbers, reply) }
    for entry in unacknowledged.removeSent(serial) ?? [] { answered(entry, reply) }
  }

  private mutating func answered(_ entry: UnacknowledgedRequests.Entry, _ reply: ServiceReply) {
    guard let number = entry.task else { return sessionAnswered(entry.intent) }
    switch entry.intent {
    case .makeToken: tokenMade(number, reply)
    case .acknowledge: if case .reported? = tasks[number]?.phase { forget(number) }
    case .start, .pause, .cancel, .update, .answer, .finishEvents, .drop, .options: break
    }
  }

  private mutating func added(_ numbers: [Int64?], _ reply: ServiceReply) {
    switch reply {
    case .added(let ids):
      for case (let number?, let id) in zip(numbers, ids) { tasks[number]?.id = id }
    case .refused(let error):
      for case let number? in numbers {
        if case .live? = tasks[number]?.phase { end(number, .failure(.notKept(error))) }
      }
    case .tokens, .done: break
    }
  }

  private mutating func sessionAnswered(_ intent: Intent) {
    if intent == .drop, case .dropping = ending { reportInvalidation(nil) }
  }

  private mutating func tokenMade(_ number: Int64, _ reply: ServiceReply) {
    guard case .requestingResumeData(let failure)? = tasks[number]?.phase else { return }
    guard case .tokens(let tokens) = reply else {
      return reportEnd(of: number, failure, nil)
    }
    reportEnd(of: number, failure, tokens.first.map(TaskResumption.download))
  }

  private mutating func restore(_ task: SessionTask, isAwaited: Bool) {
    let number = task.snapshot.taskIdentifier
    if let abandonment = abandoned.removeValue(forKey: number) { return drop(task, abandonment) }
    if var record = tasks[number] {
      if record.id == nil { unacknowledged.forgetAdd(of: number) }
      record.id = task.snapshot.id
      tasks[number] = record
    } else {
      guard !task.isPutAside else { return }
      tasks[number] = TaskRecord(
        restored: task.snapshot, spec: task.spec, isAwaited: isAwaited)
      emit(.restored(task))
    }
    apply(task.snapshot, to: number, reportsProgress: false)
    if case .afterTasks(cancelled: true) = ending { cancel(number, keepsBytes: false) }
  }

  /// Drops a task whose end was reported while the service was away.
  private mutating func drop(_ task: SessionTask, _ abandonment: Abandonment) {
    let number = task.snapshot.taskIdentifier
    var record = TaskRecord(restored: task.snapshot, spec: task.spec, isAwaited: false)
    record.gaveToken = abandonment == .gaveToken
    tasks[number] = record
    if !task.snapshot.state.isFinished { request(.cancel(keepsBytes: false), task: number) }
    acknowledge(record)
  }

  private mutating func taskMissing(_ number: Int64) {
    guard let record = tasks[number], record.id != nil else { return }
    switch record.phase {
    case .live: taskRemoved(number)
    case .new, .unsent, .unsendable, .requestingResumeData, .ending, .unclaimed, .reported: break
    }
  }

  /// Handles the removal of a task from the list.
  private mutating func taskRemoved(_ number: Int64) {
    guard let record = tasks[number] else { return }
    switch record.phase {
    case .live:
      unacknowledged.forget(task: number)
      tasks[number]?.id = nil
      end(number, .failure(.removedByUser))
    case .new, .unsent, .unsendable, .requestingResumeData, .ending, .unclaimed, .reported: break
    }
  }
}

extension SessionTask {
  /// Whether the program knows its end and has resume data instead. A task that merely failed can
  /// have a token, too.
  fileprivate var isPutAside: Bool {
    snapshot.task?.resumeToken != nil && snapshot.state != .failed
  }

  /// Finished tasks by finish time, then the others by number.
  fileprivate var order: Order {
    Order(
      finishedAt: snapshot.state.isFinished
        ? snapshot.finishedAt?.millisecondsSince1970 ?? .min : .max,
      number: snapshot.taskIdentifier)
  }

  fileprivate struct Order: Comparable {
    let finishedAt: Int64
    let number: Int64

    static func < (left: Order, right: Order) -> Bool {
      (left.finishedAt, left.number) < (right.finishedAt, right.number)
    }
  }
}
