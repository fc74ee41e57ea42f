import KettleModel

/// What a task adds to the life of a transfer: an end that is kept until its program was notified.
extension TransferMachine {
  static let byTheUser = "by the user"

  package var isTask: Bool { record.spec.task != nil }

  /// Its program was notified and took resume data in its place. A failed task may have its token
  /// before that.
  package var isPutAside: Bool { record.task?.resumeToken != nil && record.failure == nil }

  /// Its program was or will be notified of its end. It cannot be restarted, or its program would
  /// be notified of a second one.
  package var isFinalTask: Bool { isTask && (visibleState.isFinished || isPutAside) }

  /// It leaves the list as soon as its pending operations end.
  package var isBeingRemoved: Bool {
    switch state {
    case .removed, .ending(_, next: .removed), .discarding(_, next: .removed),
      .placing(_, next: .removed):
      true
    case .idle, .scheduled, .queued, .running, .ending, .waiting, .paused, .verifying, .discarding,
      .placing, .completed, .failed:
      false
    }
  }

  /// Ends it as cancelled. If it is finished, or cannot be undone, it stays as it is.
  package mutating func cancel(
    keepsBytes: Bool, detail: String? = nil, _ operation: OperationID, at now: Moment
  ) -> ControlAction {
    let failure = TransferFailure(.cancelled, on: record.spec.url.text, detail: detail)
    guard !isPutAside else { return .nothing }
    switch state {
    case .running(let fetch):
      return cancel(fetch, next: keepsBytes ? .failed(failure) : .cancelled(failure))
    case .ending(_, next: .failed), .ending(_, next: .cancelled), .ending(_, next: .removed),
      .discarding(_, next: .failed), .discarding(_, next: .removed), .placing, .failed, .removed:
      return .nothing
    case .ending(let phase, next: .idle), .ending(let phase, next: .queuedFromZero):
      // These bytes were discarded already.
      enter(.ending(phase, next: .cancelled(failure)))
      return .nothing
    case .ending(let phase, _):
      enter(.ending(phase, next: keepsBytes ? .failed(failure) : .cancelled(failure)))
      return .nothing
    case .discarding(let underWay, next: .idle), .discarding(let underWay, next: .queued):
      record.finishedAt = now.wall
      enter(.discarding(underWay, next: .failed(failure)))
      return .nothing
    case .completed:
      return .refuseCompleted
    case .idle, .scheduled, .queued, .waiting, .paused, .verifying:
      record.finishedAt = now.wall
      guard !keepsBytes else {
        enter(.failed(failure))
        return .nothing
      }
      return discard(operation, next: .failed(failure))
    }
  }

  /// The user removes a task: its bytes are deleted, and it stays until its program was notified.
  mutating func removeTask(
    _ fate: FileFate, _ operation: OperationID, at now: Moment
  ) -> ControlAction {
    guard isFinalTask else {
      return cancel(keepsBytes: false, detail: Self.byTheUser, operation, at: now)
    }
    // Its end is pending; a second request for it adds nothing.
    guard isAtRest else { return .nothing }
    return drop(fate, operation)
  }

  /// Removes it from the list whether or not its program was notified, with a finished file that
  /// only its program could find. That file is deleted like a partial file: it stays recorded until
  /// it is deleted, so that no crash leaves it behind unnoticed.
  package mutating func drop(_ fate: FileFate, _ operation: OperationID) -> ControlAction {
    guard record.holdsFile else { return removeAnyhow(fate, operation) }
    guard case .completed = state, let held = record.finishedFile?.asResumeData else {
      return removeAnyhow(.stays, operation)
    }
    record.resumeData = held
    return discard(operation, next: .removed)
  }

  /// While its bytes are deleted, the record shows a task as its program knows it, with an empty
  /// partial file: after a crash the deletion is repeated. A completed task has no partial file
  /// otherwise, so its program is not notified twice.
  func keepEnd(before next: AfterDiscarding, in durable: inout TransferRecord) {
    switch next {
    case .idle, .queued: return
    case .failed: break
    case .removed:
      if record.finishedFile != nil {
        durable.state = .completed
      } else if isPutAside {
        durable.state = .paused
      } else if record.finishedAt != nil, record.failure != nil {
        durable.state = .failed
      }
    }
    durable.resumeData?.held = ByteRangeSet()
  }

  // MARK: What the program was told

  /// Removes it from the list because its program knows how it ended. An unfinished one stays.
  ///
  /// - Parameter secret: for the resume token, if the program wants the bytes kept.
  package mutating func acknowledge(
    keepingBytesFor secret: String?, _ operation: OperationID
  ) -> ControlAction {
    guard isFinalTask, isAtRest else { return .nothing }
    guard let secret, case .failed = state, canBeResumed else {
      // A task that was put aside before keeps its token.
      if secret != nil, isPutAside { return .nothing }
      return drop(.stays, operation)
    }
    makeToken(secret: secret)
    record.retryCount = 0
    enter(.paused)
    return .nothing
  }

