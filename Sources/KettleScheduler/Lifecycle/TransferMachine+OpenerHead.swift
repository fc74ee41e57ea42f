import KettleModel

/// The reply to the first attempt of a run.
extension TransferMachine {
  /// Actions returned by `headReceived(…)` and `bodyRefused(…)`.
  package enum HeadAction: Sendable, Hashable {
    /// The attempt is already ending.
    case nothing
    case openBody(AttemptID, BodyPlan)
    /// The partial file is open; the body is this range.
    case acceptBody(AttemptID, ByteRange, Shortening?)
    case cancelAttempts([AttemptID], HostTable.Lesson?)
  }

  /// Decides what a reply means. The attempt's body waits until then.
  ///
  /// - Parameter reach: the reach of the server that sent it.
  package mutating func headReceived(
    _ head: ResponseHead, from reach: NetworkReach, of attempt: AttemptID,
    _ circumstances: Circumstances
  ) -> HeadAction {
    // A head that arrives during cancellation is irrelevant.
    guard case .running(var fetch) = state, let index = fetch.index(of: attempt),
      fetch.lanes[index].phase == .asking
    else { return .nothing }
    let lane = fetch.lanes[index]
    if fetch.body == .closed, let challenge = loginChallenge(in: head, from: lane.url) {
      let failure = TransferFailure(.loginNeeded, on: lane.url.text, detail: "\(head.status)")
      if let next = asksProgram(challenge, because: failure) { return cancelAll(next: next) }
    }
    let judge = ResponseClassifier(
      url: lane.url, asked: lane.asked,
      // What the first connection requested does not matter to those that join it.
      asking: fetch.body == .closed ? fetch.asking : .goingOn, resumeData: record.resumeData,
      content: lane.content, acceptance: acceptance,
      challengePolicy: fetch.body == .closed ? challengePolicy(of: head) : .ask)
    let verdict = judge.judge(head, at: circumstances.now)
    switch fetch.body {
    case .closed:
      return openerHeadReceived(verdict, head, from: reach, &fetch, index, circumstances)
    case .open: return laneHeadReceived(verdict, head, from: reach, &fetch, index, circumstances)
    case .opening, .opened: return .nothing
    }
  }

  private mutating func openerHeadReceived(
    _ verdict: ResponseClassifier.Verdict, _ head: ResponseHead, from reach: NetworkReach,
    _ fetch: inout Fetch, _ index: Int, _ circumstances: Circumstances
  ) -> HeadAction {
    let lane = fetch.lanes[index]
    // Its bytes count only at its end, all or none, so nothing may be written beside it.
    if head.hasTransferCoding { fetch.splitting = .refused }
    switch verdict {
    case .takeWhole(let whole):
      noteReply(head, from: lane.url)
      let plan = plan(for: whole, head)
      let total = whole.facts.total ?? knownTotal(for: whole.use)
      let range = total.flatMap { ByteRange(lower: 0, upper: $0) }
      noteFreshStart()
      if case .instead = whole.use { fetch.received = ByteRangeSet() }
      if isRangeless(head, whole.use) { fetch.splitting = .refused }
      return open(plan, range, &fetch, index, circumstances)
    case .takeRange(let range, let facts):
      guard var resumeData = record.resumeData else { return .nothing }
      wrongRangeReplyCount = 0
      resumeData.totalByteCount = resumeData.totalByteCount ?? facts.total
      noteReply(toRangeOf: resumeData.totalByteCount, head, from: lane.url)
      resumeData.serverChecksum = resumeData.serverChecksum ?? facts.checksum
      switch lane.asked?.proof {
      case .overlap?: fetch.splitting = .refused
      // The new link has the old link's validator: it is certainly the same file.
      case .ifRange?: if facts.validator != nil { resumeData.validatorURL = nil }
      case .sameValidator?, nil: break
      }
      return open(.goOn(resumeData), range, &fetch, index, circumstances)
    case .alreadyWhole:
      if let held = record.resumeData?.held.prefixByteCount { noteResumed(at: held) }
      return cancelAll(next: .whole)
    case .askAgain(let asking):
      return cancelAll(next: asksAgain(asking))
    case .redirect(let location):
      return cancelAll(next: afterRedirect(head, from: reach, to: location, of: lane, fetch))
    case .wait(let reason, let failure):
      return cancelAll(
        next: .waiting(Waiting(reason: reason, until: nil, goesOnAt: nil, failure: failure)))
    case .retry(let failure, let after):
      return openerRefused(head, failure, after, of: lane, circumstances)
    case .fail(let failure):
      noteReply(head, from: lane.url)
      return cancelAll(next: .failed(failure))
    }
  }

