import TransferModel

extension TransferMachine {
  /// Actions returned by `slotGiven(…)`.
  package enum SlotAction: Sendable, Hashable {
    /// It was not queued after all.
    case nothing
    case beginAttempt(AttemptPlan)
    case computeDigest(OperationID, ResumeData, Checksum.Algorithm)
    case placeFile(OperationID, ResumeData)
  }

  /// Actions returned by `headReceived(…)`.
  package enum HeadAction: Sendable, Hashable {
    /// The attempt is ending already.
    case nothing
    case openBody(AttemptID, BodyPlan)
    case cancelAttempt(AttemptID)
  }

  /// Actions returned by `bodyOpened(…)`.
  package enum BodyOpenedAction: Sendable, Hashable {
    /// The user was quicker; the attempt is ending, the new partial file is on record.
    case nothing
    case letBodyFlow(AttemptID)
  }

  /// Actions returned by `attemptSettled(…)`.
  package enum SettledAction: Sendable, Hashable {
    case nothing
    case beginAttempt(AttemptPlan)
    case computeDigest(OperationID, ResumeData, Checksum.Algorithm)
    case placeFile(OperationID, ResumeData)
    case discardPartialFile(OperationID, ResumeData)
  }

  /// Starts work: there is a free slot. The names are used where they are needed.
  package mutating func slotGiven(
    attempt: AttemptID, operation: OperationID
  ) -> SlotAction {
    guard state == .queued else { return .nothing }
    if let whole = wholeResumeData {
      switch finish(whole, operation: operation) {
      case .digest(let algorithm): return .computeDigest(operation, whole, algorithm)
      case .place: return .placeFile(operation, record.resumeData ?? whole)
      }
    }
    return .beginAttempt(
      begin(attempt, url: record.spec.url, redirectCount: 0, asked: askedRange()))
  }

  /// Decides what the reply means. The attempt's body waits until then.
  package mutating func headReceived(
    _ head: ResponseHead, of attempt: AttemptID, policy: RetryPolicy, jitter: Double, at now: Moment
  ) -> HeadAction {
    // A head that comes while the attempt is being cancelled tells nothing that matters.
    guard case .running(var running) = state, running.attempt == attempt, running.phase == .asking
    else { return .nothing }
    let judge = ReplyJudge(url: running.url, asked: running.asked, resumeData: record.resumeData)
    let verdict = judge.judge(head, at: now)
    switch verdict {
    case .takeWhole(let total, let validator, let reason):
      if let reason { record.freshStart = reason }
      let plan = wholePlan(head, total: total, validator: validator)
      running.phase = .opening(plan)
      enter(.running(running))
      return .openBody(attempt, plan)
    case .takeRange(let range):
      guard let resumeData = record.resumeData else { return .nothing }
      let plan = BodyPlan.append(resumeData, range: range)
      running.phase = .opening(plan)
      enter(.running(running))
      return .openBody(attempt, plan)
    case .alreadyWhole:
      enter(.ending(attempt, next: .whole))
    case .askAgain(let reason):
      enter(.ending(attempt, next: .askAgain(.fresh(reason))))
    case .redirect(let location):
      enter(.ending(attempt, next: afterRedirect(to: location, from: running)))
    case .wait(let reason, let failure):
      let waiting = Waiting(reason: reason, until: nil, goesOnAt: nil, failure: failure)
      enter(.ending(attempt, next: .waiting(waiting)))
    case .retry(let failure, let after):
      enter(
        .ending(
          attempt,
          next: afterFailure(failure, retryAfter: after, policy: policy, jitter: jitter, at: now)))
    case .fail(let failure):
      enter(.ending(attempt, next: .failed(failure)))
    }
    return .cancelAttempt(attempt)
  }

