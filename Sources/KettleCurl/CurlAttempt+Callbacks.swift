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
    return attempt.headerLineCame(UnsafeRawBufferPointer(start: bytes, count: byteCount))
      ? byteCount : refusal(of: byteCount)
  }

  static let onBody: curl_write_callback = { bytes, size, count, context in
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    guard let attempt = CurlAttempt.of(context: context) else { return refusal(of: piece.count) }
    return switch attempt.bodyCame(piece) {
    case .goesOn: piece.count
    case .pauses: kettle_write_pause
    case .ends: refusal(of: piece.count)
    }
  }

  /// Receives libcurl's trace of the connection and records its TLS messages.
  static let onTrace: curl_debug_callback = { _, kind, bytes, byteCount, context in
    let message = UnsafeRawBufferPointer(start: bytes, count: byteCount)
    switch kind {
    case CURLINFO_SSL_DATA_OUT: CurlAttempt.of(context: context)?.talk.note(sent: message)
    case CURLINFO_SSL_DATA_IN: CurlAttempt.of(context: context)?.talk.note(received: message)
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
    guard peerIsAllowed(address) else {
      phase = .decided(.failed(addressRefusal ?? failure(for: CURLE_COULDNT_CONNECT)))
      return false
    }
    // An unchecked certificate is as bad as none.
    guard isServerAccepted else { return giveUp("its certificate was not shown", .tlsRefused) }
    requestCount += 1
    if requestCount > Self.requestCountMax {
      return giveUp("it asks again and again", .loginNeeded)
    }
    switch phase {
    case .connecting, .awaitingHead:
      phase = .awaitingHead(silentSince: loop.now)
      headBegunAt = headBegunAt ?? loop.now
      noteDeadline()
    case .headTold, .bodyHeld, .receiving, .blocked, .throttled, .decided: break
    }
    return true
  }

  /// Returns whether the exchange continues.
  private func headerLineCame(_ line: UnsafeRawBufferPointer) -> Bool {
    loop.assertIsOnThread()
    if case .awaitingHead = phase { phase = .awaitingHead(silentSince: loop.now) }
    switch headReader.read(Array(line)) {
    case .more: return true
    case .final(let head): return tell(head)
    case .finalUnlessAnswered(let head): return isUsable(head)
    case .broken(let problem): return giveUp(problem)
    }
  }

  /// The reply to libcurl for a piece of the body.
  private enum PieceAnswer {
    case goesOn
    /// libcurl delivers the same bytes again after resuming.
    case pauses
    case ends
  }

  private func bodyCame(_ bytes: UnsafeRawBufferPointer) -> PieceAnswer {
    if bytes.isEmpty { return .goesOn }
    switch phase {
    case .connecting, .awaitingHead:
      // libcurl delivers the body of a 401 only when it does not answer the 401.
      guard let head = headReader.heldBackHead else {
        return giveUp("its body came before its head") ? .goesOn : .ends
      }
      guard tell(head) else { return .ends }
      phase = .bodyHeld
      return .pauses
    case .headTold:
      phase = .bodyHeld
      return .pauses
    case .bodyHeld, .throttled: return .pauses
    case .receiving(let sink), .blocked(let sink): return hand(bytes, to: sink)
    case .decided: return .ends
    }
  }

  /// Delivers what the sink does not have yet, as far as the speed limits allow.
  ///
  /// libcurl takes back all of a piece or nothing, so the delivered part is skipped when the piece
  /// arrives again. It then begins with the same bytes and may be longer.
  private func hand(_ piece: UnsafeRawBufferPointer, to sink: any ByteSink) -> PieceAnswer {
    while handedOfPiece < piece.count {
      let rest = UnsafeRawBufferPointer(rebasing: piece.dropFirst(handedOfPiece))
      switch chunks?.next(in: rest) ?? .data(byteCount: rest.count) {
      case .framing(let count):
        handedOfPiece += count
        pace.hear(at: loop.now)
      case .data(let count):
        let answer = offer(UnsafeRawBufferPointer(rebasing: rest.prefix(count)), to: sink)
        if let answer { return answer }
      case .needsMore: handedOfPiece = piece.count
      case .complete:
        // A connection with bytes after the body is not reused.
        phase = .decided(end(for: CURLE_OK))
        return .ends
      case .broken(let reason):
        return giveUp("its chunks are malformed: \(reason)") ? .goesOn : .ends
      }
    }
    handedOfPiece = 0
    if isWhole { letEnd() }
    if chunks?.isComplete == true { noteDeadline() }
    return .goesOn
  }

  /// Offers data to the sink. Returns nil when all of it was delivered and the rest of the piece
  /// can follow.
  private func offer(_ bytes: UnsafeRawBufferPointer, to sink: any ByteSink) -> PieceAnswer? {
    let count = loop.limits.take(bytes.count, for: id, of: transfer, at: loop.now)
    if count > 0 {
      switch sink.receive(UnsafeRawBufferPointer(rebasing: bytes.prefix(count))) {
      case .taken: noteHanded(count)
      case .satisfied:
        noteHanded(count)
        return satisfied()
      case .full:
        noteHanded(count)
        block(sink)
      case .failed:
        phase = .decided(.sinkFailed)
        return .ends
      }
    }
    guard count < bytes.count else { return nil }
    if case .blocked = phase { loop.limits.leave(id) } else { rest(in: .throttled(sink)) }
    return .pauses
  }

  private func noteHanded(_ count: Int) {
    chunks?.takeData(count)
    deliveredByteCount += Int64(count)
    handedOfPiece += count
    pace.note(count, at: loop.now)
  }

  /// Stops reading. libcurl still delivers what it has already read.
  private func block(_ sink: any ByteSink) {
    guard case .receiving = phase else { return }
    loop.limits.leave(id)
    rest(in: .blocked(sink))
    // Pause both directions: when one of them resumes, older releases read the socket at once and
    // set the bytes aside (`cselect_bits`, before 8.4).
    _ = curl_easy_pause(easy, CURLPAUSE_ALL)
  }

  /// Resumes a complete body, which would otherwise not end. No bytes are held back, so the result
  /// does not matter.
  private func letEnd() {
    guard case .blocked(let sink) = phase else { return }
    receive(into: sink)
    _ = curl_easy_pause(easy, CURLPAUSE_CONT)
  }

  private var isWhole: Bool {
    chunks.map(\.isComplete) ?? (bodyEnd == .byteCount(deliveredByteCount))
  }

  /// After the last byte the exchange ends by itself, and its connection can be reused.
  private func satisfied() -> PieceAnswer {
    let isWhole = isWhole
    if isWhole { letEnd() }
    phase = .decided(.satisfied)
    return isWhole ? .goesOn : .ends
  }

  /// Reports the head unless the end of its body is undefined. Returns whether it did.
  func tell(_ head: ResponseHead) -> Bool {
    guard isUsable(head) else { return false }
    if head.status == 407, let proxy, proxy.speaksHTTP, url.scheme == .http {
      return giveUp(proxy.refusal(407), .proxyFailed)
    }
    let bodyEnd = asksForHeadOnly ? .byteCount(0) : head.bodyEnd
    self.bodyEnd = bodyEnd
    if case .lastChunk = bodyEnd { chunks = ChunkDecoder() }
    // With a known body length the TLS trace is not needed, and it would cost three calls per
    // record.
    if case .byteCount = bodyEnd { _ = kettle_easy_set_long(easy, CURLOPT_VERBOSE, 0) }
    phase = .headTold
    tellWhatWasSent()
    loop.emit(.headReceived(id, head, from: serverReach))
    return true
  }

  private func isUsable(_ head: ResponseHead) -> Bool {
    head.framingProblem.map { giveUp($0) } ?? true
  }

  /// Returns false: the exchange does not continue.
  private func giveUp(
    _ problem: String, _ code: TransferFailure.Code = .protocolBroken
  ) -> Bool {
    phase = .decided(.failed(TransferFailure(code, on: url.hostAndPort, detail: problem)))
    return false
  }
}
