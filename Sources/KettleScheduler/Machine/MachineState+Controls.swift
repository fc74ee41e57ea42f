import KettleModel

/// The user's controls: what each of them means in each state.
extension TransferMachine.State {
  /// Queues the transfer from any state. A waiting transfer is retried at once, and one that waits
  /// for a condition continues without it.
  func start(_ facts: inout TransferFacts, at now: Moment) -> Transition {
    facts.repetitions = RepetitionCounts()
    facts.mirrors.forgetFailures()
    if visible == .failed { facts.finishedAt = nil }
    if waitsForCondition { facts.spec.task?.conditions = [] }
    if isAtRest, facts.hasPageInstead, facts.wholeResumeData != nil { facts.discardPage() }
    switch self {
    case .idle, .paused:
      facts.retryCount = 0
      return .entering(facts.scheduledStart(at: now) ?? .queued)
    case .scheduled, .failed, .waiting:
      facts.retryCount = 0
      return .entering(.queued)
    case .ending(let phase, next: .paused), .ending(let phase, next: .waiting),
      .ending(let phase, next: .failed):
      facts.retryCount = 0
      return .entering(.ending(phase, next: .queued))
    case .ending(let phase, next: .idle):
      // The partial file still exists. To the user, the stop discarded it, so the start that
      // follows begins from zero.
      return .entering(.ending(phase, next: .queuedFromZero))
    case .discarding(let operation, next: .idle), .discarding(let operation, next: .failed):
      return .entering(.discarding(operation, next: .queued))
    case .queued, .running, .verifying, .placing, .removed, .discarding(_, next: .queued),
      .discarding(_, next: .removed), .ending(_, next: .queued), .ending(_, next: .request),
      .ending(_, next: .nextSegment), .ending(_, next: .whole), .ending(_, next: .alreadyThere),
      .ending(_, next: .removed), .ending(_, next: .queuedFromZero), .ending(_, next: .cancelled):
      return .none
    case .completed:
      return .refused(.completed)
    }
  }

  /// Pauses the transfer until it is started, with every byte kept.
  ///
  /// - Parameter keepsBytes: whether the next attempt can use them.
  func pause(keepsBytes: Bool) -> Transition {
    switch self {
    case .queued, .scheduled, .waiting, .verifying:
      return .entering(.paused)
    case .running(let download): return .ending(download, next: .paused)
    case .ending(let phase, next: .queued), .ending(let phase, next: .waiting),
      .ending(let phase, next: .request), .ending(let phase, next: .nextSegment),
      .ending(let phase, next: .alreadyThere):
      return .entering(.ending(phase, next: .paused))
    case .ending(let phase, next: .whole):
      // An upload had its whole response; sending it again would be another request.
      return keepsBytes ? .entering(.ending(phase, next: .paused)) : .none
    case .ending(let phase, next: .queuedFromZero):
      return .entering(.ending(phase, next: .idle))
    case .discarding(let operation, next: .queued):
      return .entering(.discarding(operation, next: .idle))
    case .paused, .placing, .removed, .failed, .discarding(_, next: .failed),
      .discarding(_, next: .removed), .ending(_, next: .paused), .ending(_, next: .removed),
      .ending(_, next: .failed), .ending(_, next: .cancelled):
      return .none
    case .idle, .ending(_, next: .idle), .discarding(_, next: .idle):
      return .refused(.notStarted)
    case .completed:
      return .refused(.completed)
    }
  }

  /// Discards the fetched bytes and returns to idle.
  func stop(_ facts: inout TransferFacts, _ operation: OperationID) -> Transition {
    switch self {
    case .running(let download): return .ending(download, next: .idle)
    case .ending(_, next: .removed), .discarding(_, next: .removed), .removed, .placing:
      return .none
    case .ending(let phase, _): return .entering(.ending(phase, next: .idle))
    case .discarding(let underWay, _): return .entering(.discarding(underWay, next: .idle))
    case .idle, .scheduled, .queued, .waiting, .paused, .verifying, .failed:
      return Finishing(operation).discard(&facts, next: .idle)
    case .completed:
      return .refused(.completed)
    }
  }

