import KettleModel

/// The response to the primary connection, which shows what the file is.
extension ActiveDownload {
  /// What follows for a running download.
  struct Step: Sendable {
    /// Set when all attempts are to end.
    var next: TransferMachine.AfterEnding?
    var actions: [TransferAction] = []
    var hostHint: HostLimitHint?

    static let none = Step()

    static func end(
      _ next: TransferMachine.AfterEnding, _ hostHint: HostLimitHint? = nil
    ) -> Step {
      Step(next: next, hostHint: hostHint)
    }
  }

  /// A response head, and where it came from.
  struct Response: Sendable {
    var head: ResponseHead
    /// The reach of the server that sent it.
    var reach: NetworkReach
    var attempt: AttemptID
    /// How long a packet takes to the server and back; nil when unknown.
    var roundTripMilliseconds: Int64?
    /// Whether it came over HTTP/2.
    var isStream = false
  }

  /// Begins the first attempt of a run: the one that opens the partial file.
  static func begin(
    _ request: NextRequest, attempt: AttemptID, _ facts: inout TransferFacts, at now: Moment
  ) -> Transition {
    if !request.purpose.isFile { return beginOther(request, attempt: attempt, &facts, at: now) }
    let keepsBytes = if case .fresh = request.mode { false } else { true }
    facts.mirrors.beginRun(
      keepsBytes: keepsBytes && facts.resumeData?.durable.isEmpty == false,
      isProvedByPieces: facts.isProvedByPieces)
    facts.offer = nil
    let requested =
      RequestedRange(
        resuming: facts.resumeData, mode: request.mode, kinship: facts.kinship(of: request.url),
        form: facts.repetitions.rangeForm, isProvedByPieces: facts.isProvedByPieces)
      ?? (request.content == nil && facts.repetitions.requestsAllAsRange ? .all : nil)
    var primary = DownloadConnection(
      attempt: attempt, url: request.url, redirects: request.redirects, requested: requested,
      range: nil, at: now.monotonic)
    primary.content = request.content
    primary.source = facts.mirrors.opener
    primary.streamUse = request.streamUse
    facts.taskStatus?.sentByteCount = request.content?.rest?.offset ?? 0
    let download = ActiveDownload(
      primary: primary, mode: request.mode, purpose: request.purpose, check: request.check,
      received: facts.resumeData?.durable ?? ByteRangeSet())
    var plan = AttemptPlan(
      attempt: attempt, url: request.url, redirects: request.redirects, requested: requested,
      content: request.content, check: request.check, purpose: request.purpose, facts: facts)
    if request.purpose == .file { facts.queuedMode = nil }
    plan.streamUse = request.streamUse
    return .entering(.running(download), [.beginAttempt(facts.id, plan)])
  }

  /// Decides what a response means. The attempt's body waits until then.
  mutating func receive(
    _ response: Response, _ facts: inout TransferFacts, in context: DecisionContext
  ) -> Step {
    // A head that arrives during cancellation is irrelevant.
    guard let index = index(of: response.attempt), connections[index].phase == .requesting else {
      return .none
    }
    recordRoundTrip(milliseconds: response.roundTripMilliseconds)
    switch body {
    case .closed where !purpose.isFile: return receiveOther(response, &facts, in: context)
    case .closed:
      let origin = connections[index].url.origin
      let step = receivePrimary(response, &facts, in: context)
      return failingOver(step, from: origin, &facts, in: context)
    case .open: return receiveAdditional(response, at: index, &facts, in: context)
    case .opening, .opened, .document: return .none
    }
  }