  /// Gives a failed task with usable bytes its token, once; its program is still to be notified.
  package mutating func makeToken(secret: String) {
    guard isTask, case .failed = state, canBeResumed, record.task?.resumeToken == nil
    else { return }
    record.task?.resumeToken = ResumeToken(id: record.id, secret: secret)
  }

  /// Whether a later task can use its bytes: Apple's rule for resume data
  /// (`cancel(byProducingResumeData:)`).
  var canBeResumed: Bool {
    guard record.spec.request?.isPlainGET ?? true, let resumeData = record.resumeData,
      !resumeData.held.isEmpty, let validator = resumeData.validator
    else { return false }
    let reply = record.task?.reply.map { ResponseHead(status: $0.status, headers: $0.headers) }
    if reply?.value(of: "Accept-Ranges")?.trimmed.lowercased() == "none" { return false }
    return validator.entityTag?.isEmpty == false || validator.lastModified?.isEmpty == false
  }

  // MARK: Bytes of an earlier task

  /// Returns the bytes of a task with a token if a task with this spec may continue them; a failed
  /// task is thereby acknowledged. Bytes cannot move to another directory.
  package func resumeData(for spec: TransferSpec) -> ResumeData? {
    guard let token = record.task?.resumeToken, token == spec.task?.resumes, isFinalTask, isAtRest,
      var resumeData = record.resumeData, spec.request?.isPlainGET ?? true,
      record.spec.session == spec.session, record.spec.directory == spec.directory,
      record.spec.name == spec.name
    else { return nil }
    if record.spec.url != spec.url, resumeData.validatorURL == nil {
      resumeData.validatorURL = record.spec.url.text
    }
    return resumeData
  }

  /// Records where a download from resume data continues: the server sends the rest, or there is
  /// none. The program is notified once.
  mutating func noteResumed(at offset: Int64) {
    guard record.spec.task?.resumes != nil, record.task?.resumedAtByteCount == nil else { return }
    record.task?.resumedAtByteCount = offset
  }

  /// The server sends everything: the resume data was not used and will not be.
  mutating func noteFreshStart() { record.spec.task?.resumes = nil }

  // MARK: Changes

  package mutating func update(_ changes: TaskChanges, at now: Moment) {
    guard record.spec.task != nil else { return }
    if let data = changes.programData { record.spec.task?.programData = data }
    if let count = changes.expectedSendByteCount {
      record.spec.task?.expectedSendByteCount = count
    }
    if let count = changes.expectedReceiveByteCount {
      record.spec.task?.expectedReceiveByteCount = count
    }
    if let priority = changes.priority { record.spec.priority = priority }
    guard let date = changes.notBefore else { return }
    switch state {
    case .idle, .paused: record.spec.notBefore = date.isNone ? nil : date
    case .scheduled:
      record.spec.notBefore = date.isNone ? nil : date
      enter(date > now.wall ? .scheduled(until: date) : .queued)
    case .queued, .running, .ending, .waiting, .verifying, .discarding, .placing, .completed,
      .failed, .removed:
      break
    }
  }

  /// A resumed task does not start before its date; a second start overrides the date.
  func scheduledStart(at now: Moment) -> State? {
    guard isTask, let date = record.spec.notBefore, date > now.wall else {
      return nil
    }
    return .scheduled(until: date)
  }

  /// Makes it the user's own transfer. What only its program could do for it ends.
  package mutating func adopt(taskIdentifier: Int64) {
    record.spec.session = .kettle
    record.taskIdentifier = taskIdentifier
    if record.spec.login == nil {
      record.spec.login = record.spec.task?.credential(for: record.spec.url.origin)?.login
    }
    record.spec.task = nil
    record.task = nil
    conditionsChanged(unmet: nil)
  }
}

extension TransferRecord {
  /// The finished file is private to its program.
  package var holdsFile: Bool { spec.task != nil && spec.directory == nil }
}

extension FinishedFile {
  /// The file as a partial file without durable bytes; nil when it is not ours.
  fileprivate var asResumeData: ResumeData? {
    guard let identity else { return nil }
    return ResumeData(
      partialPath: path, device: identity.device, inode: identity.inode, held: ByteRangeSet(),
      totalByteCount: nil, validator: nil,
      finalName: path.split(separator: "/").last.map(String.init) ?? path)
  }
}

extension WallTime {
  /// How a program removes a date.
  fileprivate var isNone: Bool { millisecondsSince1970 <= 0 }
}