  /// Removes the transfer from the list.
  func remove(
    _ facts: inout TransferFacts, file fate: TransferMachine.FileFate, _ operation: OperationID
  ) -> Transition {
    switch self {
    case .running(let download): return .ending(download, next: .removed)
    case .ending(let phase, _): return .entering(.ending(phase, next: .removed))
    case .discarding(let underWay, _): return .entering(.discarding(underWay, next: .removed))
    case .placing(let underWay, _):
      return .entering(.placing(underWay, next: .removed(withFile: fate)))
    case .completed:
      guard fate == .goes, let file = facts.ownFinishedFile else { return .entering(.removed) }
      return .entering(.removed, [.discardFinishedFile(facts.id, file, binAction: facts.binAction)])
    case .idle, .scheduled, .queued, .waiting, .paused, .verifying, .failed:
      return Finishing(operation).discard(&facts, next: .removed)
    case .removed:
      return .none
    }
  }

  /// Returns to idle as if never started. The finished file is deleted.
  func reset(_ facts: inout TransferFacts, _ operation: OperationID) -> Transition {
    guard case .completed = self else { return stop(&facts, operation) }
    let (file, binAction) = (facts.ownFinishedFile, facts.binAction)
    facts.forgetProgress()
    let actions = file.map {
      [TransferAction.discardFinishedFile(facts.id, $0, binAction: binAction)]
    }
    return .entering(.idle, actions ?? [])
  }

  /// Ends the attempt, so that it continues with the next slot. Decisions of the user remain in
  /// force.
  func suspend() -> Transition {
    switch self {
    case .running(let download): .ending(download, next: .queued)
    case .ending(let phase, next: .request): .entering(.ending(phase, next: .queued))
    case .idle, .scheduled, .queued, .ending, .waiting, .paused, .verifying, .discarding, .placing,
      .completed, .failed, .removed:
      .none
    }
  }

  /// Replaces the link and queues the transfer. Durable bytes stay: the bytes themselves must prove
  /// that the new link leads to the same file.
  func relink(
    _ facts: inout TransferFacts, to url: TransferURL, login: Login?,
    broughtBy request: TransferSpec?, at now: Moment
  ) -> Transition {
    let link = ChainedURL(given: url)
    switch self {
    case .completed: return .refused(.completed)
    case .verifying, .placing, .removed, .discarding(_, next: .removed),
      .ending(_, next: .removed), .ending(_, next: .whole), .ending(_, next: .alreadyThere):
      return .none
    case .running(let download):
      facts.replaceLink(with: link, login: login, broughtBy: request)
      facts.retryCount = 0
      return .ending(download, next: .queued)
    case .ending(let phase, next: .request):
      facts.replaceLink(with: link, login: login, broughtBy: request)
      facts.repetitions = RepetitionCounts()
      return .entering(.ending(phase, next: .queued))
    case .idle, .scheduled, .queued, .ending, .waiting, .paused, .discarding, .failed:
      facts.replaceLink(with: link, login: login, broughtBy: request)
      return start(&facts, at: now)
    }
  }
}

// MARK: Time, network and conditions

extension TransferMachine.State {
  /// Continues what was to continue now.
  func timePassed(_ facts: inout TransferFacts, at now: Moment) -> Transition {
    switch self {
    case .scheduled(let date) where date <= now.wall:
      return .entering(facts.waitingBeforeBeginning.map { .waiting($0) } ?? .queued)
    case .waiting(let waiting):
      guard let until = waiting.until, until <= now.monotonic else { return .none }
      facts.retryCount += waiting.countsAsRetry ? 1 : 0
      return .entering(.queued)
    case .running(var download):
      download.pacing.endPause(at: now.monotonic)
      return .entering(.running(download))
    case .idle, .scheduled, .queued, .ending, .paused, .verifying, .discarding, .placing,
      .completed, .failed, .removed:
      return .none
    }
  }

