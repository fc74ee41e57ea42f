import KettleModel

/// The kinds of failures that decisions distinguish.
extension TransferFailure {
  /// Whether it concerns the disk and not the network.
  var isOfTheFile: Bool {
    switch code {
    case .directoryMissing, .directoryUnwritable, .diskFull, .nameTaken, .fileProblem,
      .checksumMismatch, .checksumUnavailable, .partialFileChanged:
      true
    case .badURL, .tooManyRedirects, .redirectRefused, .httpStatus, .rangeReplyWrong,
      .encodedReply, .loginNeeded, .linkExpired, .otherVersion, .otherFile, .webPage,
      .contradictoryReply, .networkDown, .hostNotFound, .nameServerSilent, .connectionRefused,
      .connectionLost, .timedOut, .tlsRefused, .proxyFailed, .proxyUnreachable,
      .proxyLoginNeeded, .protocolBroken,
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
    case .hostNotFound, .nameServerSilent, .connectionRefused, .connectionLost, .timedOut,
      .networkDown, .proxyUnreachable:
      true
    case .badURL, .tooManyRedirects, .redirectRefused, .httpStatus, .rangeReplyWrong,
      .encodedReply, .loginNeeded, .linkExpired, .otherVersion, .otherFile, .webPage,
      .contradictoryReply, .tlsRefused, .proxyFailed, .proxyLoginNeeded, .protocolBroken,
      .certificateFileUnusable, .clientCertificateNeeded, .truncated,
      .tooLong, .internalProblem,
      .directoryMissing, .directoryUnwritable, .diskFull, .nameTaken, .fileProblem,
      .checksumMismatch, .checksumUnavailable, .partialFileChanged, .uploadFileUnusable,
      .cancelled, .conditionUnmet:
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
  ///   - user: whose login it has rejected; nil if none was sent.
  static func loginNeeded(on url: TransferURL, status: Int, user: String?) -> TransferFailure {
    // A proxy knows nothing of the login for the server.
    let rejected = status == 401 ? user.map { "; it rejected the login of \"\($0)\"" } : nil
    return TransferFailure(.loginNeeded, on: url.text, detail: "\(status)" + (rejected ?? ""))
  }
}
