import KettleModel

/// The end of a connection.
extension ActiveDownload {
  /// An attempt that the transport has released.
  struct Ended: Sendable {
    var attempt: AttemptID
    var outcome: AttemptOutcome
    /// How far its body got; nil when none of it counts.
    var receivedUpTo: Int64?
    /// How many bytes of the request's body were sent; nil without a body.
    var sentByteCount: Int64?
  }

  /// Decides what follows the end of an attempt; nil when the attempt is unknown.
  mutating func end(
    _ ended: Ended, _ facts: inout TransferFacts, in context: DecisionContext
  ) -> Step? {
    guard let connection = remove(ended.attempt, receivedUpTo: ended.receivedUpTo) else {
      return nil
    }
    recordEnd(of: connection, facts, at: context.now.monotonic)
    facts.mirrors.note([connection])
    // A piece may turn out to be wrong when all of them have ended.
    defer { facts.mirrors.note(connections) }
    if connection.source != opener {
      var step = end(mirror: connection, by: ended, &facts, in: context)
      if step.next == nil { step.actions += closeRedundant().map(TransferAction.cancelAttempt) }
      return step
    }
    var step: Step
    switch ended.outcome {
    case .complete:
      if case .segment = purpose {
        step = afterSegment(connection, upTo: ended.receivedUpTo, &facts, in: context)
      } else {
        step = afterComplete(connection, &facts, in: context)
      }
    case .document(let document):
      step = afterDocument(document, from: connection, &facts, in: context)
    case .cancelled: step = afterCancelled(connection, &facts, in: context)
    case .failed(let failure): step = afterFailed(connection, with: failure, &facts, in: context)
    case .untrusted(let failure, let challenge):
      step = afterChallenged(connection, by: challenge, because: failure, &facts, in: context)
    case .certificateWanted(let failure):
      let challenge = ServerChallenge(
        kind: .clientCertificate, origin: connection.url.origin.text, failureCount: 0)
      step = afterChallenged(connection, by: challenge, because: failure, &facts, in: context)
    }
    step = failingOver(step, from: connection.url.origin, &facts, in: context)
    if step.next == nil { step.actions += closeRedundant().map(TransferAction.cancelAttempt) }
    return step
  }

  /// A connection that has delivered all that it requested is kept by the transport and serves the
  /// next request. Any other is gone.
  private mutating func recordEnd(
    of connection: DownloadConnection, _ facts: TransferFacts, at now: MonotonicTime
  ) {
    let end = connection.requested?.upper ?? facts.resumeData?.totalByteCount
    if let end, connection.receivedUpTo >= end { return }
    pacing.recordClosed(
      placeTakenFor: max(Self.leavingMillisecondsMin, roundTripMilliseconds ?? 0), at: now)
  }

  /// Closes connections whose remaining bytes were delivered by others.
  private mutating func closeRedundant() -> [AttemptID] {
    var redundant: [AttemptID] = []
    for index in connections.indices where connections[index].phase != .closing {
      let connection = connections[index]
      guard !connection.isSample, let range = connection.range,
        let rest = ByteRange(
          lower: min(connection.receivedUpTo, range.upper), upper: range.upper),
        received.contains(rest)
      else { continue }
      connections[index].phase = .closing
      redundant.append(connection.attempt)
    }
    return redundant
  }

  /// Whether every byte of the file is present.
  func isWhole(_ facts: TransferFacts) -> Bool {
    guard let total = facts.resumeData?.totalByteCount else { return false }
    switch body {
    // A file that another program left may have its full length before a response has proved its
    // bytes.
    case .open where facts.resumeData?.hasUnprovedBytes == true && durableAtStartByteCount == total:
      return false
    case .open: return received.prefixByteCount == total
    // A small body may be complete before its file is recorded; both are recorded together. Bytes
    // that were durable before would still need their proof.
    case .opened: return durableAtStartByteCount == 0 && received.prefixByteCount == total
    case .closed, .opening, .document: return false
    }
  }

