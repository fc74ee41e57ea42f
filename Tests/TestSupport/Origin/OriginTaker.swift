import Glibc

/// Reads the body of one request, as far and as fast as its behavior specifies.
struct OriginTaker {
  enum Taken {
    /// The complete body was read.
    case whole
    /// The response is sent before the rest is read.
    case part
    /// The connection has ended.
    case gone
  }

  let sender: OriginSender
  let behavior: OriginBehavior
  let taking: OriginBehavior.Taking

  /// `received` has the bytes that already arrived after the head.
  func take(_ request: OriginRequest, _ received: inout [UInt8]) -> Taken {
    let total = request.contentLength
    guard total > 0 else { return .whole }
    switch taking {
    case .whole:
      return read(request, 0..<total, &received) ? .whole : .gone
    case .first(let count, let then):
      let count = min(count, total)
      guard count == 0 || read(request, 0..<count, &received) else { return .gone }
      switch then {
      case .answer: return .part
      case .cut(let cut):
        if cut == .reset { OriginServer.setReset(sender.descriptor) }
        return .gone
      case .wait(let event):
        guard sender.wait(for: event) else { return .gone }
        return read(request, count..<total, &received) ? .whole : .gone
      }
    }
  }

  /// Returns whether the complete range arrived.
  private func read(
    _ request: OriginRequest, _ range: Range<Int64>, _ received: inout [UInt8]
  ) -> Bool {
    if range.lowerBound == 0, request.value(of: "Expect") != nil, behavior.answersExpect,
      !sender.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    {
      return false
    }
    var position = range.lowerBound
    var piece = [UInt8](repeating: 0, count: pieceByteCount)
    while position < range.upperBound {
      let wanted = Int(min(Int64(piece.count), range.upperBound - position))
      let bytes: [UInt8]
      if received.isEmpty {
        let count = recv(sender.descriptor, &piece, wanted, 0)
        guard count > 0 else { return false }
        bytes = Array(piece[..<count])
      } else {
        bytes = Array(received.prefix(wanted))
        received.removeFirst(bytes.count)
      }
      position += Int64(bytes.count)
      note(bytes, of: request)
      if let pace = behavior.takenBytesPerSecond, position < range.upperBound,
        !rest(milliseconds: Int64(bytes.count) * 1000 / max(pace, 1))
      {
        return false
      }
    }
    return true
  }

  private func note(_ bytes: [UInt8], of request: OriginRequest) {
    sender.log.update { log in
      log.requests[request.number - 1].bodyByteCount += Int64(bytes.count)
      let space =
        OriginRequest.bodyByteCountKept - log.requests[request.number - 1].body.count
      log.requests[request.number - 1].body += bytes.prefix(max(space, 0))
    }
  }

  /// With a limited rate, a piece is a twentieth of a second.
  private var pieceByteCount: Int {
    behavior.takenBytesPerSecond.map { Int(min(max($0 / 20, 1), 64 * 1024)) } ?? 64 * 1024
  }

  /// Ends early if the test ends the connection; bytes from the client stay unread.
  private func rest(milliseconds: Int64) -> Bool {
    !sender.log.block(forMilliseconds: milliseconds, until: sender.isCut)
  }
}
