import KettleModel

/// Additional connections, which fetch parts of a file that the primary connection has shown.
extension ActiveDownload {
  /// A source that another connection may use.
  package struct WantedSource: Sendable, Hashable {
    let id: MirrorTable.SourceID
    let url: TransferURL
  }

  /// The sources for another connection, the best one first; none when none would help.
  func wantedSources(
    _ facts: TransferFacts, _ policy: DivisionPolicy, at now: MonotonicTime
  ) -> [WantedSource] {
    guard let total = divisibleTotal(of: facts), permitsConnection(at: now),
      let piece = nextPiece(
        total: total, wantedCount: wantedCount(facts, at: now), newcomerCount: 1, policy, at: now)
    else { return [] }
    if facts.mirrors.isEmpty { return [WantedSource(id: opener, url: additionalURL)] }
    return wantedSources(for: piece, facts, at: now)
  }

  /// Begins another connection where it helps most; nil when none would help.
  ///
  /// - Parameter newcomerCount: how many could begin, this one included.
  mutating func beginConnection(
    _ attempt: AttemptID, to source: MirrorTable.SourceID, newcomerCount: Int,
    _ facts: TransferFacts, policy: DivisionPolicy, at now: MonotonicTime
  ) -> AttemptPlan? {
    guard let total = divisibleTotal(of: facts),
      let piece = nextPiece(
        total: total, wantedCount: wantedCount(facts, at: now), newcomerCount: newcomerCount,
        newcomerSpeed: facts.mirrors[source]?.bytesPerSecond ?? 0, policy, at: now)
    else { return nil }
    if source != opener {
      return beginMirror(attempt, for: piece, from: source, facts, at: now)
    }
    let requested = RequestedRange(
      lower: piece.range.lower, upper: piece.range.upper, proof: proof)
    var connection = DownloadConnection(
      attempt: attempt, url: additionalURL, redirects: additionalRedirects, requested: requested,
      range: piece.range, at: now)
    connection.source = source
    return begin(connection, fetching: piece, facts, at: now)
  }

  /// Begins a connection that fetches a piece. Returns its request.
  mutating func begin(
    _ connection: DownloadConnection, fetching piece: Piece, _ facts: TransferFacts,
    at now: MonotonicTime
  ) -> AttemptPlan {
    var connection = connection
    switch piece {
    case .gap, .copy(_, _, because: .slowness): break
    case .copy(let silent, _, because: .silence):
      connection.replaces = silent
      pacing.recordTest()
    case .share(let sharing, _): connection.owner = sharing
    }
    begin(connection, at: now)
    var plan = AttemptPlan(
      attempt: connection.attempt, url: connection.url, redirects: connection.redirects,
      requested: connection.requested, facts: facts)
    // A connection that was kept may be as dead as the one that is silent.
    if connection.replaces != nil { plan.reuse = .none }
    return plan
  }

  /// How many connections to a host, or to any if it is nil, could close for the sake of another
  /// transfer.
  func spareCount(_ facts: TransferFacts, at origin: Origin?) -> Int {
    guard activeCount > 1, divisibleTotal(of: facts) != nil else { return 0 }
    return connections.count { $0.isActive(at: origin) }
  }

  /// Closes the latest of these connections. Returns its attempt; nil when there is none to spare.
  mutating func shedConnection(_ facts: TransferFacts, at origin: Origin?) -> AttemptID? {
    guard spareCount(facts, at: origin) > 0,
      let index = connections.lastIndex(where: { $0.isActive(at: origin) })
    else { return nil }
    connections[index].phase = .closing
    return connections[index].attempt
  }

  // MARK: Responses

