import KettleModel

/// The end of an attempt.
extension TransferMachine {
  /// Actions returned by `attemptEnded(…)`.
  package enum EndedAction: Sendable, Hashable {
    case nothing
    /// Other attempts continue, except for those cancelled here because they are no longer needed.
    case goOn(cancelling: [AttemptID], HostTable.Lesson?)
    /// The other attempts end too.
    case cancelAttempts([AttemptID], HostTable.Lesson?)
    /// No attempt is left.
    case closeBody(OperationID, HostTable.Lesson?)
  }

  /// The consequence of an attempt's end for the transfer.
  private struct Consequence {
    /// nil while the transfer continues unchanged.
    var next: AfterEnding?
    var lesson: HostTable.Lesson?
  }

  /// The transport has released an attempt.
  ///
  /// - Parameter receivedUpTo: how far its body got; nil when none of it counts.
  package mutating func attemptEnded(
    _ attempt: AttemptID, _ outcome: AttemptOutcome, receivedUpTo: Int64?, operation: OperationID,
    _ circumstances: Circumstances
  ) -> EndedAction {
    switch state {
    case .ending(.attempts(var attempts), let next):
      guard attempts.remove(attempt) != nil else { return .nothing }
      return end(attempts, next: corrected(next, by: outcome), operation)
    case .running(var fetch):
      guard let lane = fetch.remove(attempt, receivedUpTo: receivedUpTo) else { return .nothing }
      let consequence = consequence(of: outcome, lane, &fetch, circumstances)
      guard let next = consequence.next else {
        let redundant = leaveRedundant(&fetch)
        enter(.running(fetch))
        return .goOn(cancelling: redundant, consequence.lesson)
      }
      let live = fetch.activeAttempts
      switch end(Set(fetch.attempts), next: next, operation) {
      case .closeBody(let operation, _): return .closeBody(operation, consequence.lesson)
      case .nothing, .goOn, .cancelAttempts: return .cancelAttempts(live, consequence.lesson)
      }
    case .idle, .scheduled, .queued, .ending(.body, _), .waiting, .paused, .verifying,
      .discarding, .placing, .completed, .failed, .removed:
      return .nothing
    }
  }

  /// If no connection is left and none can begin although the body is open, requeues it.
  package mutating func endWithoutLanes(_ operation: OperationID) -> EndedAction {
    guard case .running(let fetch) = state, fetch.lanes.isEmpty else { return .nothing }
    return end([], next: .queued, operation)
  }

  private mutating func end(
    _ attempts: Set<AttemptID>, next: AfterEnding, _ operation: OperationID
  ) -> EndedAction {
    if attempts.isEmpty {
      enter(.ending(.body(operation), next: next))
      return .closeBody(operation, nil)
    }
    enter(.ending(.attempts(attempts), next: next))
    return .nothing
  }

  /// Two differing copies make the file wrong, even if the attempt that found it was being
  /// cancelled because the other copy was first.
  private mutating func corrected(_ next: AfterEnding, by outcome: AttemptOutcome) -> AfterEnding {
    guard case .failed(let failure) = outcome, failure.code == .otherVersion, next == .whole else {
      return next
    }
    return asksAgain(.fresh(.resourceChanged))
  }

  /// Connections whose remaining bytes were delivered by others.
  private func leaveRedundant(_ fetch: inout Fetch) -> [AttemptID] {
    var redundant: [AttemptID] = []
    for index in fetch.lanes.indices where fetch.lanes[index].phase != .leaving {
      let lane = fetch.lanes[index]
      guard let range = lane.range,
        let rest = ByteRange(lower: min(lane.receivedUpTo, range.upper), upper: range.upper),
        fetch.received.contains(rest)
      else { continue }
      fetch.lanes[index].phase = .leaving
      redundant.append(lane.attempt)
    }
    return redundant
  }

  private mutating func consequence(
    of outcome: AttemptOutcome, _ lane: Lane, _ fetch: inout Fetch, _ circumstances: Circumstances
  ) -> Consequence {
    switch outcome {
    case .complete: return afterComplete(lane, &fetch, circumstances)
    case .cancelled: return afterCancelled(lane, &fetch, circumstances)
    case .failed(let failure): return afterFailed(lane, failure, &fetch, circumstances)
    case .untrusted(let failure, let challenge):
      return afterChallenged(lane, failure, challenge, &fetch, circumstances)
    case .certificateWanted(let failure):
      let challenge = ServerChallenge(
        kind: .clientCertificate, origin: lane.url.origin.text, failureCount: 0)
      return afterChallenged(lane, failure, challenge, &fetch, circumstances)
    }
  }

  /// While others continue, a challenged connection counts as failed.
  private mutating func afterChallenged(
    _ lane: Lane, _ failure: TransferFailure, _ challenge: ServerChallenge, _ fetch: inout Fetch,
    _ circumstances: Circumstances
  ) -> Consequence {
    guard fetch.activeCount == 0, let next = asksProgram(challenge, because: failure) else {
      return afterFailed(lane, failure, &fetch, circumstances)
    }
    return Consequence(next: next)
  }