  private mutating func receivePrimary(
    _ response: Response, _ facts: inout TransferFacts, in context: DecisionContext
  ) -> Step {
    guard let primary = connection(of: response.attempt) else { return .none }
    if let step = leavingStream(of: primary, because: response, &facts) { return step }
    let head = response.head
    if let challenge = facts.task?.loginChallenge(in: head, from: primary.url) {
      let failure = TransferFailure.loginNeeded(on: primary.url, status: head.status, user: nil)
      return .end(.waiting(.forEvent(.needsLogin, failure, challenge: challenge)))
    }
    if let next = facts.afterUploadRefused(head, purpose) { return .end(next) }
    let classifier = ResponseClassifier(
      url: primary.url, requested: primary.requested, mode: mode,
      resumeData: facts.resumeData, kinship: facts.kinship(of: primary.url),
      content: primary.content, acceptance: facts.acceptance,
      challengePolicy: facts.isTask && head.status == 401 ? .takeReplyAsItStands : .ask,
      user: facts.requestSpec.login(for: primary.url.origin)?.user)
    // Its bytes count only at its end, all or none, so nothing may be written beside it.
    if head.countsOnlyAtItsEnd { splitting = .refused }
    let verdict = classifier.classify(head, at: context.now)
    if !verdict.keepsBytes || verdict == .requestAgain(.comparing),
      let original = facts.leavingAnsweringURL(mode)
    {
      // The URL of the user decides whether the file has changed.
      return .end(original)
    }
    switch verdict {
    case .acceptWhole(let whole): return acceptWhole(whole, of: response, &facts, in: context)
    case .acceptRange(let range, let details):
      return acceptRange(range, with: details, of: response, &facts, in: context)
    case .alreadyWhole:
      if let durable = facts.resumeData?.durable.byteCount {
        facts.task?.recordResumption(at: durable)
      }
      return .end(.whole)
    case .requestAgain(let mode): return .end(facts.requestingAgain(mode))
    case .redirect(let location): return redirect(primary, to: location, by: response, &facts)
    case .wait(let reason, let failure): return .end(.waiting(.forEvent(reason, failure)))
    case .retry(let failure, let after):
      return primaryRefused(response, because: failure, retryAfter: after, &facts, in: context)
    case .requestAsRange:
      facts.repetitions.recordPartUnasked()
      return .end(facts.requesting(mode))
    case .refused(let failure): return refused(response, because: failure, &facts, in: context)
    case .fail(let failure):
      if let next = facts.afterMissingFile(failure, status: head.status, in: context) {
        return .end(next)
      }
      facts.recordReply(head, from: primary.url)
      return .end(.failed(failure))
    }
  }

  // MARK: Acceptance

  mutating func acceptWhole(
    _ whole: ResponseClassifier.Whole, of response: Response, _ facts: inout TransferFacts,
    in context: DecisionContext
  ) -> Step {
    guard let primary = connection(of: response.attempt) else { return .none }
    if facts.recordDescription(response.head) { return .end(.request(facts.firstRequest)) }
    if let failure = facts.refusingOtherThanPage(response.head, from: primary.url) {
      return primaryRefused(response, because: failure, retryAfter: nil, &facts, in: context)
    }
    if let failure = facts.refusingSize(whole.facts, at: primary.url) {
      return .end(facts.afterOtherSize(failure))
    }
    var whole = whole
    whole.facts.total = whole.facts.total ?? facts.describedByteCount(of: whole.facts)
    facts.recordReply(response.head, from: primary.url)
    facts.addMirrors(response.head, from: primary, reach: response.reach)
    let plan = facts.plan(for: whole, response.head, from: primary.url)
    let ruled = facts.applyRules(to: plan, type: whole.facts.mediaType, in: context)
    // The server sends everything: the resume data was not used and will not be.
    facts.spec.task?.resumes = nil
    var total = whole.facts.total
    switch whole.use {
    case .new: break
    case .compared:
      facts.withdrawValidatorOfUnknownSize(by: primary)
      total = total ?? facts.resumeData?.totalByteCount
      splitting = .refused
      awaitProof(of: whole.facts.validator, by: primary, &facts)
    case .instead: received = ByteRangeSet()
    }
    if response.head.value(of: "Accept-Ranges")?.trimmed.lowercased() == "none" {
      splitting = .refused
    }
    facts.repetitions.recordWholeReply()
    let range = (whole.endOfBeginning ?? total).flatMap { ByteRange(lower: 0, upper: $0) }
    var step = open(plan, range, by: response.attempt, of: facts.id, at: context.now)
    step.actions += ruled
    return step
  }