  /// Decides what the response to an additional connection means.
  mutating func receiveAdditional(
    _ response: Response, at index: Int, _ facts: inout TransferFacts,
    in context: DecisionContext
  ) -> Step {
    let connection = connections[index]
    if connection.source != opener {
      return receiveFromMirror(response, at: index, &facts, in: context)
    }
    let classifier = ResponseClassifier(
      // What the primary connection requested does not matter to those that join it.
      url: connection.url, requested: connection.requested, mode: .resuming,
      resumeData: facts.resumeData, kinship: facts.kinship(of: connection.url),
      content: connection.content, acceptance: facts.acceptance, challengePolicy: .ask)
    let verdict = classifier.classify(response.head, at: context.now)
    if classifier.known.kinship != .sameURL, !verdict.isOfServer {
      // Redirects have led to another server, with which the others cannot be compared.
      refuseParts(&facts)
      return closing(index)
    }
    switch verdict {
    case .acceptRange where response.head.countsOnlyAtItsEnd:
      // Its bytes would count only at its end, all or none, and others write beside it.
      splitting = .refused
    case .acceptRange(let range, _): return join(range, at: index, of: facts.id, in: context)
    case .requestAgain(.proving(.sameValidator)): proof = .sameValidator
    case .requestAgain(.fresh(let reason)): return .end(facts.startingFresh(because: reason))
    case .requestAgain(.proving(let proof)): return .end(facts.requesting(.proving(proof)))
    case .acceptWhole(let whole):
      if case .instead = whole.use {
        return .end(facts.startingFresh(because: .resourceChanged))
      }
      // The server no longer serves parts: the connection that flows continues alone.
      refuseParts(&facts)
    case .redirect(let location):
      redirect(connection, to: location, from: response.reach, &facts)
    case .retry(let failure, let after):
      return additionalRefused(failure, retryAfter: after, at: index, &facts, in: context)
    case .alreadyWhole, .requestAgain(.comparing), .requestAgain(.resuming), .requestAsRange,
      .refused, .fail, .wait:
      directAdditional(toOriginal: facts.openerSource, &facts, at: context.now.monotonic)
    }
    return closing(index)
  }

  /// The source that opened the file serves no parts any more; its mirrors may.
  private mutating func refuseParts(_ facts: inout TransferFacts) {
    if facts.mirrors.isEmpty { splitting = .refused }
    facts.mirrors.recordMissingParts(of: opener)
  }

  /// Lets the body of an additional connection flow. The connection that shares its range with it
  /// ends where the new one begins.
  mutating func join(
    _ range: ByteRange, at index: Int, of id: TransferID, in context: DecisionContext
  ) -> Step {
    let connection = connections[index]
    // It may have been shortened since the request.
    let upper = min(range.upper, connection.range?.upper ?? range.upper)
    let rest = ByteRange(lower: range.lower, upper: max(range.lower, upper)) ?? range
    connections[index].receive(rest, at: context.now.monotonic)
    if connection.source == opener { directAdditional(after: connection) }
    var step = Step()
    if let silent = closeReplaced(by: connection) { step.actions.append(.cancelAttempt(silent)) }
    if let owner = connection.owner, let shared = self.index(of: owner),
      let lower = connection.range?.lower, let upper = connections[shared].range?.upper,
      lower < upper
    {
      connections[shared].shorten(to: lower)
      step.actions.append(.shortenAttempt(id, owner, to: lower))
    }
    step.actions.append(.acceptBody(id, connection.attempt, rest))
    return step
  }

  /// Closes a connection.
  mutating func closing(_ index: Int, _ hostHint: HostLimitHint? = nil) -> Step {
    connections[index].phase = .closing
    return Step(actions: [.cancelAttempt(connections[index].attempt)], hostHint: hostHint)
  }

  private mutating func redirect(
    _ connection: DownloadConnection, to location: String, from reach: NetworkReach,
    _ facts: inout TransferFacts
  ) {
    switch RedirectPolicy.decide(
      location: location, from: connection.url, redirectCount: connection.redirects.count)
    {
    case .follow(let url):
      directAdditional(to: url, redirects: connection.redirects.followed(by: reach))
      pacing.recordRedirect()
      // Connections that are only ever redirected never deliver anything.
      if pacing.redirectCount > RedirectPolicy.redirectCountMax { refuseParts(&facts) }
    case .refuse: refuseParts(&facts)
    }
  }

