import KettleModel

/// The kinds of failures that decisions distinguish.
extension TransferFailure {
  /// Whether it concerns the disk and not the network.
  var isOfTheFile: Bool {
    switch code {
    case .directoryMissing, .directoryUnwritable, .diskFull, .nameTaken, .fileProblem,
      .checksumMismatch, .partialFileChanged, .notContinued, .unpackingFailed:
      true
    case .badURL, .tooManyRedirects, .redirectRefused, .httpStatus, .rangeReplyWrong,
      .encodedReply, .loginNeeded, .linkExpired, .otherVersion, .otherFile, .webPage,
      .checksumListUnusable, .metalinkUnusable, .torrentUnusable, .wrongPiece, .playlistUnusable,
      .listUnusable, .membersUnfinished, .membersFailed,
      .liveStream,
      .contradictoryReply, .networkDown, .hostNotFound, .nameServerSilent, .connectionRefused,
      .connectionLost, .timedOut, .noDataConnection, .tlsRefused, .proxyFailed,
      .proxyUnreachable, .proxyLoginNeeded, .protocolBroken,
      .certificateFileUnusable, .clientCertificateNeeded, .headersFileUnusable, .truncated,
      .tooLong,
      .internalProblem, .uploadFileUnusable, .storeRefused, .storeUnavailable, .uploadGone,
      .cancelled, .conditionUnmet:
      false
    }
  }

  /// A status with which servers refuse excess connections.
  var isRefusal: Bool { statusMeaning() == .host }

  /// An FTP server has no connection left.
  var isFullFTPServer: Bool { isRefusal && family == .ftp }

  /// The connection led to a server that is not meant (RFC 9110, section 15.5.20).
  var isMisdirected: Bool { code == .httpStatus && family == .http && statusNumber == 421 }

  /// How servers refuse excess connections without a reply.
  var isRefusedConnection: Bool {
    code == .connectionRefused || code == .connectionLost || code == .timedOut
  }

  /// Whether a missing network explains it.
  var mayBeTheNetwork: Bool {
    switch code {
    case .hostNotFound, .nameServerSilent, .connectionRefused, .connectionLost, .timedOut,
      .networkDown, .proxyUnreachable:
      true
    case .badURL, .tooManyRedirects, .redirectRefused, .httpStatus, .rangeReplyWrong,
      .encodedReply, .loginNeeded, .linkExpired, .otherVersion, .otherFile, .webPage,
      .checksumListUnusable, .metalinkUnusable, .torrentUnusable, .wrongPiece, .playlistUnusable,
      .listUnusable, .membersUnfinished, .membersFailed,
      .liveStream,
      .contradictoryReply, .noDataConnection, .tlsRefused, .proxyFailed, .proxyLoginNeeded,
      .protocolBroken,
      .certificateFileUnusable, .clientCertificateNeeded, .headersFileUnusable, .truncated,
      .tooLong, .internalProblem,
      .directoryMissing, .directoryUnwritable, .diskFull, .nameTaken, .fileProblem,
      .checksumMismatch, .partialFileChanged, .notContinued, .unpackingFailed, .uploadFileUnusable,
      .storeRefused, .storeUnavailable, .uploadGone, .cancelled, .conditionUnmet:
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

extension TransferFailure {
  /// The server requires a login.
  ///
  /// - Parameters:
  ///   - status: 401, or 407 of a proxy.
  ///   - words: what it said; nil for the status.
  ///   - user: whose login it has rejected; nil if none was sent.
  ///   - problem: why a login that the user has was not sent.
  static func loginNeeded(
    on url: TransferURL, status: Int, words: String? = nil, user: String?, problem: String? = nil
  ) -> TransferFailure {
    // A proxy knows nothing of the login for the server.
    let rejected = status == 401 ? user.map { "\(TransferFailure.rejectedLogin) \"\($0)\"" } : nil
    let parts = [words ?? "\(status)", rejected, problem].compactMap { $0 }.filter { !$0.isEmpty }
    return TransferFailure(.loginNeeded, on: url.text, detail: parts.joined(separator: "; "))
  }
}
