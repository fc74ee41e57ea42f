import KettleModel

/// What was durable when the partial file was closed, and its last modification time.
package struct ClosedBody: Sendable, Hashable {
  package var durable: ByteRangeSet
  package var modifiedNanoseconds: Int64
  package var sample: FileSample?
  /// The pieces that did not have their digest. None of their bytes is durable.
  package var wrong: [WrongPiece]

  package init(
    durable: ByteRangeSet, modifiedNanoseconds: Int64, sample: FileSample? = nil,
    wrong: [WrongPiece] = []
  ) {
    self.durable = durable
    self.modifiedNanoseconds = modifiedNanoseconds
    self.sample = sample
    self.wrong = wrong
  }
}

/// The way from the last attempt to the next state, while bytes are being stored.
extension TransferMachine.AfterEnding {
  /// Removes an ended attempt from those that are pending. Closes the body after the last one.
  func attemptEnded(
    _ attempt: AttemptID, with outcome: AttemptOutcome, of attempts: Set<AttemptID>,
    _ facts: inout TransferFacts, closing operation: OperationID
  ) -> Transition {
    var attempts = attempts
    guard attempts.remove(attempt) != nil else { return .none }
    let next = corrected(by: outcome, &facts)
    if attempts.isEmpty { return next.closingBody(of: facts.id, operation) }
    return .entering(.ending(.attempts(attempts), next: next))
  }

  func closingBody(of id: TransferID, _ operation: OperationID) -> Transition {
    .entering(.ending(.body(operation), next: self), [.closeBody(id, operation)])
  }

  /// Two differing copies make the file wrong, even if the attempt that found it was being
  /// cancelled because the other copy was first.
  private func corrected(by outcome: AttemptOutcome, _ facts: inout TransferFacts) -> Self {
    guard case .failed(let failure) = outcome, failure.code == .otherVersion, self == .whole else {
      return self
    }
    // Each piece shows whether it is right when the file is closed.
    if facts.isProvedByPieces { return self }
    return facts.startingFresh(because: .resourceChanged)
  }

  /// Whether more came than the server had announced. Otherwise the announced bytes would count as
  /// the file when the transfer is started again.
  private var isOfTooLongFile: Bool {
    if case .failed(let failure) = self { failure.code == .tooLong } else { false }
  }

  /// All attempts have ended; their bytes are synced, or must not be trusted.
  ///
  /// - Parameter result: `.success(nil)` where no partial file was open.
  func bodyClosed(
    _ result: Result<ClosedBody?, TransferFailure>, _ facts: inout TransferFacts, ids: FreshIDs,
    in context: DecisionContext
  ) -> Transition {
    var next = self
    switch result {
    case .success(let closed?) where self == .nextSegment:
      facts.recordSegment(closed)
      next = facts.nextSegment()
    case .success(let closed):
      if let closed { facts.recordClosed(closed, isWhole: self == .whole) }
      if self == .whole {
        next =
          closed?.wrong.first.map { facts.afterWrongPiece($0, [:], in: context) }
          ?? facts.afterLastByte(in: context)
      }
      if closed != nil, !facts.keepsBytes, next != .whole { facts.forgetBytes() }
      if isOfTooLongFile, facts.wholeResumeData != nil { facts.forgetBytes() }
    case .failure(let failure) where failure.code == .partialFileChanged:
      next = afterPartialFileChanged(&facts)
    case .failure(let failure):
      switch self {
      case .idle, .removed, .queuedFromZero, .failed, .cancelled: break
      case .queued, .paused, .waiting, .request, .nextSegment, .whole, .alreadyThere:
        next = facts.afterFileFailure(failure, in: context)
      }
    }
    return next.enter(&facts, ids: ids, in: context)
  }

  /// Another program truncated the partial file while it was being written: none of it is trusted
  /// any more.
  private func afterPartialFileChanged(_ facts: inout TransferFacts) -> Self {
    facts.forgetBytes()
    facts.freshStart = .partialFileChanged
    switch self {
    case .request(let request):
      if case .fresh = request.mode { return self }
      return facts.startingFresh(because: .partialFileChanged)
    case .whole, .nextSegment: return facts.startingFresh(because: .partialFileChanged)
    case .queued, .paused, .waiting, .alreadyThere, .idle, .removed, .queuedFromZero, .failed,
      .cancelled:
      return self
    }
  }

