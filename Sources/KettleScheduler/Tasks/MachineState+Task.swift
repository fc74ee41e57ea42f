import KettleModel

/// How a task ends: its end is kept until its program was notified of it.
extension TransferMachine.State {
  /// Its program was notified and took resume data in its place. A failed task may have its token
  /// before that.
  func isPutAside(_ facts: TransferFacts) -> Bool {
    facts.taskStatus?.resumeToken != nil && (failure ?? facts.lastFailure) == nil
  }

  /// Its program was or will be notified of its end. It cannot be restarted, or its program would
  /// be notified of a second one.
  func isFinalTask(_ facts: TransferFacts) -> Bool {
    facts.isTask && (visible.isFinished || isPutAside(facts))
  }

  /// When the task ends whatever its state; nil when it has no limit.
  func deadline(_ facts: TransferFacts) -> WallTime? {
    guard let deadline = facts.task?.deadline(notBefore: facts.spec.notBefore),
      mayRunOutOfTime(hasResumeToken: facts.taskStatus?.resumeToken != nil)
    else { return nil }
    return deadline
  }

  /// Fails the task when its time is over, with every byte kept; nil when it is not.
  func timedOut(_ facts: inout TransferFacts, at now: WallTime) -> Transition? {
    guard let deadline = deadline(facts), deadline <= now else { return nil }
    let failure = TransferFailure(
      .timedOut, on: facts.urlText, detail: "the task's time is over")
    switch self {
    case .running(let download): return .ending(download, next: .failed(failure))
    case .ending(let phase, _): return .entering(.ending(phase, next: .failed(failure)))
    case .idle, .scheduled, .queued, .waiting, .paused, .verifying, .discarding, .placing,
      .completed, .failed, .removed:
      facts.finishedAt = now
      return .entering(.failed(failure))
    }
  }

  /// Ends the task as cancelled. If it is finished, or cannot be undone, it stays as it is.
  func cancel(
    _ facts: inout TransferFacts, keepsBytes: Bool, detail: String? = nil,
    _ operation: OperationID, at now: Moment
  ) -> Transition {
    let failure = TransferFailure(.cancelled, on: facts.urlText, detail: detail)
    let next: TransferMachine.AfterEnding = keepsBytes ? .failed(failure) : .cancelled(failure)
    guard !isPutAside(facts) else { return .none }
    switch self {
    case .running(let download): return .ending(download, next: next)
    case .ending(_, next: .failed), .ending(_, next: .cancelled), .ending(_, next: .removed),
      .discarding(_, next: .failed), .discarding(_, next: .removed), .placing, .failed, .removed:
      return .none
    case .ending(let phase, next: .idle), .ending(let phase, next: .queuedFromZero):
      // These bytes were discarded already.
      return .entering(.ending(phase, next: .cancelled(failure)))
    case .ending(let phase, _): return .entering(.ending(phase, next: next))
    case .discarding(let underWay, next: .idle), .discarding(let underWay, next: .queued):
      facts.finishedAt = now.wall
      return .entering(.discarding(underWay, next: .failed(failure)))
    case .completed:
      return .refused(.completed)
    case .idle, .scheduled, .queued, .waiting, .paused, .verifying:
      facts.finishedAt = now.wall
      if keepsBytes { return .entering(.failed(failure)) }
      return Finishing(operation).discard(&facts, next: .failed(failure))
    }
  }

  /// The user removes a task: its bytes are deleted, and it stays until its program was notified.
  func removeTask(
    _ facts: inout TransferFacts, file fate: TransferMachine.FileFate, _ operation: OperationID,
    at now: Moment
  ) -> Transition {
    guard isFinalTask(facts) else {
      return cancel(&facts, keepsBytes: false, detail: "by the user", operation, at: now)
    }
    // Its end is pending; a second request for it adds nothing.
    guard isAtRest else { return .none }
    return drop(&facts, file: fate, operation)
  }

  /// Removes the transfer from the list whether or not its program was notified, with a finished
  /// file that only its program could find. That file is deleted like a partial file: it stays
  /// recorded until it is deleted, so that no crash leaves it behind unnoticed.
  func drop(
    _ facts: inout TransferFacts, file fate: TransferMachine.FileFate, _ operation: OperationID
  ) -> Transition {
    guard facts.spec.keepsFileForProgram else { return remove(&facts, file: fate, operation) }
    guard case .completed = self, let file = facts.finishedFile?.asResumeData else {
      return remove(&facts, file: .stays, operation)
    }
    facts.resumeData = file
    return Finishing(operation).discard(&facts, next: .removed)
  }

