import CCurl
import TransferEngine
import TransferModel

extension CurlAttempt {
  /// Decides how the attempt ended, when libcurl is done with it. A head that was held back for a
  /// login is told on the way.
  func verdict(on code: CURLcode) -> Verdict {
    loop.assertIsOnThread()
    switch phase {
    case .givenUp(let end): return .ended(end)
    case .connecting, .awaitingHead:
      guard code == CURLE_OK else { return .ended(.failed(failure(for: code))) }
      guard let head = headReader.heldBackHead else {
        return .ended(.failed(TransferFailure(.protocolBroken, on: url.hostAndPort)))
      }
      if tell(head) { return .endedBeforeAccept(end(for: code)) }
      return verdict(on: code)
    case .headTold: return .endedBeforeAccept(end(for: code))
    case .bodyHeld: return .endedBeforeAccept(endWithBytesHeld(code))
    case .receiving: return .ended(end(for: code))
    case .blocked, .throttled: return .ended(endWithBytesHeld(code))
    }
  }

  /// libcurl counts the bytes too. Counting what the sink took makes `complete` true whatever
  /// libcurl's pausing did.
  private func end(for code: CURLcode) -> AttemptEnd {
    guard code == CURLE_OK else { return .failed(failure(for: code)) }
    let host = url.hostAndPort
    switch bodyEnd {
    case .byteCount(let announced) where announced != deliveredByteCount:
      return .failed(
        TransferFailure(
          deliveredByteCount < announced ? .truncated : .tooLong, on: host,
          detail: "\(deliveredByteCount) of \(announced) bytes came"))
    case .connectionEnd where url.scheme == .https && !isClosedByServer && Self.mustSeeAlert:
      return .failed(
        TransferFailure(.truncated, on: host, detail: "the connection was cut"))
    case .byteCount, .lastChunk, .connectionEnd, nil: return .complete
    }
  }

  /// Whether the end of a TLS connection counts only with an alert that we saw. With OpenSSL,
  /// libcurl 7.88 takes the bare end of TCP, which anyone on the way can send, as the end of the
  /// body. With GnuTLS it reports that as a failure, and shows no alerts.
  private static let mustSeeAlert =
    kettle_tls_library().map { !String(cString: $0).hasPrefix("GnuTLS") } ?? false

  private func endWithBytesHeld(_ code: CURLcode) -> AttemptEnd {
    let cause = code == CURLE_OK ? CURLE_PARTIAL_FILE : code
    return .failed(failure(for: cause))
  }

  func failure(for code: CURLcode) -> TransferFailure {
    var systemError: CLong = 0
    kettle_easy_get_long(easy, CURLINFO_OS_ERRNO, &systemError)
    var proxyStatus: CLong = 0
    kettle_easy_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &proxyStatus)
    let reason = CurlFailureReason(
      code: code, text: String(cString: errorText),
      systemError: Int32(truncatingIfNeeded: systemError),
      proxyStatus: proxyStatus, isInsideHead: headReader.isInsideHead,
      isConnected: isConnected)
    return reason.failure(url: url, certificates: certificates)
  }

  private var isConnected: Bool {
    if case .connecting = phase { false } else { true }
  }
}