  /// Whether a response has repeated the end of a file that was there in full length.
  private func provesWhole(_ connection: DownloadConnection, _ facts: TransferFacts) -> Bool {
    guard body == .open, facts.resumeData?.hasUnprovedBytes == true,
      let total = facts.resumeData?.totalByteCount
    else { return false }
    return received.prefixByteCount == total && connection.receivedUpTo >= total
  }

  /// Resets the retry count when bytes arrived that are kept.
  func recordArrivals(_ facts: inout TransferFacts) {
    guard facts.keepsBytes, received.byteCount > durableAtStartByteCount else { return }
    facts.retryCount = 0
    facts.repetitions.recordArrival()
  }

  // MARK: Outcomes

  private mutating func afterComplete(
    _ connection: DownloadConnection, _ facts: inout TransferFacts, in context: DecisionContext
  ) -> Step {
    if isWhole(facts) || provesWhole(connection, facts) { return .end(.whole) }
    guard let range = connection.range else {
      // A body that ends before the durable bytes do is another version, however well it began.
      if connection.receivedUpTo < received.upperBound {
        return .end(facts.startingFresh(because: .resourceChanged))
      }
      // Only its end could show the size.
      return .end(.whole)
    }
    if connection.receivedUpTo >= range.upper {
      pacing.recordSuccess()
      facts.mirrors.recordSuccess(of: opener)
      return .none
    }
    if let next = facts.leavingShortSource(purpose, in: context) { return .end(next) }
    let total = facts.resumeData?.totalByteCount ?? range.upper
    let failure = TransferFailure(
      .truncated, on: facts.urlText, detail: "\(connection.receivedUpTo) of \(total) bytes")
    return afterFailed(connection, with: failure, &facts, in: context)
  }

  /// A connection given up for silence is a failure like any other: without the retry count, a
  /// server that sends heads and no bodies would be contacted endlessly.
  private mutating func afterCancelled(
    _ connection: DownloadConnection, _ facts: inout TransferFacts, in context: DecisionContext
  ) -> Step {
    if isWhole(facts) { return .end(.whole) }
    let silence = context.now.monotonic.milliseconds(since: connection.lastProgressAt)
    guard connection.range != nil, connection.missingByteCount > 0, connection.replacedBy == nil,
      silence >= Self.deadMillisecondsMin
    else { return .none }
    if activeCount > 0 {
      if !isMute(at: context.now.monotonic) { recordFailure(&facts, in: context) }
      return .none
    }
    if continuesElsewhere(&facts, at: context.now.monotonic) { return .none }
    recordArrivals(&facts)
    facts.repetitions.recordSilentAttempt()
    let failure = TransferFailure(
      .timedOut, on: facts.urlText, detail: "nothing came for \(silence / 1000) seconds")
    if let step = leavingStream(of: connection, after: failure, &facts) { return step }
    return .end(facts.afterFailure(failure, retryAfter: nil, in: context))
  }

  /// While others continue, a challenged connection counts as failed.
  private mutating func afterChallenged(
    _ connection: DownloadConnection, by challenge: ServerChallenge,
    because failure: TransferFailure,
    _ facts: inout TransferFacts, in context: DecisionContext
  ) -> Step {
    if activeCount == 0, let counted = facts.task?.counted(challenge) {
      return .end(.waiting(.forEvent(.needsLogin, failure, challenge: counted)))
    }
    if activeCount == 0, !facts.isTask, failure.certificate != nil {
      return .end(.waiting(.forEvent(.needsDecision, failure)))
    }
    return afterFailed(connection, with: failure, &facts, in: context)
  }

  /// Another attempt that reads the certificate of a server that is not trusted, so that the user
  /// or the program can decide; nil when there is nothing to decide.
  private func inspection(
    after failure: TransferFailure, of connection: DownloadConnection, _ facts: TransferFacts
  ) -> TransferMachine.AfterEnding? {
    guard failure.code == .tlsRefused, check == .usual, body == .closed,
      TLSProblem(detail: failure.detail).concernsCertificate
    else { return nil }
    return .request(
      NextRequest(
        url: connection.url, redirects: connection.redirects, mode: mode,
        content: connection.content, check: .inspection, purpose: purpose))
  }

