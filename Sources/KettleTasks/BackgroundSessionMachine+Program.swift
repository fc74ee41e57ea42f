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