  /// Removes the task from the list because its program knows how it ended. An unfinished one
  /// stays.
  ///
  /// - Parameter secret: for the resume token, if the program wants the bytes kept.
  func acknowledge(
    _ facts: inout TransferFacts, keepingBytesFor secret: String?, _ operation: OperationID
  ) -> Transition {
    guard isFinalTask(facts), isAtRest else { return .none }
    guard let secret, case .failed = self, facts.canBeResumed else {
      // A task that was put aside before keeps its token.
      if secret != nil, isPutAside(facts) { return .none }
      return drop(&facts, file: .stays, operation)
    }
    makeToken(&facts, secret: secret)
    facts.retryCount = 0
    return .entering(.paused)
  }

  /// Gives a failed task with usable bytes its token, once; its program is still to be notified.
  func makeToken(_ facts: inout TransferFacts, secret: String) {
    guard facts.isTask, case .failed = self, facts.canBeResumed,
      facts.taskStatus?.resumeToken == nil
    else { return }
    let token = ResumeToken(id: facts.id, secret: secret)
    facts.taskStatus?.resumeToken = token
  }

  /// Returns the bytes of a task with a token if a task with this spec may continue them; a failed
  /// task is thereby acknowledged. Bytes cannot move to another directory.
  func resumeData(_ facts: TransferFacts, for spec: TransferSpec) -> ResumeData? {
    guard let token = facts.taskStatus?.resumeToken, token == spec.task?.resumes,
      isFinalTask(facts), isAtRest, var resumeData = facts.resumeData,
      spec.request?.isPlainGET ?? true, facts.spec.session == spec.session,
      facts.spec.directory == spec.directory, facts.spec.name == spec.name
    else { return nil }
    if facts.spec.url != spec.url, resumeData.validatorURL == nil {
      resumeData.validatorURL = facts.urlText
    }
    return resumeData
  }

  // MARK: Challenges

  /// The challenge for which the task waits for its program.
  func pendingChallenge(_ facts: TransferFacts) -> ServerChallenge? {
    facts.taskStatus == nil ? nil : waiting?.challenge
  }

  /// Applies the program's response. A response to any challenge but the pending one changes
  /// nothing: it is late or a duplicate.
  func respond(
    _ facts: inout TransferFacts, to challenge: ServerChallenge, with answer: ChallengeAnswer,
    _ operation: OperationID, at now: Moment
  ) -> Transition {
    if case .request(let request) = answer, challenge.kind == .delayedRequest,
      pendingChallenge(facts) == challenge
    {
      facts.replaceRequest(with: request)
    }
    guard let waiting, pendingChallenge(facts) == challenge,
      let outcome = facts.task?.respond(to: challenge, with: answer, failure: waiting.failure)
    else { return .none }
    switch (outcome, self) {
    case (.cancelled, _): return cancel(&facts, keepsBytes: true, operation, at: now)
    // The challenged attempt has not ended yet.
    case (.failed(let failure), .ending(let phase, _)):
      return .entering(.ending(phase, next: .failed(failure)))
    case (.failed(let failure), _):
      facts.finishedAt = now.wall
      return .entering(.failed(failure))
    case (.retried, _): return retried
    }
  }

  /// Accepts the system's verdict on the server in place of the program's; a server that the system
  /// does not trust stays a challenge for the program.
  func trustSystem(_ facts: inout TransferFacts) -> Transition {
    guard let challenge = pendingChallenge(facts), facts.task?.trustBySystem(challenge) == true
    else { return .none }
    return retried
  }

  /// Begins a delayed task whose program cannot be asked.
  func beginUnasked(_ facts: TransferFacts) -> Transition {
    pendingChallenge(facts)?.kind == .delayedRequest ? retried : .none
  }

  private var retried: Transition {
    if case .ending(let phase, _) = self { return .entering(.ending(phase, next: .queued)) }
    return .entering(.queued)
  }

  // MARK: Changes

