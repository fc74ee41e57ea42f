import Glibc

/// Sends one response with the rate and the stalls of its behavior.
struct OriginSender {
  let descriptor: Int32
  let requestNumber: Int
  let behavior: OriginBehavior
  let log: Monitor<OriginServer.Log>
  private var bodyBytesSent: Int64 = 0

  init(
    descriptor: Int32, requestNumber: Int, behavior: OriginBehavior,
    log: Monitor<OriginServer.Log>
  ) {
    self.descriptor = descriptor
    self.requestNumber = requestNumber
    self.behavior = behavior
    self.log = log
  }

  /// Returns whether everything that was meant to be sent was sent.
  mutating func send(_ reply: OriginReply) -> Bool {
    if let event = behavior.headWaitsFor, !wait(for: event) { return false }
    if let head = reply.head, !sendHead(head) { return false }
    guard write(reply.prologue) else { return false }
    guard sendBody(reply) else { return false }
    if case .cut = reply.ending { return true }
    return write(reply.epilogue) && sendEnd(reply)
  }

  private func sendHead(_ head: [UInt8]) -> Bool {
    guard let pace = behavior.headBytesPerSecond else { return write(head) }
    return head.allSatisfy { write([$0]) && pause(milliseconds: 1000 / max(pace, 1)) }
  }

  private mutating func sendBody(_ reply: OriginReply) -> Bool {
    var end = reply.bodyByteCount
    if case .cut(let count, _) = reply.ending { end = min(end, count) }
    while bodyBytesSent < end {
      var next = min(end, bodyBytesSent + pieceByteCount)
      if let stall = behavior.stall, bodyBytesSent <= stall.afterByteCount {
        if bodyBytesSent == stall.afterByteCount, !wait(for: stall.until) { return false }
        if bodyBytesSent < stall.afterByteCount { next = min(next, stall.afterByteCount) }
      }
      if let limit = byteCountBeforeWithheld(in: reply) {
        if bodyBytesSent >= limit { return wait(for: "for ever") }
        next = min(next, limit)
      }
      // Before the write, because the client may send its next request right after the last byte.
      if next == end { log.update { $0.requests[requestNumber - 1].isEnding = true } }
      guard sendPiece(bodyBytesSent..<next, of: reply) else { return false }
    }
    // A stall after the last byte delays the end of the response.
    if let stall = behavior.stall, stall.afterByteCount == bodyBytesSent, end == bodyBytesSent {
      return wait(for: stall.until)
    }
    return true
  }

  /// The number of bytes of this response before those that the behavior withholds.
  private func byteCountBeforeWithheld(in reply: OriginReply) -> Int64? {
    guard let offset = behavior.withheldOffset, case .file(_, let part) = reply.body else {
      return nil
    }
    return max(offset - part.lowerBound, 0)
  }

  private mutating func sendPiece(_ range: Range<Int64>, of reply: OriginReply) -> Bool {
    let bytes: [UInt8]
    switch reply.body {
    case .text(let text): bytes = Array(text[Int(range.lowerBound)..<Int(range.upperBound)])
    case .file(let body, let part):
      bytes = body.bytes(
        in: part.lowerBound + range.lowerBound..<part.lowerBound + range.upperBound)
    }
    switch reply.framing {
    case .chunked, .chunkedUnannounced, .chunkedWithoutEnd:
      guard write(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10]) else {
        return false
      }
    case .chunkedMalformed(let size):
      let line = bodyBytesSent == 0 ? Array("\(size)\r\n".utf8) : []
      guard write(line + bytes) else { return false }
    case .chunkScript(let script):
      guard write(script.encoded(bytes, from: bodyBytesSent)) else { return false }
    case .contentLength, .contentLengths, .untilClose:
      guard write(bytes) else { return false }
    }
    bodyBytesSent = range.upperBound
    log.update { $0.requests[requestNumber - 1].bytesSent = range.upperBound }
    guard let pace = behavior.bytesPerSecond, range.upperBound < reply.bodyByteCount else {
      return true
    }
    return pause(milliseconds: Int64(bytes.count) * 1000 / max(pace, 1))
  }

  private func sendEnd(_ reply: OriginReply) -> Bool {
    if case .excess(let count) = reply.ending, !write([UInt8](repeating: 120, count: count)) {
      return false
    }
    switch reply.framing {
    case .chunked, .chunkedUnannounced: return write(Array("0\r\n\r\n".utf8))
    case .chunkScript(let script): return write(script.end)
    case .contentLength, .contentLengths, .untilClose, .chunkedWithoutEnd, .chunkedMalformed:
      return true
    }
  }

  /// With a limited rate, a piece is a twentieth of a second.
  private var pieceByteCount: Int64 {
    behavior.bytesPerSecond.map { min(max($0 / 20, 1), 64 * 1024) } ?? 64 * 1024
  }
}

// MARK: - Waiting and writing

extension OriginSender {
  /// False if the test or the client ended the connection meanwhile.
  func wait(for event: String) -> Bool {
    while isOpen {
      let isReleased = log.block(forMilliseconds: 50) {
        $0.released.contains(event) || isCut($0)
      }
      if isReleased { return isOpen }
    }
    return false
  }

  /// Ends early if the client or the test ends the connection: a closed connection has no transfer
  /// in progress.
  func pause(milliseconds: Int64) -> Bool {
    var descriptors = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&descriptors, 1, Int32(clamping: milliseconds))
    return isOpen
  }

  private var isOpen: Bool { !log.read(isCut) && OriginServer.isOpen(descriptor) }

  func isCut(_ log: OriginServer.Log) -> Bool {
    log.isStopped || log.reset.contains(log.requests[requestNumber - 1].connection)
  }

  func write(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.send(
          descriptor, buffer.baseAddress?.advanced(by: sent), buffer.count - sent,
          Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR || errno == EAGAIN, !log.read(isCut) { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }
}