  /// The host may accept no more connections than it has; then this transfer is queued again.
  private mutating func openerRefused(
    _ head: ResponseHead, _ failure: TransferFailure, _ after: RetryAfter?, of lane: Lane,
    _ circumstances: Circumstances
  ) -> HeadAction {
    if failure.code == .rangeReplyWrong { wrongRangeReplyCount += 1 }
    var lesson = HostTable.Lesson(
      origin: lane.url.origin, closedMilliseconds: after?.boundedMilliseconds)
    if failure.isRefusal, after == nil, mayTeach(circumstances) {
      teachingCount += 1
      lesson.connectionsMax = circumstances.otherConnectionCount
      return cancelAll(next: .queued, lesson)
    }
    let next = afterFailure(failure, retryAfter: after, circumstances)
    if case .failed = next { noteReply(head, from: lane.url) }
    return cancelAll(next: next, lesson)
  }

  /// Whether a refusal limits the host. Beside other connections it concerns their number; a
  /// repeated one concerns this transfer.
  func mayTeach(_ circumstances: Circumstances) -> Bool {
    circumstances.otherConnectionCount > 0 && teachingCount < Self.teachingCountMax
  }

  mutating func cancelAll(next: AfterEnding, _ lesson: HostTable.Lesson? = nil) -> HeadAction {
    guard case .running(let fetch) = state else { return .nothing }
    let attempts = fetch.attempts
    let live = fetch.activeAttempts
    enter(.ending(.attempts(Set(attempts)), next: next))
    return .cancelAttempts(live, lesson)
  }

  private mutating func open(
    _ plan: BodyPlan, _ range: ByteRange?, _ fetch: inout Fetch, _ index: Int,
    _ circumstances: Circumstances
  ) -> HeadAction {
    fetch.body = .opening(plan)
    fetch.lanes[index].flow(range, at: circumstances.now.monotonic)
    fetch.sendLanes(after: fetch.lanes[index])
    let attempt = fetch.lanes[index].attempt
    enter(.running(fetch))
    return .openBody(attempt, plan)
  }

  private func knownTotal(for use: ResponseClassifier.Whole.Use) -> Int64? {
    if case .compared = use { record.resumeData?.totalByteCount } else { nil }
  }

  private func isRangeless(_ head: ResponseHead, _ use: ResponseClassifier.Whole.Use) -> Bool {
    if case .compared = use { return true }
    return head.value(of: "Accept-Ranges")?.trimmed.lowercased() == "none"
  }

  /// Decides where a whole body goes, and records why durable bytes are fetched again.
  private mutating func plan(for whole: ResponseClassifier.Whole, _ head: ResponseHead) -> BodyPlan
  {
    let facts = whole.facts
    switch (whole.use, record.resumeData) {
    case (.compared(let reason), .some(var resumeData)):
      record.freshStart = reason
      resumeData.totalByteCount = resumeData.totalByteCount ?? facts.total
      return .goOn(resumeData)
    case (.instead(let reason), .some(let resumeData)):
      record.freshStart = reason
      let fate: BodyPlan.Old.Fate = reason == .partialFileChanged ? .leftAlone : .setAside
      return .create(
        newFile(resumeData.finalName, facts, old: .init(resumeData: resumeData, fate: fate)))
    case (.new, .some(let resumeData)) where resumeData.held.isEmpty:
      // Created by an attempt without bytes: the file exists and is empty according to the record.
      return .goOn(emptied(resumeData, facts))
    case (.new, _), (.compared, nil), (.instead, nil):
      let name = FileName.chosen(
        userGiven: record.spec.name, contentDisposition: head.value(of: "Content-Disposition"),
        url: record.spec.url)
      return .create(newFile(name, facts, old: nil))
    }
  }

  private func emptied(_ resumeData: ResumeData, _ facts: ResponseClassifier.Facts) -> ResumeData {
    var resumeData = resumeData
    resumeData.totalByteCount = facts.total
    resumeData.validator = facts.validator
    resumeData.validatorURL = nil
    resumeData.serverChecksum = facts.checksum
    resumeData.mediaType = facts.mediaType
    return resumeData
  }

  private func newFile(
    _ name: String, _ facts: ResponseClassifier.Facts, old: BodyPlan.Old?
  ) -> BodyPlan.NewFile {
    BodyPlan.NewFile(
      preferredName: name, total: facts.total, validator: facts.validator,
      checksum: facts.checksum, mediaType: facts.mediaType, old: old)
  }
}