  /// A connection given up for silence is a failure like any other: without the retry count, a
  /// server that sends heads and no bodies would be contacted endlessly.
  private mutating func afterCancelled(
    _ lane: Lane, _ fetch: inout Fetch, _ circumstances: Circumstances
  ) -> Consequence {
    if isWhole(fetch) { return Consequence(next: .whole) }
    let silence = circumstances.now.monotonic.milliseconds(since: lane.lastProgressAt)
    guard lane.range != nil, lane.missingByteCount > 0, silence >= Fetch.deadMillisecondsMin else {
      return Consequence()
    }
    if fetch.activeCount > 0 {
      noteLaneFailure(&fetch, circumstances)
      return Consequence()
    }
    noteArrivals(fetch)
    let failure = TransferFailure(
      .timedOut, on: record.spec.url.text, detail: "no data arrived for \(silence / 1000) seconds")
    return Consequence(next: afterFailure(failure, retryAfter: nil, circumstances))
  }

  /// Resets the retry count when bytes arrived that are kept.
  private mutating func noteArrivals(_ fetch: Fetch) {
    guard keepsBytes, fetch.received.byteCount > fetch.heldAtStartByteCount else { return }
    record.retryCount = 0
  }

  private func isWhole(_ fetch: Fetch) -> Bool {
    guard let total = record.resumeData?.totalByteCount else { return false }
    switch fetch.body {
    case .open: return fetch.received.prefixByteCount == total
    // A small body may be complete before its file is recorded; both are recorded together. Bytes
    // that were durable before would still need their proof.
    case .opened: return fetch.heldAtStartByteCount == 0 && fetch.received.prefixByteCount == total
    case .closed, .opening: return false
    }
  }

  private mutating func afterComplete(
    _ lane: Lane, _ fetch: inout Fetch, _ circumstances: Circumstances
  ) -> Consequence {
    if isWhole(fetch) { return Consequence(next: .whole) }
    guard let range = lane.range else {
      // A body that ends before the durable bytes do is another version, however well it began.
      if lane.receivedUpTo < fetch.received.upperBound {
        return Consequence(next: asksAgain(.fresh(.resourceChanged)))
      }
      // Only its end could show the size.
      return Consequence(next: .whole)
    }
    if lane.receivedUpTo >= range.upper {
      fetch.laneSucceeded()
      return Consequence()
    }
    let total = record.resumeData?.totalByteCount ?? range.upper
    let failure = TransferFailure(
      .truncated, on: record.spec.url.text, detail: "\(lane.receivedUpTo) of \(total) bytes")
    return afterFailed(lane, failure, &fetch, circumstances)
  }

  private mutating func afterFailed(
    _ lane: Lane, _ failure: TransferFailure, _ fetch: inout Fetch, _ circumstances: Circumstances
  ) -> Consequence {
    // If the length was known before, a longer file is another version.
    let isLonger = failure.code == .tooLong && fetch.heldAtStartByteCount > 0
    if failure.code == .otherVersion || isLonger {
      if let resumeData = record.resumeData, resumeData.validatorURL != nil {
        let other = TransferFailure.otherFile(at: lane.url, nil, in: resumeData)
        let waiting = Waiting(reason: .needsLink, until: nil, goesOnAt: nil, failure: other)
        return Consequence(next: .waiting(waiting))
      }
      return Consequence(next: asksAgain(.fresh(.resourceChanged)))
    }
    if failure.code == .rangeReplyWrong { wrongRangeReplyCount += 1 }
    if failure.code == .partialFileChanged {
      return Consequence(next: asksAgain(.fresh(.partialFileChanged)))
    }
    if failure.isOfTheFile { return Consequence(next: afterFileFailure(failure, circumstances)) }
    if isWhole(fetch) { return Consequence(next: .whole) }
    noteArrivals(fetch)
    if failure.code == .redirectRefused, fetch.activeCount == 0 {
      // The attempt knows where it was redirected, the user what was requested.
      return Consequence(
        next: .failed(
          TransferFailure(
            .redirectRefused, on: record.spec.url.text, detail: failure.detail)))
    }
    if failure.code == .redirectRefused { sendLanesToOriginal(&fetch) }
    var lesson: HostTable.Lesson?
    if lane.phase == .asking, failure.isRefusedConnection, mayTeach(circumstances) {
      lesson = HostTable.Lesson(
        origin: lane.url.origin, connectionsMax: circumstances.otherConnectionCount)
    }
    if fetch.activeCount > 0 {
      if lesson == nil {
        noteLaneFailure(&fetch, circumstances)
      } else {
        fetch.pause(at: circumstances.now.monotonic)
      }
      return Consequence(lesson: lesson)
    }
    if lesson != nil {
      teachingCount += 1
      return Consequence(next: .queued, lesson: lesson)
    }
    return Consequence(next: afterFailure(failure, retryAfter: nil, circumstances))
  }
}
