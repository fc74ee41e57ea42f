import CKettleCurl
import KettleEngine
import KettleModel

extension CurlAttempt {
  /// Decides how the attempt ended, once libcurl is done with it. Reports a head that was held back
  /// for a login first.
  func verdict(on code: CURLcode) -> Verdict {
    loop.assertIsOnThread()
    reportSentBytes()
    if let failure = problemAfterFile(code) { return .ended(.failed(failure)) }
    switch phase {
    case .decided(let end): return .ended(end)
    case .connecting where file != nil, .awaitingHead where file != nil:
      return fileVerdict(on: code)
    case .connecting, .awaitingHead:
      guard code == CURLE_OK else { return .ended(endBeforeHead(code)) }
      guard let head = headReader.heldBackHead else {
        return .ended(.failed(TransferFailure(.protocolBroken, on: url.hostAndPort)))
      }
      if report(head) { return .endedBeforeAccept(end(for: code)) }
      return verdict(on: code)
    case .headReported: return .endedBeforeAccept(end(for: code))
    case .bodyHeld: return .endedBeforeAccept(endWithUnacceptedBytes(code))
    case .receiving: return .ended(end(for: code))
    case .blocked, .throttled: return .ended(endWithUnacceptedBytes(code))
    }
  }

  /// libcurl counts the bytes too. Counting what the sink accepted keeps `complete` true whatever
  /// libcurl's pausing did and whatever it considers the last chunk.
  func end(for code: CURLcode) -> AttemptEnd {
    guard code == CURLE_OK || isFileWhole(code) else { return .failed(failure(for: code)) }
    if let chunks, !chunks.isComplete {
      return .failed(
        TransferFailure(.truncated, on: url.hostAndPort, detail: "the last chunk is missing"))
    }
    // An FTP server confirms the end on the control connection.
    // HTTP/2 marks the last frame, and TLS protects the mark.
    let isEndAuthentic = url.scheme == .http || file != nil || isStream || hasSeenEnd
    guard let problem = bodyEnd?.problem(after: deliveredByteCount, isEndAuthentic: isEndAuthentic)
    else { return .complete }
    return .failed(TransferFailure(problem.code, on: url.hostAndPort, detail: problem.detail))
  }

  /// Whether the end of a TLS connection counts only with an alert that we saw. With OpenSSL,
  /// libcurl 7.88 takes the bare end of TCP, which anyone on the path can send, as the end of the
  /// body. With GnuTLS it reports that as a failure, and shows no alerts.
  private static let mustSeeAlert =
    kettle_tls_library().map { !String(cString: $0).hasPrefix("GnuTLS") } ?? false

  /// Inside a proxy's TLS, an alert could be the proxy's, which does not know the body.
  private var hasSeenEnd: Bool {
    !Self.mustSeeAlert || (handshake.isClosedByServer && proxy?.scheme != .https)
  }

  private func endWithUnacceptedBytes(_ code: CURLcode) -> AttemptEnd {
    let cause = code == CURLE_OK ? CURLE_PARTIAL_FILE : code
    return .failed(failure(for: cause))
  }

  func failure(for code: CURLcode) -> TransferFailure {
    if let addressRefusal { return addressRefusal }
    if let failure = fileFailure(for: code) { return failure }
    var systemError: CLong = 0
    kettle_easy_get_long(easy, CURLINFO_OS_ERRNO, &systemError)
    var proxyStatus: CLong = 0
    kettle_easy_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &proxyStatus)
    var proxyError: CLong = 0
    kettle_easy_get_long(easy, CURLINFO_PROXY_ERROR, &proxyError)
    let reason = CurlFailureReason(
      code: code, text: String(cString: errorText),
      systemError: Int32(truncatingIfNeeded: systemError),
      proxy: proxy, proxyStatus: proxyStatus, proxyError: UInt32(clamping: proxyError),
      isInsideHead: headReader.isInsideHead,
      isConnected: isConnected, hasTLSBegun: handshake.hasBegun)
    if let certificate, code == CURLE_SSL_CERTPROBLEM {
      return certificate.failure(saying: reason.text)
    }
    return reason.failure(url: url, certificates: certificates)
  }

  private var isConnected: Bool {
    if case .connecting = phase { false } else { true }
  }
}