  private mutating func acceptRange(
    _ range: ByteRange, with details: ResponseClassifier.FileFacts, of response: Response,
    _ facts: inout TransferFacts, in context: DecisionContext
  ) -> Step {
    guard let primary = connection(of: response.attempt) else { return .none }
    if let failure = facts.refusingSize(details, at: primary.url) {
      return .end(facts.afterOtherSize(failure))
    }
    facts.withdrawValidatorOfUnknownSize(by: primary)
    guard var resumeData = facts.resumeData else { return .none }
    facts.repetitions.recordRightRangeReply()
    facts.addMirrors(response.head, from: primary, reach: response.reach)
    resumeData.totalByteCount = resumeData.totalByteCount ?? details.total
    facts.recordReply(
      toRangeOf: resumeData.totalByteCount, response.head, from: primary.url)
    resumeData.serverChecksum = resumeData.serverChecksum ?? details.checksum
    switch primary.requested?.proof {
    case .overlap?:
      if splitting == .allowed { splitting = .awaitingProof }
      awaitProof(of: details.validator, by: primary, &facts)
      resumeData.isProvedByBytes = true
    // The same server, but its redirects may have named another link.
    case .ifRange?, .sameValidator?: resumeData.answer = ChainedURL(answering: primary)
    // No claim about one ETag can be made any more.
    case .pieces?: resumeData.isProvedByBytes = true
    case .mirror?, .wholeFile?, nil: break
    }
    return open(.goOn(resumeData), range, by: response.attempt, of: facts.id, at: context.now)
  }

  /// The present bytes are compared with those of a response. If it comes from another server, that
  /// one's validator counts afterwards, and so it may serve several parts then.
  private mutating func awaitProof(
    of validator: Validator?, by primary: DownloadConnection, _ facts: inout TransferFacts
  ) {
    if facts.kinship(of: primary.url) != .sameURL { facts.recordOffer(validator, by: primary) }
    if splitting == .awaitingProof, facts.offer == nil { splitting = .refused }
  }

  mutating func open(
    _ plan: BodyPlan, _ range: ByteRange?, by attempt: AttemptID, of id: TransferID,
    at now: Moment
  ) -> Step {
    guard let index = index(of: attempt) else { return .none }
    body = .opening(plan)
    connections[index].receive(range, at: now.monotonic)
    directAdditional(after: connections[index])
    return Step(actions: [.openBody(id, attempt, plan)])
  }

  // MARK: Refusal

  func redirect(
    _ primary: DownloadConnection, to location: String, by response: Response,
    _ facts: inout TransferFacts
  ) -> Step {
    facts.redirectCookies.receive(response.head, from: primary.url)
    switch RedirectPolicy.decide(
      location: location, from: primary.url, redirectCount: primary.redirects.count)
    {
    case .follow(let url):
      let content = RedirectPolicy.content(primary.content, after: response.head.status)
      return .end(
        .request(
          NextRequest(
            url: url, redirects: primary.redirects.followed(by: response.reach), mode: mode,
            content: content, purpose: purpose.redirected(with: content))))
    case .refuse(let failure):
      facts.recordReply(response.head, from: primary.url)
      return .end(.failed(failure))
    }
  }

  /// The host may accept no more connections than it has; then this transfer is queued again.
  func primaryRefused(
    _ response: Response, because failure: TransferFailure, retryAfter: RetryAfter?,
    _ facts: inout TransferFacts, in context: DecisionContext
  ) -> Step {
    guard let primary = connection(of: response.attempt) else { return .none }
    let url = primary.url
    if failure.code == .rangeReplyWrong,
      facts.repetitions.recordWrongReply(to: primary.requested)
    {
      return .end(facts.requesting(mode))
    }
    var hint = HostLimitHint(
      origin: url.origin,
      status: failure.statusNumber,
      closedMilliseconds: context.retryPolicy.closedMilliseconds(failure, retryAfter))
    if failure.isRefusal, retryAfter == nil, facts.mayBlameHost(in: context) {
      facts.repetitions.recordRefusalBlamedOnHost()
      hint.connectionsMax = context.otherConnectionCount
      hint.status = hint.status ?? response.head.status
      return .end(.queued, hint)
    }
    var next = facts.afterFailure(failure, retryAfter: retryAfter, in: context)
    if let fresh = facts.startingOver(after: failure, insteadOf: next) { return .end(fresh, hint) }
    if case .failed(let failure) = next {
      next = facts.lastWord(on: failure, status: response.head.status)
    }
    if case .failed = next { facts.recordReply(response.head, from: url) }
    return .end(next, hint)
  }

