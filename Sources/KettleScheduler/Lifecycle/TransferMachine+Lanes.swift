import KettleModel

/// Further connections of a running transfer.
extension TransferMachine {
  /// Actions returned by `beginLane(…)`.
  package enum LaneAction: Sendable, Hashable {
    case nothing
    case beginAttempt(AttemptPlan)
  }

  /// The new end of an attempt whose rest another one delivers.
  package struct Shortening: Sendable, Hashable {
    package var attempt: AttemptID
    package var upper: Int64
  }

  /// The URL for another connection; nil when none would help.
  package func wantedLaneURL(
    _ policy: DivisionPolicy, at now: MonotonicTime
  ) -> TransferURL? {
    guard case .running(let fetch) = state, let total = divisibleTotal(fetch),
      fetch.mayBeginLane(at: now),
      fetch.nextPiece(total: total, newcomerCount: 1, policy, at: now) != nil
    else { return nil }
    return fetch.laneURL
  }

  /// The size of the file if it may be fetched in parts.
  func divisibleTotal(_ fetch: Fetch) -> Int64? {
    guard fetch.body == .open, keepsBytes, let resumeData = record.resumeData,
      resumeData.validator?.strongValue != nil, resumeData.validatorURL == nil
    else { return nil }
    switch fetch.splitting {
    case .allowed: return resumeData.totalByteCount
    case .refused: return nil
    }
  }

  /// - Parameter newcomerCount: how many could begin, this one included.
  package mutating func beginLane(
    _ attempt: AttemptID, newcomerCount: Int, _ policy: DivisionPolicy, at now: Moment
  ) -> LaneAction {
    guard case .running(var fetch) = state, let total = divisibleTotal(fetch),
      let piece = fetch.nextPiece(
        total: total, newcomerCount: newcomerCount, policy, at: now.monotonic)
    else { return .nothing }
    let range: ByteRange
    var owner: AttemptID?
    switch piece {
    case .gap(let gap): range = gap
    case .copy(_, let rest): range = rest
    case .share(let lane, let share):
      range = share
      owner = lane
    }
    let asked = RequestedRange(lower: range.lower, upper: range.upper, proof: fetch.proof)
    let url = fetch.laneURL
    var lane = Lane(
      attempt: attempt, url: url, redirects: fetch.laneRedirects, asked: asked, range: range,
      at: now.monotonic)
    lane.owner = owner
    fetch.laneBegins(at: now.monotonic)
    fetch.lanes.append(lane)
    enter(.running(fetch))
    return .beginAttempt(
      AttemptPlan(
        attempt: attempt, url: url, redirects: lane.redirects, asked: asked, spec: record.spec))
  }

  /// Takes one connection away for another transfer; nil when there is none to spare.
  package mutating func shedLane(at origin: Origin) -> AttemptID? {
    guard case .running(var fetch) = state, divisibleTotal(fetch) != nil, fetch.activeCount > 1,
      let index = fetch.lanes.lastIndex(where: { $0.phase != .leaving && $0.url.origin == origin })
    else { return nil }
    fetch.lanes[index].phase = .leaving
    let attempt = fetch.lanes[index].attempt
    enter(.running(fetch))
    return attempt
  }

  /// Records the progress of each connection. Returns the attempts to cancel because they are
  /// silent; others take over their rest.
  ///
  /// - Parameter heldBack: attempts that wait for our own disk and are therefore not silent.
  package mutating func progressed(
    _ progress: [AttemptID: Int64], heldBack: Set<AttemptID> = [], silentMillisecondsMax: Int64?,
    at now: Moment
  ) -> [AttemptID] {
    guard case .running(var fetch) = state else { return [] }
    var silent: [AttemptID] = []
    for index in fetch.lanes.indices {
      let attempt = fetch.lanes[index].attempt
      if let upTo = progress[attempt] {
        fetch.lanes[index].progressed(to: upTo, at: now.monotonic)
      }
      if heldBack.contains(attempt) { fetch.lanes[index].lastProgressAt = now.monotonic }
      guard let limit = silentMillisecondsMax, divisibleTotal(fetch) != nil,
        fetch.lanes[index].phase == .flowing, fetch.lanes[index].missingByteCount > 0,
        now.monotonic.milliseconds(since: fetch.lanes[index].lastProgressAt) >= limit
      else { continue }
      fetch.lanes[index].phase = .leaving
      silent.append(attempt)
    }
    enter(.running(fetch))
    return silent
  }
}

