import CCurl
import TransferEngine
import TransferModel

/// What libcurl calls. The functions themselves only find the attempt; it does the work.
extension CurlAttempt {
  static let onRequestReady: curl_prereq_callback = { context, _, _, _, _ in
    guard let attempt = CurlAttempt.of(context: context) else { return kettle_prereq_abort }
    attempt.requestIsReady()
    return kettle_prereq_ok
  }

  static let onHeaderLine: curl_write_callback = { bytes, size, count, context in
    let byteCount = size * count
    guard let attempt = CurlAttempt.of(context: context) else { return refusal(of: byteCount) }
    return attempt.headerLineCame(UnsafeRawBufferPointer(start: bytes, count: byteCount))
      ? byteCount : refusal(of: byteCount)
  }

  static let onBody: curl_write_callback = { bytes, size, count, context in
    let byteCount = size * count
    guard let attempt = CurlAttempt.of(context: context) else { return refusal(of: byteCount) }
    switch attempt.bodyCame(UnsafeRawBufferPointer(start: bytes, count: byteCount)) {
    case .taken: return byteCount
    case .full: return kettle_write_pause
    case .failed: return refusal(of: byteCount)
    }
  }

  /// Hears of everything on the connection, and looks for one thing: the alert close_notify, two
  /// bytes of which the second is 0 (RFC 8446, section 6). No other TLS message has two bytes.
  static let onTrace: curl_debug_callback = { _, kind, bytes, byteCount, context in
    if kind == CURLINFO_SSL_DATA_IN, byteCount == 2, let bytes, bytes[1] == 0 {
      CurlAttempt.of(context: context)?.isClosedByServer = true
    }
    return 0
  }

  /// Any other number than that of the bytes ends the exchange (CURLOPT_WRITEFUNCTION(3)).
  private static func refusal(of byteCount: Int) -> Int { byteCount == 0 ? 1 : 0 }
}

extension CurlAttempt {
  /// The connection stands; comes again for every round of a login.
  private func requestIsReady() {
    loop.assertIsOnThread()
    switch phase {
    case .connecting, .awaitingHead:
      phase = .awaitingHead(silentSince: loop.now)
      noteDeadline()
    case .headTold, .bodyHeld, .receiving, .blocked, .throttled, .givenUp: break
    }
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

  private func bodyCame(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer {
    loop.assertIsOnThread()
    if bytes.isEmpty { return .taken }
    switch phase {
    case .connecting, .awaitingHead:
      // libcurl hands over the body of a 401 only when it does not answer it.
      guard let head = headReader.heldBackHead else {
        return giveUp("its body came before its head") ? .taken : .failed
      }
      guard tell(head) else { return .failed }
      phase = .bodyHeld
      return .full
    case .headTold:
      phase = .bodyHeld
      return .full
    case .bodyHeld, .blocked, .throttled: return .full
    case .receiving(let sink, _): return hand(bytes, to: sink)
    case .givenUp: return .failed
    }
  }

  private func hand(_ bytes: UnsafeRawBufferPointer, to sink: any ByteSink) -> SinkAnswer {
    if let until = speedLimit?.wait(at: loop.now) {
      phase = .throttled(sink, until: until)
      noteDeadline()
      return .full
    }
    let answer = sink.receive(bytes)
    switch answer {
    case .taken:
      deliveredByteCount += Int64(bytes.count)
      speedLimit?.take(bytes.count, at: loop.now)
      phase = .receiving(sink, silentSince: loop.now)
    case .full: phase = .blocked(sink)
    case .failed: phase = .givenUp(.sinkFailed)
    }
    return answer
  }

  /// Reports the head unless nobody can tell where its body ends. Answers whether it did.
  func tell(_ head: ResponseHead) -> Bool {
    guard isUsable(head) else { return false }
    bodyEnd = head.bodyEnd
    phase = .headTold
    loop.emit(.headReceived(id, head))
    return true
  }

  private func isUsable(_ head: ResponseHead) -> Bool {
    head.framingProblem.map(giveUp) ?? true
  }

  /// Answers false: the exchange does not go on.
  private func giveUp(_ problem: String) -> Bool {
    phase = .givenUp(
      .failed(TransferFailure(.protocolBroken, on: url.hostAndPort, detail: problem)))
    return false
  }
}