  /// The server refuses a link that has served bytes. Another source is asked first.
  private mutating func refused(
    _ response: Response, because failure: TransferFailure, _ facts: inout TransferFacts,
    in context: DecisionContext
  ) -> Step {
    guard let primary = connection(of: response.attempt) else { return .none }
    let status = response.head.status
    let last = facts.lastWord(on: failure, status: status)
    if let other = facts.failingOver(last, mode: mode, in: context) { return .end(other) }
    let next = facts.afterRefusedLink(
      failure, status: status, isOfRange: primary.requested != nil, in: context)
    if case .failed = next { facts.recordReply(response.head, from: primary.url) }
    return .end(next)
  }
}

extension TransferFacts {
  /// Applies the user's rules to a file that is about to be created, because its name and type are
  /// known now. Returns what that changes for open connections.
  mutating func applyRules(
    to plan: BodyPlan, type: String?, in context: DecisionContext
  ) -> [TransferAction] {
    guard case .create(let new) = plan, new.old == nil else { return [] }
    let before = spec.limitBytesPerSecond
    spec = context.rules.adapted(spec, toName: new.preferredName, type: type)
    if spec.limitBytesPerSecond == before { return [] }
    return [.limit(id, bytesPerSecond: spec.limitBytesPerSecond)]
  }

  /// Which responses count as the file. A program gets whatever its task receives.
  var acceptance: ResponseClassifier.Acceptance {
    if spec.task != nil { return spec.directory == nil ? .any : .success }
    return spec.content == nil ? .file : .success
  }

  /// Another request from the original URL, or the end if the file changes too often.
  mutating func requestingAgain(_ mode: RequestMode) -> TransferMachine.AfterEnding {
    switch mode {
    case .fresh(let reason): startingFresh(because: reason)
    case .resuming, .proving, .comparing: requesting(mode)
    }
  }

  /// Decides where a whole body goes, and records why durable bytes are fetched again.
  fileprivate mutating func plan(
    for whole: ResponseClassifier.Whole, _ head: ResponseHead, from finalURL: TransferURL
  ) -> BodyPlan {
    let details = whole.facts
    switch (whole.use, resumeData) {
    case (.compared(let reason), .some(var resumeData)):
      // What another program has fetched is not fetched again by being compared.
      freshStart = resumeData.hasUnprovedBytes ? nil : reason
      resumeData.totalByteCount = resumeData.totalByteCount ?? details.total
      resumeData.isProvedByBytes = true
      return .goOn(resumeData)
    case (.instead(let said), .some(let resumeData)):
      let reason = blamed(said)
      freshStart = reason
      let fate: BodyPlan.Old.Fate = reason == .partialFileChanged ? .leftAlone : .setAside
      return .create(
        BodyPlan.NewFile(
          named: resumeData.finalName, details, old: .init(resumeData: resumeData, fate: fate)))
    case (.new, .some(var resumeData)) where resumeData.durable.isEmpty:
      // Created by an attempt without bytes: the file exists and is empty according to the record.
      resumeData.totalByteCount = details.total
      resumeData.validator = details.validator
      resumeData.validatorURL = nil
      resumeData.answer = nil
      resumeData.isProvedByBytes = nil
      resumeData.serverChecksum = details.checksum
      resumeData.mediaType = details.mediaType
      resumeData.contentCoding = details.contentCoding
      return .goOn(resumeData)
    case (.new, _), (.compared, nil), (.instead, nil):
      let name = FileName.chosen(
        given: spec.name, contentDisposition: head.value(of: "Content-Disposition"),
        url: spec.url, finalURL: finalURL, mediaType: details.mediaType)
      var new = BodyPlan.NewFile(named: name, details, old: nil)
      new.continues = spec.options.continues && keepsBytes && !isTask
      return .create(new)
    }
  }
}

extension BodyPlan.NewFile {
  fileprivate init(named name: String, _ details: ResponseClassifier.FileFacts, old: BodyPlan.Old?)
  {
    self.init(
      preferredName: name, total: details.total, validator: details.validator,
      checksum: details.checksum, mediaType: details.mediaType, old: old)
    contentCoding = details.contentCoding
  }
}