  /// The partial file is open; from here on the record names it.
  package mutating func bodyOpened(
    _ resumeData: ResumeData, of attempt: AttemptID
  ) -> BodyOpenedAction {
    record.resumeData = resumeData
    guard case .running(var running) = state, running.attempt == attempt else { return .nothing }
    running.phase = .receiving
    enter(.running(running))
    return .letBodyFlow(attempt)
  }

  /// The partial file could not be opened or made; the attempt is to be cancelled.
  package mutating func bodyRefused(
    _ failure: TransferFailure, of attempt: AttemptID, policy: RetryPolicy, at now: Moment
  ) -> HeadAction {
    guard case .running(let running) = state, running.attempt == attempt else { return .nothing }
    switch failure.code {
    case .partialFileChanged:
      enter(.ending(attempt, next: .askAgain(.fresh(.partialFileChanged))))
    case .nameTaken where record.spec.onConflict == .skip:
      enter(.ending(attempt, next: .alreadyThere(path: failure.subject)))
    default:
      enter(.ending(attempt, next: afterFileFailure(failure, policy: policy, at: now)))
    }
    return .cancelAttempt(attempt)
  }

  /// More of the body is on the disk: it may go on record.
  package mutating func bytesSynced(_ held: HeldRanges, of attempt: AttemptID) {
    guard self.attempt == attempt, record.resumeData != nil else { return }
    if held.byteCount > (record.resumeData?.held.byteCount ?? 0) { record.retryCount = 0 }
    record.resumeData?.held = held
  }

  /// The attempt is over and everything it brought is on the disk.
  package mutating func attemptSettled(
    _ attempt: AttemptID, _ end: SettledEnd, next names: NextNames, policy: RetryPolicy,
    jitter: Double, at now: Moment
  ) -> SettledAction {
    switch state {
    case .ending(attempt, let next):
      return settle(into: next, names: names, at: now)
    case .running(let running) where running.attempt == attempt:
      let next = afterEnd(end, policy: policy, jitter: jitter, at: now)
      return settle(into: next, names: names, at: now)
    case .idle, .scheduled, .queued, .running, .ending, .waiting, .paused, .verifying, .discarding,
      .placing, .completed, .failed, .removed:
      return .nothing
    }
  }

  private mutating func settle(
    into next: AfterEnding, names: NextNames, at now: Moment
  ) -> SettledAction {
    switch next {
    case .queued: enter(.queued)
    case .paused: enter(.paused)
    case .waiting(let waiting): enter(.waiting(waiting))
    case .failed(let failure):
      record.finishedAt = now.wall
      enter(.failed(failure))
    case .idle: return settleDiscarding(names.operation, next: .idle)
    case .removed: return settleDiscarding(names.operation, next: .removed)
    case .alreadyThere(let path):
      record.finishedFile = FinishedFile(path: path, identity: nil)
      record.finishedAt = now.wall
      enter(.completed)
    case .whole: return settleWhole(operation: names.operation)
    case .askAgain(.following(let url, let redirectCount)):
      return .beginAttempt(
        begin(names.attempt, url: url, redirectCount: redirectCount, asked: askedRange()))
    case .askAgain(.fresh(let reason)):
      return settleFresh(reason, names: names)
    }
    return .nothing
  }

  private mutating func settleWhole(operation: OperationID) -> SettledAction {
    guard var resumeData = record.resumeData else {
      enter(.failed(TransferFailure(.internalProblem, on: record.spec.url.text)))
      return .nothing
    }
    resumeData.totalByteCount = resumeData.held.prefixByteCount
    record.resumeData = resumeData
    switch finish(resumeData, operation: operation) {
    case .digest(let algorithm): return .computeDigest(operation, resumeData, algorithm)
    case .place: return .placeFile(operation, record.resumeData ?? resumeData)
    }
  }

