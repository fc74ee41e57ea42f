import CKettleCurl
import KettleEngine
import KettleModel

/// How an exchange with a server of files ended.
extension CurlAttempt {
  /// Decides how an exchange ended that brought no byte of the file.
  func fileVerdict(on code: CURLcode) -> Verdict {
    if code == CURLE_OK {
      guard let head = bodyHead(isEmpty: true) else {
        return .ended(.failed(TransferFailure(.protocolBroken, on: url.origin.text)))
      }
      guard report(head) else { return verdict(on: code) }
      return .endedBeforeAccept(end(for: code))
    }
    if let end = hostKeyEnd { return .ended(end) }
    if let head = refusal(code), report(head) { return .endedBeforeAccept(.complete) }
    return .ended(endBeforeHead(code))
  }

  /// Returns what an FTP server complained about after all announced bytes had arrived: what it
  /// cannot confirm is not the whole file. nil when it confirmed or said nothing.
  func problemAfterFile(_ code: CURLcode) -> TransferFailure? {
    awaitsEndOfFile && code == CURLE_PARTIAL_FILE ? longBody(file?.replies.last?.words) : nil
  }

  /// Whether all announced bytes have arrived and only the confirmation has not. Some servers end
  /// the TLS of the data connection without a notice, and libcurl reports that as an error.
  func isFileWhole(_ code: CURLcode) -> Bool {
    file != nil && isWhole
      && [CURLE_ABORTED_BY_CALLBACK, CURLE_OPERATION_TIMEDOUT, CURLE_RECV_ERROR].contains(code)
  }

  private func refusal(_ code: CURLcode) -> ResponseHead? {
    guard let file, addressRefusal == nil, code != CURLE_USE_SSL_FAILED else { return nil }
    switch file.family {
    case .http: return nil
    case .ftp:
      let reply = file.replies.last
      return FileRefusal(byFTP: code, after: reply).map {
        ResponseHead(status: $0.rawValue, serverWords: reply?.words ?? "")
      }
    case .sftp:
      return FileRefusal(bySFTP: code).map {
        ResponseHead(
          status: $0.rawValue, serverWords: $0.wordsOfSFTP(withPassword: file.hasPassword))
      }
    }
  }

  /// nil when the host key is not the reason.
  private var hostKeyEnd: AttemptEnd? {
    guard let file else { return nil }
    switch file.hostKey {
    case .pending, .accepted: return nil
    case .unreadable:
      return .failed(
        TransferFailure(
          .tlsRefused, on: url.hostAndPort, detail: "its host key cannot be read"))
    case .changed(let key):
      return .failed(
        TransferFailure(
          .tlsRefused, on: url.hostAndPort,
          detail: "its host key \(key.shownFingerprint) \(TLSProblem.otherHostKeyWords)"))
    case .unknown(let key):
      var failure = TransferFailure(
        .tlsRefused, on: url.hostAndPort,
        detail: "its host key \(key.shownFingerprint) is not in known_hosts")
      failure.certificate = key.certificate(of: url.origin)
      var challenge = ServerChallenge(
        kind: .serverTrust, origin: url.origin.text, failureCount: 0)
      challenge.serverKey = key.fingerprint
      return .untrusted(failure, challenge)
    }
  }

  /// The failures of servers of files; nil for one that HTTP has as well.
  func fileFailure(for code: CURLcode) -> TransferFailure? {
    guard let file else { return nil }
    let said = String(cString: errorText).sanitizedForDisplay(limit: 120)
    switch file.family {
    case .http: return nil
    case .ftp: return ftpFailure(for: code, file)
    case .sftp: return sftpFailure(for: code, said)
    }
  }

  private func ftpFailure(for code: CURLcode, _ file: FileExchange) -> TransferFailure? {
    let reply = file.replies.last
    func failure(_ code: TransferFailure.Code, _ detail: String?) -> TransferFailure {
      TransferFailure(code, on: url.hostAndPort, detail: detail)
    }
    switch code {
    case CURLE_USE_SSL_FAILED:
      guard let demand = file.demandOfTLS else {
        return failure(.tlsRefused, TLSProblem.noTLSWords)
      }
      return failure(.tlsRefused, "\(TLSProblem.demandedTLSWords): \(demand.words)")
    case CURLE_FTP_WEIRD_PASV_REPLY, CURLE_FTP_WEIRD_227_FORMAT, CURLE_FTP_CANT_GET_HOST:
      return failure(.noDataConnection, reply?.words)
    case CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT:
      return file.replies.isAwaitingDataConnection ? noDataConnection : nil
    case CURLE_FTP_COULDNT_RETR_FILE where reply?.code == 425:
      return failure(.noDataConnection, reply?.words)
    case CURLE_FTP_COULDNT_RETR_FILE, CURLE_ABORTED_BY_CALLBACK:
      return failure(.truncated, reply?.words)
    case CURLE_WEIRD_SERVER_REPLY, CURLE_FTP_COULDNT_SET_TYPE, CURLE_FTP_WEIRD_PASS_REPLY:
      return TransferFailure(.protocolBroken, on: url.origin.text, detail: reply?.words)
    default: return nil
    }
  }

  /// The data connection that the server offered cannot be established.
  var noDataConnection: TransferFailure {
    TransferFailure(
      .noDataConnection, on: url.hostAndPort, detail: "its passive port does not respond")
  }

  /// libssh2 has few codes, and without a text the connection is gone or nothing could be read.
  private func sftpFailure(for code: CURLcode, _ said: String) -> TransferFailure? {
    switch code {
    case CURLE_SSH, CURLE_FAILED_INIT, CURLE_ABORTED_BY_CALLBACK: break
    default: return nil
    }
    if said.isEmpty {
      var detail: String?
      if case .awaitingHead = phase { detail = "nothing could be read; it may be a directory" }
      return TransferFailure(.connectionLost, on: url.hostAndPort, detail: detail)
    }
    let text = said.lowercased()
    let isLost = ["banner", "socket", "disconnect", "recv", "send"].contains(where: text.contains)
    return isLost
      ? TransferFailure(.connectionLost, on: url.hostAndPort, detail: said)
      : TransferFailure(.protocolBroken, on: url.origin.text, detail: said)
  }
}