  /// Continues at once if the transfer waits for the network, or was interrupted by its loss.
  func networkReturned() -> Transition {
    switch self {
    case .waiting(let waiting) where waiting.isForNetwork: .entering(.queued)
    case .ending(let phase, next: .waiting(let waiting)) where waiting.isForNetwork:
      .entering(.ending(phase, next: .queued))
    case .idle, .scheduled, .queued, .running, .ending, .waiting, .paused, .verifying, .discarding,
      .placing, .completed, .failed, .removed:
      .none
    }
  }

  /// A running transfer ends with its bytes kept, which is no failure; a waiting one continues.
  ///
  /// - Parameter condition: the first unmet condition; nil when all are met.
  func conditionsChanged(_ facts: TransferFacts, unmet condition: TransferCondition?) -> Transition
  {
    guard let condition else { return conditionsMet() }
    let waiting = TransferMachine.Waiting.discretionary(condition)
    switch self {
    case .waiting where waitsForCondition: return .entering(.waiting(waiting))
    case .ending(let phase, next: .waiting) where waitsForCondition:
      return .entering(.ending(phase, next: .waiting(waiting)))
    case .ending(let phase, next: .queued), .ending(let phase, next: .request):
      return .entering(.ending(phase, next: .waiting(waiting)))
    case .running(let download): return .ending(download, next: .waiting(waiting))
    case .queued: return holdBack(facts, for: condition)
    case .idle, .scheduled, .ending, .waiting, .paused, .verifying, .discarding, .placing,
      .completed, .failed, .removed:
      return .none
    }
  }

  private func conditionsMet() -> Transition {
    switch self {
    case .waiting where waitsForCondition: .entering(.queued)
    case .ending(let phase, next: .waiting) where waitsForCondition:
      .entering(.ending(phase, next: .queued))
    case .idle, .scheduled, .queued, .running, .ending, .waiting, .paused, .verifying, .discarding,
      .placing, .completed, .failed, .removed:
      .none
    }
  }

  /// A queued transfer waits for a condition that is not met. A whole file needs no condition.
  func holdBack(_ facts: TransferFacts, for condition: TransferCondition) -> Transition {
    guard case .queued = self, facts.wholeResumeData == nil else { return .none }
    return .entering(.waiting(.discretionary(condition)))
  }
}

extension TransferFacts {
  /// The finished file that a removal may discard. The directory of a collection is its members'.
  fileprivate var ownFinishedFile: FinishedFile? {
    spec.options.collection == nil ? finishedFile : nil
  }

  /// A resumed task does not start before its date; a second start overrides the date.
  func scheduledStart(at now: Moment) -> TransferMachine.State? {
    guard isTask, let date = spec.notBefore, date > now.wall else { return nil }
    return .scheduled(until: date)
  }

  /// The headers and login were given for the old link's origin; another origin does not get them.
  ///
  /// - Parameter request: that of the browser which brought the link; nil if another one did.
  mutating func replaceLink(
    with source: ChainedURL, login: Login?, broughtBy request: TransferSpec? = nil
  ) {
    let old = spec.url
    let url = source.url
    if old.origin != url.origin {
      spec.headers = []
      spec.login = nil
      spec.options.certificate = nil
    }
    if let login {
      spec.login = login
      // The program's login for this origin must not override the user's.
      if spec.task?.credential(for: url.origin) != nil {
        spec.task?.changeCredential(for: url.origin.text) { $0.login = nil }
      }
    }
    spec.source = source
    if old != url { taskStatus?.uploadResumption = nil }
    description = .none
    playlist = nil
    if old != url, resumeData?.validatorURL == nil { resumeData?.validatorURL = old.text }
    spec.options.page?.hasFreshLink = nil
    if let request { takeBrowserParts(of: request) }
  }

  /// Takes what the server has to see with a link that a browser brought.
  private mutating func takeBrowserParts(of request: TransferSpec) {
    let names = Set(request.headers.map { $0.name.lowercased() })
    spec.headers = spec.headers.filter { !names.contains($0.name.lowercased()) } + request.headers
    spec.options.cookies = request.options.cookies
    spec.options.page = request.options.page
    spec.options.page?.hasFreshLink = true
  }
}