  private mutating func additionalRefused(
    _ failure: TransferFailure, retryAfter: RetryAfter?, at index: Int,
    _ facts: inout TransferFacts, in context: DecisionContext
  ) -> Step {
    var hint = HostLimitHint(
      origin: connections[index].url.origin,
      status: failure.statusNumber,
      closedMilliseconds: context.retryPolicy.closedMilliseconds(failure, retryAfter))
    let leavesParts =
      failure.code == .rangeReplyWrong
      && facts.repetitions.recordWrongReply(to: connections[index].requested)
    if activeCount == 1, !facts.mirrors.hasUsable(besides: opener, at: context.now.monotonic) {
      // No other connection could have caused the refusal.
      return .end(facts.afterFailure(failure, retryAfter: retryAfter, in: context), hint)
    }
    if leavesParts {
      // The others fetch the rest, each to its end.
      refuseParts(&facts)
    } else if failure.isRefusal, context.otherConnectionCount > 0 {
      hint.connectionsMax = context.otherConnectionCount
      pacing.pause(at: context.now.monotonic)
    } else {
      recordFailure(&facts, in: context)
    }
    return closing(index, hint)
  }

  // MARK: Progress

  /// Records the progress of each connection. Returns the attempts to cancel because they are
  /// silent; others take over their rest.
  ///
  /// - Parameter progress: how far each body has come, and how long a connection may be silent.
  mutating func recordProgress(
    _ progress: DownloadProgress, _ facts: TransferFacts, at now: MonotonicTime
  ) -> [AttemptID] {
    var silent: [AttemptID] = []
    if splitting == .awaitingProof, facts.offer == nil { splitAfterProof(facts, at: now) }
    let limit = divisibleTotal(of: facts) == nil ? nil : progress.silentMillisecondsMax
    for index in connections.indices {
      let attempt = connections[index].attempt
      if let upTo = progress.receivedUpTo[attempt] {
        connections[index].recordProgress(to: upTo, at: now)
      }
      if progress.waitingForDisk.contains(attempt) { recordHeldBack(index, at: now) }
      guard let limit, isDead(connections[index], after: limit, at: now) else { continue }
      connections[index].phase = .closing
      silent.append(attempt)
    }
    return silent
  }

  /// Bytes have proved the validator of the server, so others may join.
  private mutating func splitAfterProof(_ facts: TransferFacts, at now: MonotonicTime) {
    splitting = .allowed
    proof = facts.usualProof
    guard divisibleTotal(of: facts) != nil else { return }
    switch facts.connectionDemand {
    case .exactly: break
    case .adaptive: growth.begin(presentByteCount, at: now)
    }
  }

  private mutating func recordHeldBack(_ index: Int, at now: MonotonicTime) {
    connections[index].lastProgressAt = now
    waitedForDiskAt = now
  }
}

/// The progress of each attempt of a download.
package struct DownloadProgress: Sendable, Hashable {
  package var receivedUpTo: [AttemptID: Int64]
  /// Attempts that wait for our own disk and are therefore not silent.
  package var waitingForDisk: Set<AttemptID>
  /// How long a connection may deliver nothing; nil for as long as it likes.
  package var silentMillisecondsMax: Int64?

  package init(
    receivedUpTo: [AttemptID: Int64] = [:], waitingForDisk: Set<AttemptID> = [],
    silentMillisecondsMax: Int64? = nil
  ) {
    self.receivedUpTo = receivedUpTo
    self.waitingForDisk = waitingForDisk
    self.silentMillisecondsMax = silentMillisecondsMax
  }
}

extension DownloadConnection {
  /// Whether it is not closing and goes to this host, or to any if it is nil.
  fileprivate func isActive(at origin: Origin?) -> Bool {
    phase != .closing && (origin == nil || url.origin == origin)
  }
}