  private mutating func settleFresh(
    _ reason: FreshStartReason, names: NextNames
  ) -> SettledAction {
    let isForeign = reason == .partialFileChanged
    let old = record.resumeData
    if old != nil { record.freshStart = reason }
    switch reason {
    case .asked: return settleDiscarding(names.operation, next: .queued)
    case .resourceChanged, .rangeIgnored, .noValidator, .partialFileChanged:
      // A partial file that others changed is theirs; it stays where it is.
      if isForeign { record.resumeData = nil }
      return .beginAttempt(
        begin(names.attempt, url: record.spec.url, redirectCount: 0, asked: nil))
    }
  }

  private mutating func settleDiscarding(
    _ operation: OperationID, next: AfterDiscarding
  ) -> SettledAction {
    guard let resumeData = record.resumeData else {
      forgetProgress()
      enter(next.state)
      return .nothing
    }
    enter(.discarding(operation, next: next))
    return .discardPartialFile(operation, resumeData)
  }

  private mutating func begin(
    _ attempt: AttemptID, url: TransferURL, redirectCount: Int, asked: AskedRange?
  ) -> AttemptPlan {
    enter(
      .running(
        Running(
          attempt: attempt, url: url, redirectCount: redirectCount, asked: asked, phase: .asking)))
    return AttemptPlan(attempt: attempt, url: url, asked: asked, spec: record.spec)
  }

  /// The range to ask for. Without a strong validator nothing tells whether the rest belongs to
  /// the bytes that are held, so the file is asked for from zero, and the record says why.
  private mutating func askedRange() -> AskedRange? {
    guard let resumeData = record.resumeData else { return nil }
    let offset = resumeData.held.prefixByteCount
    guard offset > 0 else { return nil }
    guard let validator = resumeData.validator?.strongValue else {
      record.freshStart = .noValidator
      return nil
    }
    return AskedRange(offset: offset, ifRange: validator)
  }

  private mutating func wholePlan(
    _ head: ResponseHead, total: Int64?, validator: Validator?
  ) -> BodyPlan {
    if var resumeData = record.resumeData {
      // Given up on record before they are overwritten: the record never claims too much.
      resumeData.held = HeldRanges()
      resumeData.totalByteCount = total
      resumeData.validator = validator
      record.resumeData = resumeData
      return .rewrite(resumeData)
    }
    let name = FileName.chosen(
      userGiven: record.spec.name, contentDisposition: head.value(of: "Content-Disposition"),
      url: record.spec.url)
    return .create(preferredName: name, total: total, validator: validator)
  }
}

/// What an attempt shall ask for, with only those headers that may go to that origin.
package struct AttemptPlan: Sendable, Hashable {
  package var attempt: AttemptID
  package var url: TransferURL
  package var headers: [HeaderField]
  package var login: Login?
  package var caCertificatePath: String?
  package var limitBytesPerSecond: Int64?

  init(attempt: AttemptID, url: TransferURL, asked: AskedRange?, spec: TransferSpec) {
    self.attempt = attempt
    self.url = url
    // What the user gave was given for one origin; a redirect elsewhere goes without it.
    let isOwnOrigin = url.origin == spec.url.origin
    headers = isOwnOrigin ? spec.headers : []
    login = isOwnOrigin ? spec.login : nil
    caCertificatePath = spec.caCertificatePath
    limitBytesPerSecond = spec.limitBytesPerSecond
    if let asked {
      headers.removeAll { ["range", "if-range"].contains($0.name.lowercased()) }
      headers.append(HeaderField(received: "Range", "bytes=\(asked.offset)-"))
      headers.append(HeaderField(received: "If-Range", asked.ifRange))
    }
  }
}

/// How an attempt was over, with its bytes already kept.
package enum SettledEnd: Sendable, Hashable {
  case complete
  case cancelled
  case failed(TransferFailure)
}

/// Names for what the answer may begin.
package struct NextNames: Sendable, Hashable {
  package var attempt: AttemptID
  package var operation: OperationID

  package init(attempt: AttemptID, operation: OperationID) {
    self.attempt = attempt
    self.operation = operation
  }
}
