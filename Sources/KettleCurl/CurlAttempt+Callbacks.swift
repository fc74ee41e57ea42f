import CKettleCurl
import KettleEngine
import KettleModel

/// libcurl's callbacks. Each only finds the attempt, which does the work.
extension CurlAttempt {
  static let onRequestReady: curl_prereq_callback = { context, address, _, _, _ in
    guard let attempt = CurlAttempt.of(context: context) else { return kettle_prereq_abort }
    return attempt.requestIsReady(at: address) ? kettle_prereq_ok : kettle_prereq_abort
  }

  static let onHeaderLine: curl_write_callback = { bytes, size, count, context in
    let byteCount = size * count
    guard let attempt = CurlAttempt.of(context: context) else { return refusal(of: byteCount) }
    return attempt.receiveHeaderLine(UnsafeRawBufferPointer(start: bytes, count: byteCount))
      ? byteCount : refusal(of: byteCount)
  }

  static let onBody: curl_write_callback = { bytes, size, count, context in
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    guard let attempt = CurlAttempt.of(context: context) else { return refusal(of: piece.count) }
    return switch attempt.receiveBody(piece) {
    case .accepted: piece.count
    case .paused: kettle_write_pause
    case .ended: refusal(of: piece.count)
    }
  }

  /// Receives libcurl's trace of the connection and records its TLS messages.
  static let onTrace: curl_debug_callback = { _, kind, bytes, byteCount, context in
    let message = UnsafeRawBufferPointer(start: bytes, count: byteCount)
    switch kind {
    case CURLINFO_SSL_DATA_OUT: CurlAttempt.of(context: context)?.handshake.record(sent: message)
    case CURLINFO_SSL_DATA_IN: CurlAttempt.of(context: context)?.handshake.record(received: message)
    case CURLINFO_TEXT: CurlAttempt.of(context: context)?.handshake.record(text: message)
    default: break
    }
    return 0
  }

  /// Any number other than the byte count ends the exchange (CURLOPT_WRITEFUNCTION(3)).
  private static func refusal(of byteCount: Int) -> Int { byteCount == 0 ? 1 : 0 }
}

extension CurlAttempt {
  /// Called when the connection is established, and again for every round of a login. Returns
  /// whether to send the request: a server can request logins endlessly, as with a nonce that is
  /// stale every time (RFC 7616).
  private func requestIsReady(at address: UnsafePointer<CChar>?) -> Bool {
    loop.assertIsOnThread()
    guard allowsPeer(address) else {
      phase = .decided(.failed(addressRefusal ?? failure(for: CURLE_COULDNT_CONNECT)))
      return false
    }
    // An unchecked certificate is as bad as none.
    guard isServerAccepted else {
      return giveUp("its certificate was not verified", code: .tlsRefused)
    }
    requestCount += 1
    if requestCount > Self.requestCountMax {
      return giveUp("it keeps asking for a login", code: .loginNeeded)
    }
    switch phase {
    case .connecting, .awaitingHead:
      phase = .awaitingHead(silentSince: loop.now)
      headStartedAt = headStartedAt ?? loop.now
      scheduleDeadline()
    case .headReported, .bodyHeld, .receiving, .blocked, .throttled, .decided: break
    }
    return true
  }

