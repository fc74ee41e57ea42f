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

/// How often a connection was opened again because it was not established in time.
///
/// The kernel repeats an unanswered request for a connection after 1, 3, 7 and 15 seconds. When the
/// path works again in between, a new request is answered at once.
struct EstablishingTries {
  private let milliseconds: Int64
  private let endsAt: MonotonicTime
  private var begunAt: MonotonicTime
  private var count: Int64 = 0

  /// A slow path gets more time after so many tries.
  private static let triesPerStep: Int64 = 4

  /// - Parameters:
  ///   - milliseconds: how long the first tries may take.
  ///   - total: how long all of them may take.
  init(milliseconds: Int64, total: Int64, at now: MonotonicTime) {
    self.milliseconds = max(milliseconds, 1)
    begunAt = now
    endsAt = now.advanced(byMilliseconds: total)
  }

  private var nextAt: MonotonicTime {
    let factor = 1 + min(count / Self.triesPerStep, 10)
    let (span, overflow) = milliseconds.multipliedReportingOverflow(by: factor)
    return begunAt.advanced(byMilliseconds: overflow ? .max : span)
  }

  func isDue(at now: MonotonicTime) -> Bool { nextAt <= now && now < endsAt }

  /// Begins another try. Returns how many milliseconds are left for it and all that follow.
  mutating func begin(at now: MonotonicTime) -> Int64 {
    count += 1
    begunAt = now
    return max(endsAt.milliseconds(since: now), 1)
  }
}

extension CurlAttempt {
  /// Whether the connection is to be opened again: the address is known, and nothing has answered.
  func mustEstablishAgain(at now: MonotonicTime) -> Bool {
    guard case .connecting = phase, let tries, tries.isDue(at: now) else { return false }
    return time(CURLINFO_NAMELOOKUP_TIME_T) > 0 && !isEstablished
  }

  /// Whether an address has accepted the connection.
  var isEstablished: Bool { time(CURLINFO_CONNECT_TIME_T) > 0 }

  /// Whether the handshake of TLS or SSH is over.
  var isSecured: Bool { time(CURLINFO_APPCONNECT_TIME_T) > 0 }

  /// Prepares the handle for another try. It is not part of the multi handle meanwhile.
  func establishAgain(at now: MonotonicTime) {
    guard let left = tries?.begin(at: now) else { return }
    _ = kettle_easy_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, Int(Int32(clamping: left)))
  }

  /// How many milliseconds a packet takes to the server and back: as long as the connection took to
  /// be established, or the first byte of the head after the request; nil when unknown.
  var roundTripMilliseconds: Int64? {
    var newConnectionCount: CLong = 0
    kettle_easy_get_long(easy, CURLINFO_NUM_CONNECTS, &newConnectionCount)
    if proxy == nil, newConnectionCount > 0 {
      let established = time(CURLINFO_CONNECT_TIME_T) - time(CURLINFO_NAMELOOKUP_TIME_T)
      if established > 0 { return (established + 999) / 1000 }
    }
    guard let headStartedAt, let firstHeadByteAt else { return nil }
    return max(0, firstHeadByteAt.milliseconds(since: headStartedAt))
  }

  /// A time of the exchange in microseconds since its begin; 0 when that has not happened.
  private func time(_ info: CURLINFO) -> Int64 {
    var microseconds: curl_off_t = 0
    kettle_easy_get_off(easy, info, &microseconds)
    return Int64(microseconds)
  }
}

extension CurlAttempt {
  /// What libcurl has measured. `startedAt` is left to the receiver, who has the clock.
  var measurement: AttemptMeasurement {
    var made = AttemptMeasurement(
      url: url.text, startedAt: WallTime(millisecondsSince1970: 0))
    let reuses = number(CURLINFO_NUM_CONNECTS) == 0
    made.isReusedConnection = reuses && requestCount > 0
    if !reuses {
      made.nameLookupMicroseconds = microseconds(CURLINFO_NAMELOOKUP_TIME_T)
      made.connectMicroseconds = microseconds(CURLINFO_CONNECT_TIME_T)
      made.secureConnectMicroseconds = microseconds(CURLINFO_APPCONNECT_TIME_T)
    }
    if requestCount > 0 {
      made.requestMicroseconds = microseconds(CURLINFO_PRETRANSFER_TIME_T)
      made.responseMicroseconds = microseconds(CURLINFO_STARTTRANSFER_TIME_T)
    }
    made.totalMicroseconds = microseconds(CURLINFO_TOTAL_TIME_T) ?? 0
    made.status = number(CURLINFO_RESPONSE_CODE).flatMap { $0 > 0 ? Int($0) : nil }
    made.protocolName = protocolName
    made.localAddress = text(CURLINFO_LOCAL_IP)
    made.localPort = number(CURLINFO_LOCAL_PORT).flatMap { $0 > 0 ? Int($0) : nil }
    made.remoteAddress = text(CURLINFO_PRIMARY_IP)
    made.remotePort = number(CURLINFO_PRIMARY_PORT).flatMap { $0 > 0 ? Int($0) : nil }
    made.tlsVersion = handshake.agreement?.version
    made.cipherSuite = handshake.agreement?.cipherSuite
    made.requestHeaderByteCount = max(0, Int64(number(CURLINFO_REQUEST_SIZE) ?? 0))
    made.requestBodyByteCount = byteCount(CURLINFO_SIZE_UPLOAD_T)
    made.responseHeaderByteCount = max(0, Int64(number(CURLINFO_HEADER_SIZE) ?? 0))
    made.responseBodyByteCount = byteCount(CURLINFO_SIZE_DOWNLOAD_T)
    made.isProxied = proxy != nil
    return made
  }

  private var protocolName: String? {
    switch number(CURLINFO_HTTP_VERSION) {
    case kettle_http_1_0?: "http/1.0"
    case kettle_http_1_1?: "http/1.1"
    case kettle_http_2?: "h2"
    default: nil
    }
  }

  private func number(_ info: CURLINFO) -> CLong? {
    var value: CLong = 0
    return kettle_easy_get_long(easy, info, &value) == CURLE_OK ? value : nil
  }

  /// nil for 0: it did not happen.
  private func microseconds(_ info: CURLINFO) -> Int64? {
    let value = byteCount(info)
    return value > 0 ? value : nil
  }

  private func byteCount(_ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    kettle_easy_get_off(easy, info, &value)
    return max(0, Int64(value))
  }

  private func text(_ info: CURLINFO) -> String? {
    var value: UnsafePointer<CChar>?
    guard kettle_easy_get_text(easy, info, &value) == CURLE_OK, let value else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }
}