  func update(
    _ facts: inout TransferFacts, with changes: TaskChanges, at now: Moment
  ) -> Transition {
    guard facts.isTask else { return .none }
    if let data = changes.programData { facts.spec.task?.programData = data }
    if let title = changes.title { facts.spec.title = title.isEmpty ? nil : title }
    if let subtitle = changes.subtitle { facts.spec.task?.subtitle = subtitle }
    if let count = changes.expectedSendByteCount {
      facts.spec.task?.expectedSendByteCount = count
    }
    if let count = changes.expectedReceiveByteCount {
      facts.spec.task?.expectedReceiveByteCount = count
    }
    if let part = changes.delivered { facts.spec.task?.delivered = part }
    if let priority = changes.priority { facts.spec.priority = priority }
    if let asks = changes.asksBeforeBeginning { facts.spec.task?.asksBeforeBeginning = asks }
    guard let date = changes.notBefore else { return .none }
    switch self {
    case .idle, .paused:
      facts.spec.notBefore = date.removesDate ? nil : date
      return .none
    case .scheduled:
      facts.spec.notBefore = date.removesDate ? nil : date
      return .entering(date > now.wall ? .scheduled(until: date) : .queued)
    case .queued, .running, .ending, .waiting, .verifying, .discarding, .placing, .completed,
      .failed, .removed:
      return .none
    }
  }

  /// Makes the transfer the user's own. What only its program could do for it ends.
  func adopt(_ facts: inout TransferFacts, taskIdentifier: Int64) -> Transition {
    facts.spec.session = .kettle
    facts.taskIdentifier = taskIdentifier
    if facts.spec.login == nil {
      facts.spec.login = facts.spec.task?.credential(for: facts.spec.url.origin)?.login
    }
    // Its program is not asked any more.
    let isDelayed = pendingChallenge(facts)?.kind == .delayedRequest
    facts.task = nil
    if isDelayed { return retried }
    return conditionsChanged(facts, unmet: nil)
  }

  // MARK: The store

  /// Changes the record of a task whose bytes are being deleted to what its program knows, with an
  /// empty partial file: after a crash the deletion is repeated. A completed task has no partial
  /// file otherwise, so its program is not notified twice.
  func showEnd(of facts: TransferFacts, in durable: inout TransferRecord) {
    guard facts.isTask, case .discarding(_, let next) = self else { return }
    switch next {
    case .idle, .queued: return
    case .failed: break
    case .removed:
      if facts.finishedFile != nil {
        durable.state = .completed
      } else if isPutAside(facts) {
        durable.state = .paused
      } else if facts.finishedAt != nil, facts.lastFailure != nil {
        durable.state = .failed
      }
    }
    durable.resumeData?.durable = ByteRangeSet()
  }
}

extension TransferFacts {
  /// How the transfer waits at its date for the decision of its program; nil without such a
  /// decision.
  var waitingBeforeBeginning: TransferMachine.Waiting? {
    guard spec.task?.asksBeforeBeginning == true else { return nil }
    return .forEvent(
      .discretionary, TransferFailure(.conditionUnmet, on: "its program"),
      challenge: ServerChallenge(
        kind: .delayedRequest, origin: spec.url.origin.text, failureCount: 0))
  }

  fileprivate mutating func replaceRequest(with request: ReplacementRequest) {
    spec.source = ChainedURL(given: request.url)
    spec.login = request.login
    spec.headers = request.headers
    spec.options.cookies = request.cookies
    if spec.task?.kind == .upload {
      spec.request?.method = request.content?.method ?? "GET"
    } else {
      spec.request = request.content
    }
  }

  fileprivate var canBeResumed: Bool {
    task?.canBeResumed(resumeData, request: spec.request) ?? false
  }
}

extension TransferSpec {
  /// The finished file is private to its program.
  package var keepsFileForProgram: Bool { task != nil && directory == nil }
}

extension FinishedFile {
  /// The file as a partial file without durable bytes; nil when it is not ours.
  fileprivate var asResumeData: ResumeData? {
    guard let identity else { return nil }
    var resumeData = ResumeData(
      partialPath: path, device: identity.device, inode: identity.inode, durable: ByteRangeSet(),
      totalByteCount: nil, validator: nil,
      finalName: path.split(separator: "/").last.map(String.init) ?? path)
    resumeData.sample = identity.sample
    return resumeData
  }
}

extension WallTime {
  /// How a program removes a date.
  fileprivate var removesDate: Bool { millisecondsSince1970 <= 0 }
}
