extension TransferFailure {
  /// What failed, on what, and what to do: one sentence without a period, the same in the
  /// dashboard, the commands and the log. What came from outside in it is safe to show.
  public var sentence: String { FailureWords(failure: self, isRetried: false).sentence }

  /// The same for a transfer that is retried automatically and needs no restart by the user.
  public var sentenceWhileRetrying: String {
    FailureWords(failure: self, isRetried: true).sentence
  }
}

extension WaitingReason {
  /// Whether the transfer is tried again after a failure, without anything that would have to
  /// change first.
  public var isRetry: Bool {
    switch self {
    case .retry, .retryAfter: true
    case .network, .diskSpace, .needsLink, .needsLogin, .discretionary: false
    }
  }
}

extension TransferSnapshot {
  /// What went wrong, as it is said of a transfer in its state; nil when nothing did.
  public var problemSentence: String? {
    reason?.isRetry == true ? error?.sentenceWhileRetrying : error?.sentence
  }
}

private struct FailureWords {
  let failure: TransferFailure
  let isRetried: Bool

  /// The remedy, where it is a retry.
  private func again(_ advice: String = "start it again") -> String {
    isRetried ? "it is tried again" : advice
  }

  var sentence: String {
    let name = failure.subject.sanitizedForDisplay()
    let status = failure.detail?.sanitizedForDisplay(limit: 200) ?? "an error"
    let said = failure.detail == nil ? "" : " (\(status))"
    return switch failure.code {
    case .badURL: "The URL \"\(name)\" cannot be used\(said); check it and add it again"
    case .tooManyRedirects:
      "\"\(name)\" redirects too often\(said); open it in a browser and copy the final link"
    case .redirectRefused:
      "\"\(name)\" redirects to a place that is not allowed\(said); add the final link itself"
    case .httpStatus:
      "The server answered \"\(name)\" with \(status); \(again("check the link, then start it again"))"
    case .rangeReplyWrong:
      "The server sent another part of \"\(name)\" than was asked for\(said); \(again())"
    case .encodedReply:
      "The server sent \"\(name)\" encoded, which cannot be resumed\(said); start it again"
    case .loginNeeded: "\"\(name)\" asks for a login\(said); add it again with --user"
    case .clientCertificateNeeded:
      "\"\(name)\" wants a certificate of the client\(said); only a program can give it one"
    case .linkExpired:
      "The link \"\(name)\" is no longer valid\(said); give it a fresh one with kettle start ID --url URL"
    case .otherVersion:
      "The server has another version of \"\(name)\" than was begun\(said); start it again"
    case .otherFile:
      "The link \"\(name)\" leads to another file than was begun\(said); give it the right one with kettle start ID --url URL"
    case .contradictoryReply:
      "The server contradicts itself about \"\(name)\"\(said); \(again("start it again later, or stop it and start it to fetch it from zero"))"
    case .networkDown:
      "There is no network to \"\(name)\"\(said); it goes on when the network is back"
    case .hostNotFound: "The host \"\(name)\" was not found; check its name and the network"
    case .connectionRefused:
      "\"\(name)\" refuses connections\(said); \(again("check the address or try again later"))"
    case .connectionLost: "The connection to \"\(name)\" was lost\(said); \(again())"
    case .timedOut:
      "\"\(name)\" did not answer in time\(said); \(again("start it again later"))"
    case .tlsRefused:
      "The identity of \"\(name)\" cannot be trusted\(said); if it is yours, give its authority with --ca-certificate"
    case .proxyFailed:
      "The proxy for \"\(name)\" failed\(said); check the proxy settings"
    case .protocolBroken:
      "\"\(name)\" sent something that is not HTTP\(said); check the address"
    case .certificateFileUnusable:
      "The certificate file \"\(name)\" cannot be used\(said); check the path and that it is PEM"
    case .truncated:
      "\"\(name)\" ended too early\(said); \(again())"
    case .tooLong:
      "\"\(name)\" sent more than it announced\(said); start it again"
    case .directoryMissing:
      "The directory \"\(name)\" is not there\(said); create it, then start it again"
    case .directoryUnwritable:
      "The directory \"\(name)\" cannot be written to\(said); change its permissions or choose another with -d"
    case .diskFull:
      "The disk of \"\(name)\" is full\(said); it goes on when there is space"
    case .nameTaken:
      "\"\(name)\" already exists\(said); choose another name with -o, or --on-conflict rename"
    case .fileProblem:
      "The file \"\(name)\" cannot be written\(said); check the disk, then start it again"
    case .checksumMismatch:
      "\"\(name)\" does not have the expected checksum\(said); the file was not kept, start it again"
    case .partialFileChanged:
      "The partial file \"\(name)\" was changed by another program\(said); start it again"
    case .uploadFileUnusable:
      "The file \"\(name)\" cannot be sent\(said); check that it is there and unchanged, then add it again"
    case .cancelled: "\"\(name)\" was cancelled\(said)"
    case .conditionUnmet:
      "It waits for \(TransferCondition(rawValue: failure.subject)?.words ?? name); start it to go on without"
    case .internalProblem:
      "Kettle went wrong on \"\(name)\"\(said); please report it"
    }
  }
}

extension TransferCondition {
  /// As it stands after "waits for".
  public var words: String {
    switch self {
    case .mainsPower: "mains power"
    case .unmeteredNetwork: "a network that is not metered"
    }
  }
}