/// The reply to a further connection.
extension TransferMachine {
  mutating func laneHeadReceived(
    _ verdict: ResponseClassifier.Verdict, _ head: ResponseHead, from reach: NetworkReach,
    _ fetch: inout Fetch, _ index: Int,
    _ circumstances: Circumstances
  ) -> HeadAction {
    let lane = fetch.lanes[index]
    switch verdict {
    case .takeRange where head.hasTransferCoding:
      // Its bytes would count only at its end, all or none, and others write beside it.
      fetch.splitting = .refused
      return drop(index, &fetch)
    case .takeRange(let range, _):
      // It may have been shortened since the request.
      let upper = min(range.upper, lane.range?.upper ?? range.upper)
      let rest = ByteRange(lower: range.lower, upper: max(range.lower, upper)) ?? range
      fetch.lanes[index].flow(rest, at: circumstances.now.monotonic)
      fetch.sendLanes(after: lane)
      let shortening = takeOver(lane, &fetch)
      enter(.running(fetch))
      return .acceptBody(lane.attempt, rest, shortening)
    case .askAgain(.proving(.sameValidator)):
      fetch.proof = .sameValidator
      return drop(index, &fetch)
    case .askAgain(.fresh(let reason)): return cancelAll(next: asksAgain(.fresh(reason)))
    case .askAgain(.proving(let proof)): return cancelAll(next: asksAgain(.proving(proof)))
    case .takeWhole(let whole):
      if case .instead = whole.use { return cancelAll(next: asksAgain(.fresh(.resourceChanged))) }
      // The server no longer serves parts: the connection that flows continues alone.
      fetch.splitting = .refused
      return drop(index, &fetch)
    case .redirect(let location): return laneRedirected(location, from: reach, &fetch, index)
    case .retry(let failure, let after):
      return laneRefused(failure, after, &fetch, index, circumstances)
    case .alreadyWhole, .askAgain(.comparing), .askAgain(.goingOn), .fail, .wait:
      sendLanesToOriginal(&fetch)
      return drop(index, &fetch)
    }
  }

  /// Returns where the previous owner may end, because this connection delivers the rest.
  private func takeOver(_ lane: Lane, _ fetch: inout Fetch) -> Shortening? {
    guard let owner = lane.owner, let index = fetch.index(of: owner),
      let lower = lane.range?.lower, let upper = fetch.lanes[index].range?.upper, lower < upper
    else { return nil }
    fetch.lanes[index].shorten(to: lower)
    return Shortening(attempt: owner, upper: lower)
  }

  private mutating func drop(
    _ index: Int, _ fetch: inout Fetch, _ lesson: HostTable.Lesson? = nil
  ) -> HeadAction {
    fetch.lanes[index].phase = .leaving
    let attempt = fetch.lanes[index].attempt
    enter(.running(fetch))
    return .cancelAttempts([attempt], lesson)
  }

  private mutating func laneRedirected(
    _ location: String, from reach: NetworkReach, _ fetch: inout Fetch, _ index: Int
  ) -> HeadAction {
    let lane = fetch.lanes[index]
    switch RedirectPolicy.decide(
      location: location, from: lane.url, redirectCount: lane.redirects.count)
    {
    case .follow(let url):
      fetch.sendLanes(to: url, lane.redirects.followed(by: reach))
      fetch.redirectedLaneCount += 1
      // Connections that are only ever redirected never deliver anything.
      if fetch.redirectedLaneCount > RedirectPolicy.redirectCountMax { fetch.splitting = .refused }
    case .refuse: fetch.splitting = .refused
    }
    return drop(index, &fetch)
  }

  private mutating func laneRefused(
    _ failure: TransferFailure, _ after: RetryAfter?, _ fetch: inout Fetch, _ index: Int,
    _ circumstances: Circumstances
  ) -> HeadAction {
    let lane = fetch.lanes[index]
    var lesson = HostTable.Lesson(
      origin: lane.url.origin, closedMilliseconds: after?.boundedMilliseconds)
    if fetch.activeCount == 1 {
      // No other connection could have caused the refusal.
      return cancelAll(next: afterFailure(failure, retryAfter: after, circumstances), lesson)
    }
    if failure.isRefusal {
      lesson.connectionsMax = max(1, circumstances.otherConnectionCount)
      fetch.pause(at: circumstances.now.monotonic)
    } else {
      noteLaneFailure(&fetch, circumstances)
    }
    return drop(index, &fetch, lesson)
  }

  /// The target of the first connection's redirects may have expired: starts from the original.
  func sendLanesToOriginal(_ fetch: inout Fetch) {
    if fetch.laneURL == record.spec.url {
      fetch.splitting = .refused
    } else {
      fetch.sendLanes(to: record.spec.url, .none)
    }
  }

  /// Repeated failures mean that this server does not support several connections.
  func noteLaneFailure(_ fetch: inout Fetch, _ circumstances: Circumstances) {
    let delay = circumstances.retryPolicy.delayMilliseconds(
      retryCount: fetch.failureCount, jitter: circumstances.jitter)
    fetch.laneFailed(delayMilliseconds: delay, at: circumstances.now.monotonic)
    if fetch.failureCount >= Fetch.failureCountMax { fetch.splitting = .refused }
  }
}
