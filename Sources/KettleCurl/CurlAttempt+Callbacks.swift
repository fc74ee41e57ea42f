import CKettleCurl
import KettleEngine
import KettleModel

/// What libcurl calls. The functions themselves only find the attempt; it does the work.
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
    guard let context else { return refusal(of: piece.count) }
    // The loop keeps it; see `GrantedRoom` for what a counted reference would cost here.
    let attempt = Unmanaged<CurlAttempt>.fromOpaque(context)
    return attempt._withUnsafeGuaranteedRef { attempt in
      if attempt.takesUnasked(piece) { return piece.count }
      return switch attempt.bodyCame(piece) {
      case .goesOn: piece.count
      case .pauses: kettle_write_pause
      case .ends: refusal(of: piece.count)
      }
    }
  }

  /// Hears of everything on the connection, and notes what is said in TLS.
  static let onTrace: curl_debug_callback = { _, kind, bytes, byteCount, context in
    let message = UnsafeRawBufferPointer(start: bytes, count: byteCount)
    switch kind {
    case CURLINFO_SSL_DATA_OUT: CurlAttempt.of(context: context)?.talk.note(sent: message)
    case CURLINFO_SSL_DATA_IN: CurlAttempt.of(context: context)?.talk.note(received: message)
    default: break
    }
    return 0
  }

  /// Any other number than that of the bytes ends the exchange (CURLOPT_WRITEFUNCTION(3)).
  private static func refusal(of byteCount: Int) -> Int { byteCount == 0 ? 1 : 0 }
}

extension CurlAttempt {
  /// The connection to the address is there; called again for every round of a login. Returns
  /// whether the request goes out: a server can ask without end, as with a nonce that is stale
  /// every time (RFC 7616).
  private func requestIsReady(at address: UnsafePointer<CChar>?) -> Bool {
    loop.assertIsOnThread()
    guard peerIsAllowed(address) else {
      phase = .decided(.failed(addressRefusal ?? failure(for: CURLE_COULDNT_CONNECT)))
      return false
    }
    // A certificate that nobody looked at is as good as none.
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

  /// Answers whether the exchange goes on.
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

  /// What libcurl is answered when it hands over a piece of the body.
  private enum PieceAnswer {
    case goesOn
    /// libcurl hands over the same bytes again when it goes on.
    case pauses
    case ends
  }

  /// Most pieces, of which tens of thousands come, go where there is room for them and nothing is
  /// looked up.
  private func takesUnasked(_ bytes: UnsafeRawBufferPointer) -> Bool {
    loop.assertIsOnThread()
    guard let room, handedOfPiece == 0, room._withUnsafeGuaranteedRef({ $0.take(bytes) })
    else { return false }
    deliveredByteCount += Int64(bytes.count)
    pace.note(bytes.count, at: loop.now)
    if isWhole { letEnd() }
    return true
  }

  private func bodyCame(_ bytes: UnsafeRawBufferPointer) -> PieceAnswer {
    if bytes.isEmpty { return .goesOn }
    switch phase {
    case .connecting, .awaitingHead:
      // libcurl hands over the body of a 401 only when it does not answer it.
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

  /// Hands over what the sink does not have yet, as far as the speed limits allow it.
  ///
  /// libcurl takes all of a piece back or nothing; so the part that went out is skipped when the
  /// piece comes again. It begins with the same bytes then, and may have more behind them.
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
        // A connection with bytes behind the body is not used again.
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

  /// Offers data to the sink. Returns nil when all of it went out and the rest of the piece can
  /// follow.
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

  /// Lets no more be read. What was read already libcurl hands over all the same.
  private func block(_ sink: any ByteSink) {
    guard case .receiving = phase else { return }
    loop.limits.leave(id)
    rest(in: .blocked(sink))
    // Both directions: when one of them goes on, older releases look at the socket at once, and put
    // aside what they read there (`cselect_bits`, before 8.4).
    _ = curl_easy_pause(easy, CURLPAUSE_ALL)
  }

  /// What is whole would not end before it is let on. Nothing is held back, so nothing comes of it.
  private func letEnd() {
    guard case .blocked(let sink) = phase else { return }
    receive(into: sink)
    _ = curl_easy_pause(easy, CURLPAUSE_CONT)
  }

  private var isWhole: Bool {
    chunks.map(\.isComplete) ?? (bodyEnd == .byteCount(deliveredByteCount))
  }

  /// With the last byte the exchange is over by itself, and its connection stays for others.
  private func satisfied() -> PieceAnswer {
    let isWhole = isWhole
    if isWhole { letEnd() }
    phase = .decided(.satisfied)
    return isWhole ? .goesOn : .ends
  }

  /// Reports the head unless nobody can tell where its body ends. Answers whether it did.
  func tell(_ head: ResponseHead) -> Bool {
    guard isUsable(head) else { return false }
    if head.status == 407, let proxy, proxy.speaksHTTP, url.scheme == .http {
      return giveUp(proxy.refusal(407), .proxyFailed)
    }
    let bodyEnd = asksForHeadOnly ? .byteCount(0) : head.bodyEnd
    self.bodyEnd = bodyEnd
    if case .lastChunk = bodyEnd { chunks = ChunkDecoder() }
    // Of a body whose length is known nothing is read from the talk; each of its records would be
    // three calls.
    if case .byteCount = bodyEnd { _ = kettle_easy_set_long(easy, CURLOPT_VERBOSE, 0) }
    phase = .headTold
    tellWhatWasSent()
    loop.emit(.headReceived(id, head, from: serverReach))
    return true
  }

  private func isUsable(_ head: ResponseHead) -> Bool {
    head.framingProblem.map { giveUp($0) } ?? true
  }

  /// Answers false: the exchange does not go on.
  private func giveUp(
    _ problem: String, _ code: TransferFailure.Code = .protocolBroken
  ) -> Bool {
    phase = .decided(.failed(TransferFailure(code, on: url.hostAndPort, detail: problem)))
    return false
  }
}