  /// Returns whether the exchange continues.
  private func receiveHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
    loop.assertIsOnThread()
    if file != nil { return receiveReplyLine(line) }
    if firstHeadByteAt == nil, let peer {
      loop.silentAddresses.recordAnswer(by: peer, of: url.hostAndPort)
    }
    firstHeadByteAt = firstHeadByteAt ?? loop.now
    if case .awaitingHead = phase { phase = .awaitingHead(silentSince: loop.now) }
    switch headReader.read(Array(line)) {
    case .more: return true
    case .informational(let head):
      loop.emit(
        .informed(id, head, from: serverReach, sending: upload?.body.modifiedNanoseconds))
      return true
    case .final(let head): return report(head)
    case .finalUnlessAnswered(let head): return isUsable(head)
    case .broken(let problem): return giveUp(problem)
    }
  }

  /// The reply to libcurl for a piece of the body.
  enum PieceResult {
    case accepted
    /// Pauses the transfer. libcurl delivers the same bytes again after resuming.
    case paused
    /// Ends the exchange.
    case ended
  }

  private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> PieceResult {
    if bytes.isEmpty { return .accepted }
    switch phase {
    case .connecting where file != nil, .awaitingHead where file != nil: return holdFirstBytes()
    case .connecting, .awaitingHead:
      // libcurl delivers the body of a 401 only when it does not answer the 401.
      guard let head = headReader.heldBackHead else {
        return giveUp("its body arrived before its headers") ? .accepted : .ended
      }
      guard report(head) else { return .ended }
      phase = .bodyHeld
      return .paused
    case .headReported:
      phase = .bodyHeld
      return .paused
    case .bodyHeld, .throttled: return .paused
    case .receiving(let sink), .blocked(let sink):
      return file == nil ? deliver(bytes, to: sink) : deliverOfFile(bytes, to: sink)
    case .decided: return .ended
    }
  }

  /// Delivers what the sink does not have yet, as far as the speed limits allow.
  ///
  /// libcurl takes back all of a piece or nothing, so the delivered part is skipped when the piece
  /// arrives again. It then begins with the same bytes and may be longer.
  func deliver(_ piece: UnsafeRawBufferPointer, to sink: any ByteSink) -> PieceResult {
    while processedOfPiece < piece.count {
      let rest = UnsafeRawBufferPointer(rebasing: piece.dropFirst(processedOfPiece))
      switch chunks?.next(in: rest) ?? .data(byteCount: rest.count) {
      case .framing(let count):
        processedOfPiece += count
        pace.recordSignOfLife(at: loop.now)
      case .data(let count):
        let result = offer(UnsafeRawBufferPointer(rebasing: rest.prefix(count)), to: sink)
        if let result { return result }
      case .needsMore: processedOfPiece = piece.count
      case .complete:
        // A connection with bytes after the body is not reused.
        phase = .decided(end(for: CURLE_OK))
        return .ended
      case .broken(let reason):
        return giveUp("its chunks are malformed: \(reason)") ? .accepted : .ended
      }
    }
    processedOfPiece = 0
    if isWhole { resumeCompleteBody() }
    if chunks?.isComplete == true || awaitsEndOfFile { scheduleDeadline() }
    return .accepted
  }

  /// Offers data to the sink. Returns nil when all of it was delivered and the rest of the piece
  /// can follow.
  private func offer(_ bytes: UnsafeRawBufferPointer, to sink: any ByteSink) -> PieceResult? {
    let count = loop.limits.admit(bytes.count, for: id, of: transfer, at: loop.now)
    if count > 0 {
      switch sink.receive(UnsafeRawBufferPointer(rebasing: bytes.prefix(count))) {
      case .taken: recordDelivered(count)
      case .satisfied:
        recordDelivered(count)
        return satisfied()
      case .full:
        recordDelivered(count)
        block(sink)
      case .failed:
        phase = .decided(.sinkFailed)
        return .ended
      }
    }
    guard count < bytes.count else { return nil }
    if case .blocked = phase { loop.limits.remove(id) } else { pause(in: .throttled(sink)) }
    return .paused
  }

  private func recordDelivered(_ count: Int) {
    chunks?.consumeData(count)
    deliveredByteCount += Int64(count)
    processedOfPiece += count
    pace.record(count, at: loop.now)
  }

  /// Stops reading. libcurl still delivers what it has already read.
  private func block(_ sink: any ByteSink) {
    guard case .receiving = phase else { return }
    loop.limits.remove(id)
    pause(in: .blocked(sink))
    // Pause both directions: when one of them resumes, older releases read the socket at once and
    // set the bytes aside (`cselect_bits`, before 8.4).
    _ = curl_easy_pause(easy, CURLPAUSE_ALL)
  }

  /// Resumes a complete body, which would otherwise not end. No bytes are held back, so the result
  /// does not matter.
  private func resumeCompleteBody() {
    guard case .blocked(let sink) = phase else { return }
    receive(into: sink)
    _ = curl_easy_pause(easy, CURLPAUSE_CONT)
  }

  var isWhole: Bool {
    chunks.map(\.isComplete) ?? (bodyEnd == .byteCount(deliveredByteCount))
  }

  /// After the last byte the exchange ends by itself, and its connection can be reused. An FTP
  /// server has to show that it was the last.
  private func satisfied() -> PieceResult {
    let isWhole = isWhole
    if isWhole { resumeCompleteBody() }
    if awaitsEndOfFile {
      processedOfPiece = 0
      scheduleDeadline()
      return .accepted
    }
    phase = .decided(.satisfied)
    return isWhole ? .accepted : .ended
  }

  /// Reports the head unless the end of its body is undefined. Returns whether it did.
  func report(_ head: ResponseHead) -> Bool {
    guard isUsable(head) else { return false }
    if head.status == 407, let proxy, proxy.speaksHTTP, url.scheme == .http {
      phase = .decided(.failed(proxy.loginFailure))
      return false
    }
    let bodyEnd = asksForHeadOnly ? .byteCount(0) : head.bodyEnd
    self.bodyEnd = bodyEnd
    if case .lastChunk = bodyEnd { chunks = ChunkDecoder() }
    // With a known body length the TLS trace is not needed, and it would cost three calls per
    // record.
    if case .byteCount = bodyEnd { _ = kettle_easy_set_long(easy, CURLOPT_VERBOSE, 0) }
    phase = .headReported
    reportSentBytes()
    if isStream { loop.emit(.multiplexed(id)) }
    loop.emit(
      .headReceived(
        id, head.explaining(netrcProblem), from: serverReach, after: roundTripMilliseconds))
    return true
  }

  /// Whether the response comes over HTTP/2.
  var isStream: Bool {
    var version: CLong = 0
    kettle_easy_get_long(easy, CURLINFO_HTTP_VERSION, &version)
    return version == kettle_http_2
  }

  private func isUsable(_ head: ResponseHead) -> Bool {
    head.framingProblem.map { giveUp($0) } ?? true
  }

  /// Ends the exchange with a failure. Returns false, for "does not continue".
  func giveUp(
    _ problem: String, code: TransferFailure.Code = .protocolBroken
  ) -> Bool {
    phase = .decided(.failed(TransferFailure(code, on: url.hostAndPort, detail: problem)))
    return false
  }
}
