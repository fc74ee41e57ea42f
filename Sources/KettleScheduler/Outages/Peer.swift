import KettleModel

/// What a transfer must reach.
package enum Peer: Sendable, Hashable {
  case host(Origin)
  /// A proxy, by its host and port.
  case proxy(String)

  /// Why transfers wait for it.
  var waitingReason: WaitingReason {
    switch self {
    case .host: .hostUnreachable
    case .proxy: .proxy
    }
  }
}

/// What a transfer that waits for a peer learns about it.
package enum PeerNews: Sendable, Hashable {
  case answers
  /// This transfer is the next to try it.
  case probe
  /// The next attempt is made at this time.
  case pausing(until: Moment)
  case givenUp
}

/// What the failure of an attempt means for its peer.
package enum OutageVerdict: Sendable, Hashable {
  /// Nothing: the failure is of the transfer.
  case notOfPeer
  /// It cannot be reached; the next attempt is made at this time.
  case pausing(Peer, until: Moment)
  /// It has never answered, and was tried for long enough.
  case givenUp(Peer)
}

extension TransferFailure {
  /// The peer that cannot be reached, if this failure before a response can show that.
  func peer(at origin: Origin) -> Peer? {
    switch code {
    case .hostNotFound, .nameServerSilent, .connectionRefused, .timedOut, .networkDown:
      .host(origin)
    case .proxyUnreachable, .proxyLoginNeeded: .proxy(subject)
    case .badURL, .tooManyRedirects, .redirectRefused, .httpStatus, .rangeReplyWrong,
      .encodedReply, .loginNeeded, .linkExpired, .otherVersion, .otherFile, .webPage,
      .checksumListUnusable, .metalinkUnusable, .playlistUnusable, .liveStream,
      .contradictoryReply, .connectionLost, .noDataConnection, .tlsRefused, .proxyFailed,
      .protocolBroken,
      .certificateFileUnusable, .clientCertificateNeeded, .headersFileUnusable, .truncated,
      .tooLong,
      .directoryMissing, .directoryUnwritable, .diskFull, .nameTaken, .fileProblem,
      .checksumMismatch, .partialFileChanged, .notContinued, .unpackingFailed, .uploadFileUnusable,
      .cancelled, .conditionUnmet,
      .internalProblem:
      nil
    }
  }

  /// Whether nothing has answered, neither the host nor a machine that speaks for it: packets were
  /// lost on the way, or a router knows no way.
  var isSilence: Bool { [.timedOut, .nameServerSilent, .networkDown].contains(code) }
}