  mutating func afterFailed(
    _ connection: DownloadConnection, with failure: TransferFailure, _ facts: inout TransferFacts,
    in context: DecisionContext
  ) -> Step {
    if let next = afterFileProblem(failure, of: connection, &facts, in: context) {
      return .end(next)
    }
    // Bytes beyond the end show that the others are not the file.
    if isWhole(facts), failure.code != .tooLong { return .end(.whole) }
    if let step = leavingStream(of: connection, after: failure, &facts) { return step }
    recordArrivals(&facts)
    if failure.code == .timedOut { facts.repetitions.recordSilentAttempt() }
    if failure.code == .redirectRefused {
      if let next = facts.afterUploadResourceRefused(purpose) { return .end(next) }
      if activeCount == 0 {
        // The attempt knows where it was redirected, the user what was requested.
        return .end(
          .failed(TransferFailure(.redirectRefused, on: facts.urlText, detail: failure.detail)))
      }
      directAdditional(toOriginal: facts.openerSource, &facts, at: context.now.monotonic)
    }
    var hint: HostLimitHint?
    let isOfTheNetwork = failure.isSilence && isMute(at: context.now.monotonic)
    if connection.phase == .requesting, failure.isRefusedConnection, !isOfTheNetwork,
      facts.mayBlameHostForRefusedConnection(in: context)
    {
      hint = HostLimitHint(
        origin: connection.url.origin, connectionsMax: context.otherConnectionCount)
    }
    if activeCount > 0 {
      if hint != nil || isOfTheNetwork {
        pacing.pause(at: context.now.monotonic)
      } else {
        recordFailure(&facts, in: context)
      }
      return Step(hostHint: hint)
    }
    if continuesElsewhere(&facts, at: context.now.monotonic) { return Step(hostHint: hint) }
    if hint != nil {
      facts.repetitions.recordRefusalBlamedOnHost()
      return .end(.queued, hint)
    }
    if let next = inspection(after: failure, of: connection, facts) { return .end(next) }
    if let next = facts.afterOutage(failure, in: context) {
      var hint = HostLimitHint(origin: connection.url.origin)
      hint.isOutage = true
      return .end(next, hint)
    }
    return .end(facts.afterFailure(failure, retryAfter: nil, in: context))
  }

  /// What follows when the bytes or the partial file are not what they should be; nil when the
  /// failure is of the network.
  private func afterFileProblem(
    _ failure: TransferFailure, of connection: DownloadConnection, _ facts: inout TransferFacts,
    in context: DecisionContext
  ) -> TransferMachine.AfterEnding? {
    let url = connection.url
    if failure.code == .tooLong, let next = facts.leavingLongSource(at: url, purpose, in: context) {
      return next
    }
    // If the length was known before, a longer file is another version. Another source may have it.
    let hasKnownLength = purpose.isFile || facts.playlist?.proof(by: purpose) != nil
    let isLonger =
      failure.code == .tooLong && hasKnownLength
      && (durableAtStartByteCount > 0 || purpose.isFile && !facts.mirrors.isEmpty)
    if failure.code == .otherVersion, facts.isProvedByPieces {
      return facts.afterDifference(failure, in: context)
    }
    if failure.code == .otherVersion || isLonger {
      if let resumeData = facts.resumeData, facts.kinship(of: url) == .otherURL {
        let other = TransferFailure.otherFile(at: url, nil, in: resumeData)
        let next = TransferMachine.AfterEnding.waiting(.forEvent(.needsLink, other))
        facts.mirrors.recordLie(of: opener)
        return facts.failingOver(next, mode: mode, in: context) ?? next
      }
      recordDeliveries(&facts)
      facts.mirrors.recordLieOfDelivering()
      return facts.startingFresh(because: .resourceChanged)
    }
    if failure.code == .rangeReplyWrong {
      facts.repetitions.recordWrongReply(to: connection.requested)
    }
    if failure.code == .partialFileChanged {
      return facts.startingFresh(because: .partialFileChanged)
    }
    return failure.isOfTheFile ? facts.afterFileFailure(failure, in: context) : nil
  }
}
