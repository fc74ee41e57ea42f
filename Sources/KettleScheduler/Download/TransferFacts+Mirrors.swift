import KettleModel

/// The sources of a transfer: which one opens the file, and what follows when it cannot.
extension TransferFacts {
  /// The URL that the first request of a run goes to.
  var openerURL: TransferURL { mirrors[mirrors.opener]?.url ?? spec.url }

  /// The redirects that its URL counts as.
  var openerOrigin: RedirectChain { mirrors[mirrors.opener]?.origin ?? .none }

  /// The resume data for the source that opens the file. Its validator is comparable only if it
  /// came from that source.
  var resumeDataOfOpener: ResumeData? {
    guard !mirrors.isEmpty, var resumeData else { return resumeData }
    let known = resumeData.validatorURL ?? urlText
    resumeData.validatorURL = known == openerURL.text ? nil : known
    return resumeData
  }

  /// Chooses the source that opens the file in a new run.
  mutating func chooseOpener(at now: MonotonicTime) {
    if mirrors[.user].map({ $0.url != spec.url }) ?? true { mirrors = MirrorTable(spec) }
    guard !mirrors.isEmpty else { return }
    let isHeld = !(resumeData?.durable.isEmpty ?? true)
    let known = isHeld ? resumeData?.validatorURL ?? urlText : nil
    mirrors.chooseOpener(knownTo: known, at: now)
  }

  /// The first request for the file.
  var firstFileRequest: NextRequest {
    NextRequest(
      url: openerURL, redirects: openerOrigin, mode: modeOfOpener, content: spec.content)
  }

  /// Bytes of another source are proved by comparing them: validators of two servers are not
  /// comparable.
  private var modeOfOpener: RequestMode {
    let isOther = resumeDataOfOpener?.validatorURL != nil
    let isHeld = !(resumeData?.durable.isEmpty ?? true)
    return isOther && isHeld && !mirrors.isEmpty ? .proving(.overlap(suspect: nil)) : .resuming
  }

  /// Records where the validator of a new file came from.
  mutating func recordOpening() {
    guard !mirrors.isEmpty else { return }
    mirrors.recordOpening()
    guard resumeData?.durable.isEmpty == true else { return }
    let url = mirrors.opener == .user ? nil : openerURL.text
    resumeData?.validatorURL = url
  }

  /// Uses the copies that a server has named (RFC 6249), with the rules of redirects.
  mutating func addMirrors(
    _ head: ResponseHead, from connection: DownloadConnection, reach: NetworkReach
  ) {
    guard !isTask, spec.content == nil else { return }
    let links = head.duplicateLinks(of: connection.url, countMax: MirrorTable.linkCountMax)
    mirrors.add(
      links, to: spec.url, origin: connection.redirects.followed(by: reach).restarted)
  }

  /// What to add to a checksum that does not match: which source was wrong is not known.
  var sourcesOfMismatch: String {
    let hosts = mirrors.deliveringHosts.map { $0.sanitizedForDisplay(limit: 60) }
    if hosts.isEmpty, spec.options.mirrors.isEmpty { return "" }
    let named = hosts.isEmpty ? "" : ", among them \(hosts.prefix(3).joined(separator: ", "))"
    return "; it was fetched with mirrors\(named)"
  }

  /// The request to the next source, in place of `next`; nil when the failure is not of the source,
  /// or all have failed.
  mutating func failingOver(
    _ next: TransferMachine.AfterEnding, mode: RequestMode, in context: DecisionContext
  ) -> TransferMachine.AfterEnding? {
    guard !mirrors.isEmpty, next.isFailureOfSource else { return nil }
    if mirrors.failOver(passing: next.passingFailure, at: context.now.monotonic) {
      var request = firstFileRequest
      // Present bytes that are useless stay so.
      if case .fresh = mode { request.mode = mode }
      return .request(request)
    }
    // The user's URL is gone for good, but another source may return.
    guard next.passingFailure == nil, let failure = mirrors.passingFailure else { return nil }
    let retry = afterFailure(failure, retryAfter: nil, in: context)
    return retry.passingFailure == nil ? nil : retry
  }
}

extension TransferMachine.AfterEnding {
  /// Whether another source may succeed.
  fileprivate var isFailureOfSource: Bool {
    switch self {
    case .waiting(let waiting): waiting.reason.isOfSource && !waiting.failure.isOfTheFile
    case .failed(let failure): !failure.isOfTheFile && failure.code != .internalProblem
    case .request(let request): request.check == .inspection
    case .queued, .paused, .idle, .removed, .queuedFromZero, .cancelled, .nextSegment, .whole,
      .alreadyThere:
      false
    }
  }

  /// The failure that the transfer would wait out without the user.
  fileprivate var passingFailure: TransferFailure? {
    guard case .waiting(let waiting) = self, !waiting.reason.needsUser else { return nil }
    return waiting.failure
  }
}

extension WaitingReason {
  /// Whether it concerns one server.
  fileprivate var isOfSource: Bool {
    switch self {
    case .retry, .retryAfter, .hostUnreachable, .needsLink, .needsLogin, .needsDecision: true
    case .network, .proxy, .diskSpace, .discretionary: false
    }
  }
}
