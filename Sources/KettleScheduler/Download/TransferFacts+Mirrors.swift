import KettleModel

/// The sources of a transfer: which one opens the file, and what follows when it cannot.
extension TransferFacts {
  /// The source that the first request of a run goes to.
  var openerSource: ChainedURL { mirrors[mirrors.opener]?.source ?? spec.source }

  var openerURL: TransferURL { openerSource.url }

  /// Chooses the source that opens the file in a new run.
  mutating func chooseOpener(at now: MonotonicTime) {
    if mirrors[.user].map({ $0.source != spec.source }) ?? true { mirrors = MirrorTable(spec) }
    guard !mirrors.isEmpty else { return }
    let isHeld = !(resumeData?.durable.isEmpty ?? true)
    let known = isHeld ? resumeData?.validatorURL ?? urlText : nil
    mirrors.chooseOpener(knownTo: known, at: now)
  }

  /// The first request for the file.
  var firstFileRequest: NextRequest { request(for: queuedMode ?? .resuming) }

  /// A request for the file: to the URL that answered with the present bytes while it works, else
  /// to the source's own. A redirector may name another server each time.
  func request(for mode: RequestMode) -> NextRequest {
    var source = openerSource
    switch mode {
    case .fresh: break
    case .resuming, .proving, .comparing:
      if let answer = answeringURL {
        source = ChainedURL(
          answer.url, namedBy: max(answer.minimumReach, openerSource.minimumReach))
      }
    }
    return NextRequest(
      url: source.url, redirects: RedirectChain(to: source), mode: mode, content: spec.content)
  }

  /// The file is open. Records where the validator of a new one came from.
  mutating func recordOpening(by connection: DownloadConnection) {
    route = .answering
    if !mirrors.isEmpty { mirrors.recordOpening() }
    guard resumeData?.durable.isEmpty == true else { return }
    offer = nil
    let requested = urlTextOfOpener
    resumeData?.validatorURL = requested
    resumeData?.answer = ChainedURL(answering: connection)
  }

  /// The text of the opener's URL; nil for the user's own.
  fileprivate var urlTextOfOpener: String? {
    mirrors.opener == .user ? nil : openerURL.text
  }

  /// Uses the copies that a server has named (RFC 6249), with the rules of redirects.
  mutating func addMirrors(
    _ head: ResponseHead, from connection: DownloadConnection, reach: NetworkReach
  ) {
    guard !isTask, spec.content == nil else { return }
    let links = head.duplicateLinks(of: connection.url, countMax: MirrorTable.linkCountMax)
    let chain = connection.redirects.followed(by: reach)
    mirrors.add(links.map { ChainedURL($0, namedBy: chain.minimumReach) }, to: spec.source)
  }

  // MARK: The size that a document says

  /// The size that a document says, for a body that is the file as it will be.
  func describedByteCount(of body: ResponseClassifier.FileFacts) -> Int64? {
    let isUnpacked = body.contentCoding != nil && spec.options.unpacks
    return isUnpacked ? nil : spec.options.described?.byteCount
  }

  /// Drops the source that opens the file if it has another size than a document says. Returns the
  /// failure; nil for any other source.
  mutating func refusingSize(
    _ body: ResponseClassifier.FileFacts, at url: TransferURL
  ) -> TransferFailure? {
    guard let known = describedByteCount(of: body), let total = body.total, total != known else {
      return nil
    }
    mirrors.recordLie(of: mirrors.opener)
    return .otherSize(total, than: known, at: url)
  }

  /// Returns what follows when no source has the size that a document says: a single transfer waits
  /// for another link, and a file of a collection fails, so that the collection can end.
  func afterOtherSize(_ failure: TransferFailure) -> TransferMachine.AfterEnding {
    spec.options.member == nil ? .waiting(.forEvent(.needsLink, failure)) : .failed(failure)
  }

  /// What follows a body of undeclared length that is longer than a document says; nil where none
  /// says a size. Nothing of the body counts.
  mutating func leavingLongSource(
    at url: TransferURL, _ purpose: RequestPurpose, in context: DecisionContext
  ) -> TransferMachine.AfterEnding? {
    guard purpose == .file, let known = spec.options.described?.byteCount else { return nil }
    mirrors.recordLie(of: mirrors.opener)
    let end = afterOtherSize(.otherSize(nil, than: known, at: url))
    if let next = failingOver(end, mode: .fresh(.resourceChanged), in: context) { return next }
    forgetBytes()
    return end
  }

  /// The request to the next source after a complete body that is shorter than a document says; nil
  /// where none says a size, or no source is left.
  mutating func leavingShortSource(
    _ purpose: RequestPurpose, in context: DecisionContext
  ) -> TransferMachine.AfterEnding? {
    guard purpose == .file, let known = spec.options.described?.byteCount else { return nil }
    mirrors.recordLie(of: mirrors.opener)
    let failure = TransferFailure.otherSize(nil, than: known, at: openerURL)
    return failingOver(
      afterOtherSize(failure), mode: .fresh(.resourceChanged), in: context)
  }

  /// What to add to a checksum that does not match: which source was wrong is not known.
  var sourcesOfMismatch: String {
    let hosts = mirrors.deliveringHosts.map { $0.sanitizedForDisplay(limit: 60) }
    if hosts.isEmpty, spec.options.otherSources.isEmpty { return "" }
    let named = hosts.isEmpty ? "" : ", among them \(hosts.prefix(3).joined(separator: ", "))"
    return "; it was fetched with mirrors\(named)"
  }