  private func enter(
    _ facts: inout TransferFacts, ids: FreshIDs, in context: DecisionContext
  ) -> Transition {
    let now = context.now
    let finishing = Finishing(ids.operation)
    switch self {
    case .queued: return .entering(.queued)
    case .paused: return .entering(.paused)
    case .waiting(let waiting): return .entering(.waiting(waiting))
    case .failed(let failure):
      facts.finishedAt = now.wall
      return .entering(.failed(failure))
    case .cancelled(let failure):
      facts.finishedAt = now.wall
      return finishing.discard(&facts, next: .failed(failure))
    case .idle: return finishing.discard(&facts, next: .idle)
    case .removed: return finishing.discard(&facts, next: .removed)
    case .queuedFromZero: return finishing.discard(&facts, next: .queued)
    case .alreadyThere(let path):
      facts.finishedFile = FinishedFile(path: path, identity: nil)
      facts.finishedAt = now.wall
      return .entering(.completed)
    case .whole:
      guard var resumeData = facts.resumeData else {
        return .entering(.failed(TransferFailure(.internalProblem, on: facts.urlText)))
      }
      resumeData.totalByteCount = resumeData.durable.prefixByteCount
      facts.resumeData = resumeData
      return finishing.begin(&facts, with: resumeData)
    // The partial file was not open.
    case .nextSegment:
      return .entering(.failed(TransferFailure(.internalProblem, on: facts.urlText)))
    case .request(let request):
      // The queue has checked the host of the transfer, but not one that a redirect leads to, and
      // another transfer may have been refused since, before this segment.
      if request.url.origin != facts.openerURL.origin
        || request.purpose.isSegment
          && (facts.hasJoinedInRun || context.closedHosts.hasRefused(request.url.origin)),
        let waiting = context.closedHosts.wait(before: request.url, at: now)
      {
        return .entering(.waiting(waiting))
      }
      if context.isPlaceTaken, facts.mayQueue(request) { return .entering(.queued) }
      return ActiveDownload.begin(request, attempt: ids.attempt, &facts, at: now)
    }
  }
}

extension TransferFacts {
  /// Records which bytes are durable in the closed file. A whole file is recorded even where the
  /// next attempt could not use its bytes.
  fileprivate mutating func recordClosed(_ closed: ClosedBody, isWhole: Bool) {
    if keepsBytes { recordSynced(closed.durable) }
    if isWhole { resumeData?.durable = closed.durable }
    // Without this time the next attempt removes what a segment left behind.
    let isPlaylist = resumeData?.playlist != nil
    resumeData?.lastWriteNanoseconds = isPlaylist ? nil : closed.modifiedNanoseconds
    recordSample(closed.sample)
  }

  /// Records what identifies the partial file by its beginning. A part of it that may still change
  /// identifies nothing.
  ///
  /// - Returns: whether that is new.
  @discardableResult
  mutating func recordSample(_ sample: FileSample?) -> Bool {
    guard let sample, let resumeData, sample != resumeData.sample,
      sample.byteCount <= resumeData.durable.prefixByteCount
    else { return false }
    self.resumeData?.sample = sample
    return true
  }

  /// Records which bytes are synced. Bytes that arrived reset the retry count, and may prove the
  /// validator of another server.
  ///
  /// - Returns: whether more of the record has changed than the bytes.
  @discardableResult
  mutating func recordSynced(_ durable: ByteRangeSet) -> Bool {
    guard let known = resumeData?.durable else { return false }
    // Of a playlist only whole segments count.
    let playlistUpper = resumeData?.playlist?.joinedByteCount
    let durable =
      playlistUpper.map { ByteRangeSet(prefix: min(durable.prefixByteCount, $0)) } ?? durable
    guard known != durable else { return false }
    resumeData?.durable = durable
    let isBound = bindOffer(by: durable)
    guard durable.byteCount > known.byteCount, retryCount > 0 else { return isBound }
    retryCount = 0
    return true
  }

  /// Every byte was received; checks that every byte is synced.
  fileprivate func afterLastByte(in context: DecisionContext) -> TransferMachine.AfterEnding {
    guard let resumeData else {
      return .failed(TransferFailure(.internalProblem, on: urlText))
    }
    let durable = resumeData.durable.prefixByteCount
    guard let total = resumeData.totalByteCount, durable != total else { return .whole }
    let failure = TransferFailure(
      .truncated, on: urlText, detail: "\(durable) of \(total) bytes")
    return afterFailure(failure, retryAfter: nil, in: context)
  }
}

extension TransferFacts {
  /// Whether the current run has joined a segment. The first one is requested even if the response
  /// with the playlist used up what the host permits. Otherwise no run would ever fetch any.
  fileprivate var hasJoinedInRun: Bool { playlist?.joinedCount ?? 0 > 0 }

  /// Whether the transfer can make a request later, from the queue: the next run must mean the same
  /// by it. Notes in which mode it is made.
  fileprivate mutating func mayQueue(_ request: NextRequest) -> Bool {
    guard request.purpose == .file, request.content == spec.content, request.check == .usual else {
      return false
    }
    queuedMode = request.mode
    return true
  }
}
