extension TransferFailure {
  /// States what failed, on what, and the remedy, in one sentence without a period. The dashboard,
  /// the commands and the log use the same sentence. Text from outside is sanitized for display.
  public var sentence: String { FailureSentence(failure: self, isRetried: false).text }

  /// The same for a transfer that is retried automatically.
  public var sentenceWhileRetrying: String {
    FailureSentence(failure: self, isRetried: true).text
  }
}

extension WaitingReason {
  /// Whether the transfer is retried after a failure until it succeeds.
  public var isRetry: Bool {
    switch self {
    case .retry, .retryAfter, .hostUnreachable, .proxy: true
    case .network, .diskSpace, .needsLink, .needsLogin, .needsDecision, .discretionary: false
    }
  }
}

extension TransferSnapshot {
  /// The sentence about its error, depending on its state; nil if it has no error.
  public var problemSentence: String? {
    reason?.isRetry == true ? error?.sentenceWhileRetrying : error?.sentence
  }
}

private struct FailureSentence {
  let failure: TransferFailure
  let isRetried: Bool

  /// The remedy, or that it is retried automatically.
  private func retry(orElse remedy: String = "start it again") -> String {
    isRetried ? "it will be retried" : remedy
  }

  var text: String {
    let name = failure.subject.sanitizedForDisplay()
    let status = failure.detail?.sanitizedForDisplay(limit: 200) ?? "an error"
    let said = failure.detail == nil ? "" : " (\(status))"
    return switch failure.code {
    case .badURL: "The URL \"\(name)\" cannot be used\(said); check it and add it again"
    case .tooManyRedirects:
      "\"\(name)\" redirects too many times\(said); open it in a browser and copy the final link"
    case .redirectRefused:
      "\"\(name)\" redirects to an address that is not allowed\(said); add the final link instead"
    case .httpStatus:
      "The server responded to \"\(name)\" with \(status); \(retry(orElse: "check the link, then start it again"))"
    case .rangeReplyWrong:
      "The server sent a different part of \"\(name)\" than requested\(said); \(retry())"
    case .encodedReply:
      "The server sent \"\(name)\" with a content encoding, so it cannot be resumed\(said); start it again"
    case .loginNeeded:
      "\"\(name)\" requires a login\(said); give one with kettle start ID --user NAME, which keeps everything"
    case .clientCertificateNeeded:
      "\"\(name)\" requires a client certificate\(said); only a program can provide one"
    case .linkExpired:
      "The link \"\(name)\" is no longer valid\(said); replace it with kettle start ID --url URL"
    case .otherVersion:
      "The file \"\(name)\" has changed on the server\(said); start it again"
    case .otherFile:
      "The link \"\(name)\" leads to a different file\(said); replace it with kettle start ID --url URL"
    case .webPage: webPage(name, said)
    case .contradictoryReply:
      "The server sent contradictory responses for \"\(name)\"\(said); \(retry(orElse: "start it again later, or stop it and start it to fetch it from the beginning"))"
    case .networkDown:
      "The network to \"\(name)\" is down\(said); it continues when the network is back"
    case .hostNotFound: "The host \"\(name)\" was not found; check its name and the network"
    case .nameServerSilent: silentNameServer(name, said)
    case .connectionRefused:
      "\"\(name)\" refused the connection\(said); \(retry(orElse: "check the address or try again later"))"
    case .connectionLost: "The connection to \"\(name)\" was lost\(said); \(retry())"
    case .timedOut:
      "\"\(name)\" did not respond in time\(said); \(retry(orElse: "start it again later"))"
    case .tlsRefused:
      "The identity of \"\(name)\" cannot be verified\(said); \(TLSProblem(detail: failure.detail).remedy)"
    case .proxyFailed: "The proxy for \"\(name)\" failed\(said); check the proxy settings"
    case .proxyUnreachable: unreachableProxy(name, said)
    case .proxyLoginNeeded: proxyLogin(name)
    case .protocolBroken:
      "\"\(name)\" sent a response that is not HTTP\(said); check the address"
    case .certificateFileUnusable:
      "The certificate file \"\(name)\" cannot be used\(said); check its path and that it is in PEM format"
    case .truncated: "The response for \"\(name)\" ended too early\(said); \(retry())"
    case .tooLong:
      "The response for \"\(name)\" is longer than announced\(said); start it again"
    case .directoryMissing:
      "The directory \"\(name)\" does not exist\(said); create it, then start it again"
    case .directoryUnwritable:
      "The directory \"\(name)\" is not writable\(said); change its permissions or choose another with -d"
    case .diskFull: "The disk of \"\(name)\" is full\(said); it continues when there is space"
    case .nameTaken:
      "\"\(name)\" already exists\(said); choose another name with -o, or use --on-conflict rename"
    case .fileProblem:
      "The file \"\(name)\" cannot be written\(said); check the disk, then start it again"
    case .checksumMismatch:
      "The checksum of \"\(name)\" does not match\(said); the file was not kept, so start it again"
    case .partialFileChanged:
      "Another program changed the partial file \"\(name)\"\(said); start it again"
    case .uploadFileUnusable:
      "The file \"\(name)\" cannot be uploaded\(said); check that it exists and is unchanged, then add it again"
    case .cancelled: "\"\(name)\" was cancelled\(said)"
    case .conditionUnmet:
      "Waiting for \(TransferCondition(rawValue: failure.subject)?.words ?? name); start it to continue without"
    case .internalProblem: "Internal error on \"\(name)\"\(said); please report it"
    }
  }
}

extension FailureSentence {
  fileprivate func webPage(_ name: String, _ said: String) -> String {
    "A web page arrived instead of the file \"\(name)\"\(said); take it with kettle accept ID, or request the file again with kettle start ID"
  }

  fileprivate func silentNameServer(_ name: String, _ said: String) -> String {
    "The address of \"\(name)\" could not be looked up because no name server answered\(said); \(retry(orElse: "check the network, then start it again"))"
  }

  fileprivate func unreachableProxy(_ name: String, _ said: String) -> String {
    "The proxy \"\(name)\" cannot be reached\(said); \(retry(orElse: "check the proxy settings"))"
  }

  fileprivate func proxyLogin(_ name: String) -> String {
    let problem = failure.detail?.sanitizedForDisplay(limit: 200) ?? "requires a login"
    return "The proxy \"\(name)\" \(problem); correct the proxy settings"
  }
}

extension TransferCondition {
  /// The condition as an object of "waiting for".
  public var words: String {
    switch self {
    case .mainsPower: "mains power"
    case .unmeteredNetwork: "an unmetered network"
    }
  }
}