  /// The request to the next source, in place of `next`; nil when the failure is not of the source,
  /// or all have failed.
  mutating func failingOver(
    _ next: TransferMachine.AfterEnding, mode: RequestMode, in context: DecisionContext
  ) -> TransferMachine.AfterEnding? {
    guard !mirrors.isEmpty, next.isFailureOfSource else { return nil }
    if mirrors.failOver(
      passing: next.passingFailure, pausedUntil: next.retryAfter, at: context.now.monotonic)
    {
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

// MARK: The URL that answered

/// Which URL of a source is requested.
enum Route: Sendable, Hashable {
  /// The one that answered with the present bytes, if it is known.
  case answering
  /// The source's own, because the other one refuses or has another file.
  case original
}

/// The validator of a response from another URL than the present bytes, which repeats some of them.
///
/// Invariant: it becomes that of the file only when bytes behind the repeated ones are in the file.
/// The writer compares before it writes, so those were equal then.
struct OfferedValidator: Sendable, Hashable {
  let validator: Validator
  /// The URL of the mirror that was requested; nil for the user's own.
  let validatorURL: String?
  let answer: ChainedURL
  /// The first byte that was missing.
  let provedAt: Int64
}

extension ChainedURL {
  /// The URL that has answered a connection, with the reach of the redirects that led to it.
  init(answering connection: DownloadConnection) {
    self.init(connection.url, namedBy: connection.redirects.minimumReach)
  }
}

extension TransferFacts {
  /// How a URL that is requested now relates to the one that answered with the known validator.
  func kinship(of url: TransferURL) -> Kinship {
    guard let resumeData else { return .sameURL }
    // No URL has answered with what another program has left.
    if resumeData.hasUnprovedBytes { return .otherServer }
    // Nothing is compared but bytes and their digests.
    if isProvedByPieces { return .sameURL }
    // Texts are made only where there is no other way: every tick asks.
    let isOpener = resumeData.validatorURL.map { $0 == openerURL.text } ?? (spec.url == openerURL)
    guard isOpener else { return .otherURL }
    guard let answer = resumeData.answer else { return .sameURL }
    return answer.url.origin == url.origin ? .sameURL : .otherServer
  }

  /// Where the present bytes came from, if that is another URL than the source's own and may still
  /// be requested.
  private var answeringURL: ChainedURL? {
    // Behind pieces it may be that of a source that has been dropped.
    guard route == .answering, keepsBytes, !isProvedByPieces,
      let resumeData, !resumeData.durable.isEmpty,
      resumeData.playlist == nil, let answer = resumeData.answer, answer.url != openerURL,
      kinship(of: answer.url) == .sameURL
    else { return nil }
    return answer
  }

  /// The request to the source's own URL, after the one that answered with the present bytes has
  /// refused or shows another file; nil if that was not asked. Its link may have expired, and its
  /// server may be gone.
  mutating func leavingAnsweringURL(_ mode: RequestMode) -> TransferMachine.AfterEnding? {
    if case .fresh = mode { return nil }
    guard answeringURL != nil else { return nil }
    route = .original
    return .request(firstFileRequest)
  }

  /// Keeps the validator of a response that repeats present bytes.
  mutating func recordOffer(_ validator: Validator?, by connection: DownloadConnection) {
    offer = nil
    // Behind a second gap are bytes that this response does not repeat.
    guard let validator, let held = resumeData?.durable, held.ranges.count == 1,
      held.prefixByteCount > 0
    else { return }
    offer = OfferedValidator(
      validator: validator, validatorURL: urlTextOfOpener,
      answer: ChainedURL(answering: connection),
      provedAt: held.prefixByteCount)
  }

  /// Withdraws the validator of bytes that came without a length, until bytes behind them prove
  /// them: they may contain the chunk sizes of an unannounced transfer coding. The response that
  /// comes now may state the size of the file, and may end before it is compared.
  mutating func withdrawValidatorOfUnknownSize(by connection: DownloadConnection) {
    guard let resumeData, resumeData.totalByteCount == nil, !resumeData.durable.isEmpty,
      resumeData.validator?.strongValue != nil
    else { return }
    recordOffer(resumeData.validator, by: connection)
    self.resumeData?.validator = nil
  }

  /// Takes the offered validator once the bytes have proved it. Returns whether they have.
  mutating func bindOffer(by durable: ByteRangeSet) -> Bool {
    guard let offer,
      let first = ByteRange(lower: offer.provedAt, upper: offer.provedAt + 1),
      durable.contains(first)
    else { return false }
    self.offer = nil
    resumeData?.validator = offer.validator
    resumeData?.validatorURL = offer.validatorURL
    resumeData?.answer = offer.answer
    return true
  }
}

extension TransferFailure {
  /// The failure of a source whose file is not the one that a document describes.
  ///
  /// - Parameter total: its size; nil when unknown.
  static func otherSize(
    _ total: Int64?, than known: Int64, at url: TransferURL
  ) -> TransferFailure {
    let found = total.map { "\($0) bytes" } ?? "another size"
    return TransferFailure(
      .otherFile, on: url.text, detail: "\(found) in place of \(known) bytes")
  }
}

extension TransferMachine.AfterEnding {
  /// Whether another source may succeed.
  var isFailureOfSource: Bool {
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

  /// Until when the server has asked to be left alone.
  fileprivate var retryAfter: MonotonicTime? {
    guard case .waiting(let waiting) = self, waiting.reason == .retryAfter else { return nil }
    return waiting.until
  }
}

extension WaitingReason {
  /// Whether it concerns one server.
  fileprivate var isOfSource: Bool {
    switch self {
    case .retry, .retryAfter, .hostUnreachable, .needsLink, .needsLogin, .needsDecision: true
    case .network, .proxy, .diskSpace, .discretionary, .members: false
    }
  }
}
