import KettleModel

/// What follows a failure or a redirect.
extension TransferMachine {
  func afterFailure(
    _ failure: TransferFailure, retryAfter: RetryAfter?, _ circumstances: Circumstances
  ) -> AfterEnding {
    let now = circumstances.now
    var failure = failure
    if circumstances.network == .absent, failure.mayBeTheNetwork, !record.spec.url.isLoopback {
      failure = TransferFailure(.networkDown, on: failure.subject, detail: failure.detail)
    }
    let hasBytes = !(record.resumeData?.held.isEmpty ?? true)
    // A request timeout set by the program does not end a task that has a time limit of its own.
    let isBounded = failure.code == .timedOut && deadlineIsSet
    let retryCountMax = max(0, circumstances.retryPolicy.retryCountMax - 1)
    switch circumstances.retryPolicy.decide(
      failure, retryCount: isBounded ? min(record.retryCount, retryCountMax) : record.retryCount,
      hasBytes: hasBytes, retryAfter: retryAfter, jitter: circumstances.jitter)
    {
    case .giveUp: return .failed(failure)
    case .retry(let milliseconds, let reason):
      return .waiting(
        Waiting(
          reason: reason, until: now.monotonic.advanced(byMilliseconds: milliseconds),
          goesOnAt: now.wall.advanced(byMilliseconds: milliseconds), failure: failure))
    }
  }

  /// A full disk is waited for; every other file problem needs the user.
  func afterFileFailure(
    _ failure: TransferFailure, _ circumstances: Circumstances
  ) -> AfterEnding {
    guard failure.code == .diskFull else { return .failed(failure) }
    let milliseconds = circumstances.retryPolicy.diskSpaceMilliseconds
    let now = circumstances.now
    return .waiting(
      Waiting(
        reason: .diskSpace, until: now.monotonic.advanced(byMilliseconds: milliseconds),
        goesOnAt: now.wall.advanced(byMilliseconds: milliseconds), failure: failure))
  }

  mutating func afterRedirect(
    _ head: ResponseHead, from reach: NetworkReach, to location: String, of lane: Lane,
    _ fetch: Fetch
  ) -> AfterEnding {
    switch RedirectPolicy.decide(
      location: location, from: lane.url, redirectCount: lane.redirects.count)
    {
    case .follow(let url):
      return .askAgain(
        AskAgain(
          url: url, redirects: lane.redirects.followed(by: reach), asking: fetch.asking,
          content: RedirectPolicy.content(lane.content, after: head.status)))
    case .refuse(let failure):
      noteReply(head, from: lane.url)
      return .failed(failure)
    }
  }

  /// Begins another attempt from the original URL. A file that changes with each request would
  /// otherwise be restarted endlessly.
  mutating func asksAgain(_ asking: Asking) -> AfterEnding {
    if case .fresh(let reason) = asking {
      if record.resumeData != nil { record.freshStart = reason }
      freshStartCount += 1
      if freshStartCount > Self.freshStartCountMax {
        return .failed(tooManyFreshStarts(reason))
      }
    }
    return .askAgain(
      AskAgain(
        url: record.spec.url, redirects: .none, asking: asking, content: record.spec.content))
  }
}

extension TransferMachine {
  private func tooManyFreshStarts(_ reason: FreshStartReason) -> TransferFailure {
    switch reason {
    case .partialFileChanged:
      TransferFailure(
        .partialFileChanged, on: record.resumeData?.partialPath ?? record.spec.url.text,
        detail: "\(freshStartCount) times")
    case .resourceChanged, .rangeIgnored, .noValidator, .asked:
      TransferFailure(
        .otherVersion, on: record.spec.url.text,
        detail: "it was another one \(freshStartCount) times")
    }
  }
}

extension TransferFailure {
  /// Whether it concerns the disk and not the network.
  var isOfTheFile: Bool {
    switch code {
    case .directoryMissing, .directoryUnwritable, .diskFull, .nameTaken, .fileProblem,
      .checksumMismatch, .partialFileChanged:
      true
    case .badURL, .tooManyRedirects, .redirectRefused, .httpStatus, .rangeReplyWrong,
      .encodedReply, .loginNeeded, .linkExpired, .otherVersion, .otherFile, .contradictoryReply,
      .networkDown,
      .hostNotFound,
      .connectionRefused, .connectionLost, .timedOut, .tlsRefused, .proxyFailed, .protocolBroken,
      .certificateFileUnusable, .clientCertificateNeeded, .truncated, .tooLong,
      .internalProblem, .uploadFileUnusable,
      .cancelled, .conditionUnmet:
      false
    }
  }

  /// The name is taken by a file, and not by a directory or a dangling link, which `detail` would
  /// say. With `ConflictPolicy.skip` the transfer is then complete.
  package var isOfFileThere: Bool { code == .nameTaken && detail == nil }

  /// A status with which servers refuse excess connections.
  var isRefusal: Bool { code == .httpStatus && (detail == "503" || detail == "429") }

  /// How servers refuse excess connections without a reply.
  var isRefusedConnection: Bool {
    code == .connectionRefused || code == .connectionLost || code == .timedOut
  }

  /// Whether a missing network explains it.
  var mayBeTheNetwork: Bool {
    switch code {
    case .hostNotFound, .connectionRefused, .connectionLost, .timedOut, .networkDown: true
    case .badURL, .tooManyRedirects, .redirectRefused, .httpStatus, .rangeReplyWrong,
      .encodedReply, .loginNeeded, .linkExpired, .otherVersion, .otherFile, .contradictoryReply,
      .tlsRefused,
      .proxyFailed,
      .protocolBroken, .certificateFileUnusable, .clientCertificateNeeded, .truncated,
      .tooLong, .internalProblem,
      .directoryMissing, .directoryUnwritable, .diskFull, .nameTaken, .fileProblem,
      .checksumMismatch, .partialFileChanged, .uploadFileUnusable, .cancelled, .conditionUnmet:
      false
    }
  }
}

extension TransferURL {
  /// On this machine, so that no network is needed.
  var isLoopback: Bool {
    host == "localhost" || host == "[::1]" || host == "::1" || host.hasPrefix("127.")
  }
}
