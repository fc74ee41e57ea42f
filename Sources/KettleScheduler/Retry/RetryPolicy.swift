import KettleModel

/// Decides whether a failed attempt is retried, when, and with which reason.
///
///     retry    1    2    3    4    5     6     7     8     9, 10
///     after    1 s  2 s  4 s  8 s  16 s  32 s  60 s  60 s  60 s
///
/// each lengthened by up to a quarter at random, so that a thousand transfers interrupted by one
/// fault do not return at the same instant. Received bytes reset the count to zero.
package struct RetryPolicy: Sendable, Hashable {
  package var firstDelayMilliseconds: Int64 = 1000
  package var delayMillisecondsMax: Int64 = 60_000
  package var retryCountMax = 10
  /// A host that is not found and never responded is more likely misspelled than down.
  package var retryCountMaxUnanswered = 2
  /// How long a host is tried that cannot be reached and never responded.
  package var unservedMillisecondsMax: Int64 = 5 * 60_000
  /// The pause before the first probe of an outage; it doubles up to the longest one.
  package var firstProbeMilliseconds: Int64 = 1000
  package var probeMillisecondsMax: Int64 = 30_000
  /// How long a host that sends no answer of any kind is probed without growing pauses.
  package var silentMillisecondsMax: Int64 = 15 * 60_000
  /// A host that responded within this time is tried without a limit.
  package var servedMilliseconds: Int64 = 24 * 3600 * 1000
  /// How often a missing network is checked; its return is reported besides.
  package var networkMilliseconds: Int64 = 30_000
  /// How often a host is asked behind a network that wants a login.
  package var networkLoginMilliseconds: Int64 = 10_000
  /// How often a full disk is checked.
  package var diskSpaceMilliseconds: Int64 = 10_000

  /// No server may delay a transfer by more than a day.
  package static let waitMillisecondsMax: Int64 = 24 * 3600 * 1000

  package init() {}

  /// Returns the policy for a transfer: with what the user has chosen for it.
  package func adapted(to options: TransferOptions) -> RetryPolicy {
    var adapted = self
    if let attemptsMax = options.attemptsMax {
      let retryCount = attemptsMax == 0 ? Int.max : attemptsMax - 1
      adapted.retryCountMax = retryCount
      adapted.retryCountMaxUnanswered = retryCount
    }
    if let seconds = options.retryDelaySeconds {
      adapted.firstDelayMilliseconds = Int64(seconds) * 1000
      adapted.delayMillisecondsMax = max(delayMillisecondsMax, adapted.firstDelayMilliseconds)
    }
    return adapted
  }

  package enum Decision: Sendable, Hashable {
    case retry(afterMilliseconds: Int64, because: WaitingReason)
    case giveUp
  }

  /// - Parameter jitter: 0…1, drawn by the caller.
  package func decide(
    _ failure: TransferFailure, retryCount: Int, hasBytes: Bool, retryAfter: RetryAfter?,
    jitter: Double
  ) -> Decision {
    guard isTransient(failure, hasRetryAfter: retryAfter != nil) else { return .giveUp }
    if failure.code == .networkDown {
      return .retry(afterMilliseconds: networkMilliseconds, because: .network)
    }
    if failure.asksForNetworkLogin {
      return .retry(afterMilliseconds: networkLoginMilliseconds, because: .network)
    }
    if let retryAfter {
      // A server may say when to ask again and refuse the same request each time.
      if failure.statusMeaning() == .final, retryCount >= retryCountMax { return .giveUp }
      let milliseconds = min(max(retryAfter.milliseconds, 1000), Self.waitMillisecondsMax)
      return .retry(afterMilliseconds: milliseconds, because: .retryAfter)
    }
    let mayBeMisspelled = failure.code == .hostNotFound && !hasBytes
    let limit = mayBeMisspelled ? retryCountMaxUnanswered : retryCountMax
    // A full server has room again when other clients leave.
    guard retryCount < limit || failure.isFullFTPServer else { return .giveUp }
    return .retry(
      afterMilliseconds: delayMilliseconds(retryCount: retryCount, jitter: jitter),
      because: .retry)
  }

  /// How long the host of a refused request must not be contacted because the network requires a
  /// login; nil if it does not. A host that asks for a pause is closed by its response.
  func closedMilliseconds(_ failure: TransferFailure, _ retryAfter: RetryAfter?) -> Int64? {
    switch failure.statusMeaning(hasRetryAfter: retryAfter != nil) {
    case .network: networkLoginMilliseconds
    case .host, .passing, .final, .user, nil: nil
    }
  }

  package func delayMilliseconds(retryCount: Int, jitter: Double) -> Int64 {
    let doublings = min(max(retryCount, 0), 20)
    let base = min(firstDelayMilliseconds << doublings, delayMillisecondsMax)
    return base + Int64(Double(base) * 0.25 * min(max(jitter, 0), 1))
  }

  private func isTransient(_ failure: TransferFailure, hasRetryAfter: Bool) -> Bool {
    switch failure.code {
    case .hostNotFound, .nameServerSilent, .connectionRefused, .connectionLost, .timedOut,
      .noDataConnection, .proxyFailed, .proxyUnreachable, .proxyLoginNeeded, .truncated,
      .rangeReplyWrong,
      .contradictoryReply, .protocolBroken, .networkDown, .storeUnavailable:
      true
    case .httpStatus:
      switch failure.statusMeaning(hasRetryAfter: hasRetryAfter) {
      case .passing, .host, .network: true
      case .final, .user, nil: false
      }
    case .checksumListUnusable, .metalinkUnusable, .torrentUnusable, .wrongPiece, .playlistUnusable,
      .listUnusable, .membersUnfinished, .membersFailed,
      .liveStream,
      .otherVersion, .otherFile, .webPage, .badURL, .tooManyRedirects, .redirectRefused,
      .encodedReply,
      .loginNeeded,
      .linkExpired,
      .tlsRefused, .certificateFileUnusable, .clientCertificateNeeded, .headersFileUnusable,
      .tooLong,
      .directoryMissing, .directoryUnwritable,
      .diskFull, .nameTaken, .fileProblem, .checksumMismatch,
      .partialFileChanged, .notContinued, .unpackingFailed,
      .internalProblem, .uploadFileUnusable, .storeRefused, .uploadGone, .cancelled,
      .conditionUnmet:
      false
    }
  }
}
