import Glibc

/// Takes the body of one request, as far and as fast as its behaviour says.
struct OriginTaker {
  enum Taken {
    /// All of it.
    case whole
    /// The answer comes before the rest.
    case part
    /// The connection has ended.
    case gone
  }

  let sender: OriginSender
  let behavior: OriginBehavior
  let taking: OriginBehavior.Taking

  /// `received` is what came behind the head already.
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

  /// Answers whether all of the range came.
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

  /// At a pace, a piece is a twentieth of a second.
  private var pieceByteCount: Int {
    behavior.takenBytesPerSecond.map { Int(min(max($0 / 20, 1), 64 * 1024)) } ?? 64 * 1024
  }

  /// Ends early when the test ends the connection; what the client sends waits.
  private func rest(milliseconds: Int64) -> Bool {
    !sender.log.block(forMilliseconds: milliseconds, until: sender.isCut)
  }
}
