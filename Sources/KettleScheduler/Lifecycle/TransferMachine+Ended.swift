import KettleModel

/// The end of an attempt.
extension TransferMachine {
  /// Actions returned by `attemptEnded(…)`.
  package enum EndedAction: Sendable, Hashable {
    case nothing
    /// The others go on, less those that are cancelled here because nobody needs them any more.
    case goOn(cancelling: [AttemptID], HostTable.Lesson?)
    /// It is over for the others too.
    case cancelAttempts([AttemptID], HostTable.Lesson?)
    /// No attempt is left.
    case closeBody(OperationID, HostTable.Lesson?)
  }

  /// What an end means for the transfer.
  private struct Consequence {
    /// nil while the transfer goes on as it is.
    var next: AfterEnding?
    var lesson: HostTable.Lesson?
  }

  /// The transport has let go of an attempt.
  ///
  /// - Parameter receivedUpTo: how far its body went; nil when nothing of it counts.
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

  /// Nothing fetches and nothing can be begun, though the body is open: goes back in line.
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

  /// Two copies that differ make a file wrong even when the one that found it out was being
  /// cancelled because the other one was first.
  private mutating func corrected(_ next: AfterEnding, by outcome: AttemptOutcome) -> AfterEnding {
    guard case .failed(let failure) = outcome, failure.code == .otherVersion, next == .whole else {
      return next
    }
    return asksAgain(.fresh(.resourceChanged))
  }

  /// Lanes whose rest others have brought.
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

  /// While others go on, a connection that is challenged is one that failed.
  private mutating func afterChallenged(
    _ lane: Lane, _ failure: TransferFailure, _ challenge: ServerChallenge, _ fetch: inout Fetch,
    _ circumstances: Circumstances
  ) -> Consequence {
    guard fetch.activeCount == 0, let next = asksProgram(challenge, because: failure) else {
      return afterFailed(lane, failure, &fetch, circumstances)
    }
    return Consequence(next: next)
  }

  /// A lane that was given up because nothing came from it is a failure like any other: without the
  /// count of retries a server that sends heads and no bodies would be asked for ever.
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
      .timedOut, on: record.spec.url.text, detail: "nothing came for \(silence / 1000) seconds")
    return Consequence(next: afterFailure(failure, retryAfter: nil, circumstances))
  }

  /// Bytes that came in set the count of retries back, where they stay.
  private mutating func noteArrivals(_ fetch: Fetch) {
    guard keepsBytes, fetch.received.byteCount > fetch.heldAtStartByteCount else { return }
    record.retryCount = 0
  }

  private func isWhole(_ fetch: Fetch) -> Bool {
    guard let total = record.resumeData?.totalByteCount else { return false }
    switch fetch.body {
    case .open: return fetch.received.prefixByteCount == total
    // A small body is there before the store knows its file; both go on record together. What was
    // held before is still to be proved then.
    case .opened: return fetch.heldAtStartByteCount == 0 && fetch.received.prefixByteCount == total
    case .closed, .opening: return false
    }
  }

  private mutating func afterComplete(
    _ lane: Lane, _ fetch: inout Fetch, _ circumstances: Circumstances
  ) -> Consequence {
    if isWhole(fetch) { return Consequence(next: .whole) }
    guard let range = lane.range else {
      // A body that ends before what was held of it is another one, however well it began.
      if lane.receivedUpTo < fetch.received.upperBound {
        return Consequence(next: asksAgain(.fresh(.resourceChanged)))
      }
      // Its own end was the only thing that could tell the size.
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
    // A longer file is another one, where the length was known from before.
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
      // The attempt knows where it was led, and the user what was asked for.
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
