import TransferModel

/// What follows the end of an attempt.
extension TransferMachine {
  func afterEnd(
    _ end: SettledEnd, policy: RetryPolicy, jitter: Double, at now: Moment
  ) -> AfterEnding {
    switch end {
    case .complete:
      guard let resumeData = record.resumeData else {
        let failure = TransferFailure(.internalProblem, on: record.spec.url.text)
        return .failed(failure)
      }
      guard let total = resumeData.totalByteCount else { return .whole }
      let held = resumeData.held.prefixByteCount
      if held == total { return .whole }
      let failure = TransferFailure(
        .truncated, on: record.spec.url.text, detail: "\(held) of \(total) bytes")
      return afterFailure(failure, retryAfter: nil, policy: policy, jitter: jitter, at: now)
    case .cancelled: return .queued
    case .failed(let failure):
      if failure.isOfTheFile { return afterFileFailure(failure, policy: policy, at: now) }
      return afterFailure(failure, retryAfter: nil, policy: policy, jitter: jitter, at: now)
    }
  }

  func afterFailure(
    _ failure: TransferFailure, retryAfter: RetryAfter?, policy: RetryPolicy, jitter: Double,
    at now: Moment
  ) -> AfterEnding {
    let hasBytes = !(record.resumeData?.held.isEmpty ?? true)
    switch policy.decide(
      failure, retryCount: record.retryCount, hasBytes: hasBytes, retryAfter: retryAfter,
      jitter: jitter)
    {
    case .giveUp: return .failed(failure)
    case .retry(let milliseconds, let reason):
      return .waiting(
        Waiting(
          reason: reason, until: now.monotonic.advanced(byMilliseconds: milliseconds),
          goesOnAt: now.wall.advanced(byMilliseconds: milliseconds), failure: failure))
    }
  }

  /// A full disk is waited for; everything else about the file needs the user.
  func afterFileFailure(
    _ failure: TransferFailure, policy: RetryPolicy, at now: Moment
  ) -> AfterEnding {
    guard failure.code == .diskFull else { return .failed(failure) }
    let milliseconds = policy.diskSpaceMilliseconds
    return .waiting(
      Waiting(
        reason: .diskSpace, until: now.monotonic.advanced(byMilliseconds: milliseconds),
        goesOnAt: now.wall.advanced(byMilliseconds: milliseconds), failure: failure))
  }

  func afterRedirect(to location: String, from running: Running) -> AfterEnding {
    switch RedirectPolicy.decide(
      location: location, from: running.url, redirectCount: running.redirectCount)
    {
    case .follow(let url):
      return .askAgain(.following(url, redirectCount: running.redirectCount + 1))
    case .refuse(let failure): return .failed(failure)
    }
  }
}

extension TransferFailure {
  /// About the disk, not about the network.
  var isOfTheFile: Bool {
    switch code {
    case .directoryMissing, .directoryUnwritable, .diskFull, .nameTaken, .fileProblem,
      .checksumMismatch, .partialFileChanged:
      true
    case .badURL, .tooManyRedirects, .redirectRefused, .httpStatus, .rangeReplyWrong,
      .encodedReply, .loginNeeded, .linkExpired, .hostNotFound, .connectionRefused,
      .connectionLost, .timedOut, .tlsRefused, .proxyFailed, .protocolBroken,
      .certificateFileUnusable, .truncated, .tooLong, .internalProblem:
      false
    }
  }
}
