import Glibc
import KettleModel

/// Serves one connection on its own thread until the connection ends.
struct OriginConnection {
  let descriptor: Int32
  let number: Int
  let log: Monitor<OriginServer.Log>

  func serve() {
    var noDelay: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, socklen_t(MemoryLayout<Int32>.size))
    // A blocked send(2) returns periodically to check whether the test cut the connection.
    var patience = timeval(tv_sec: 0, tv_usec: 100_000)
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var received: [UInt8] = []
    while let request = nextRequest(&received) {
      let choose = log.read { $0.behaviors[request.path] }
      let behavior = choose?(request) ?? .status(404, text: "<html>Not here.</html>")
      let isOpen = answer(request, behavior, &received)
      guard isOpen else { return }
    }
  }

  /// Reads up to the empty line; nil if the connection ended.
  private func nextRequest(_ received: inout [UInt8]) -> OriginRequest? {
    let end = Array("\r\n\r\n".utf8)
    var piece = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      if let found = received.indices.first(where: { received[$0...].starts(with: end) }) {
        let head = String(decoding: received[..<found], as: UTF8.self)
        received.removeSubrange(..<(found + end.count))
        return logged(head)
      }
      let count = recv(descriptor, &piece, piece.count, 0)
      guard count > 0, received.count < 1 << 20 else { return nil }
      received += piece[..<count]
    }
  }

  private func logged(_ head: String) -> OriginRequest? {
    log.update { log in
      let next = log.requests.count + 1
      guard
        var request = OriginRequest(
          head: head, number: next, connection: number, clientPort: clientPort)
      else { return nil }
      request.numberForPath = log.requests.count { $0.path == request.path } + 1
      request.underWayCount = log.requests.count { log.isUnderWay($0) } + 1
      log.requests.append(request)
      return request
    }
  }

  private var clientPort: Int {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getpeername(descriptor, $0, &length)
      }
    }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// Returns whether the connection stays open.
  private func answer(
    _ request: OriginRequest, _ behavior: OriginBehavior, _ received: inout [UInt8]
  ) -> Bool {
    let reply = OriginReply(to: request, by: behavior)
    var sender = OriginSender(
      descriptor: descriptor, requestNumber: request.number, behavior: behavior, log: log)
    let taking = reply.isLoginMissing ? behavior.takingWithoutLogin : nil
    for head in behavior.interimHeads { _ = sender.write(head.interimBytes) }
    let taker = OriginTaker(sender: sender, behavior: behavior, taking: taking ?? behavior.taking)
    let taken = taker.take(request, &received)
    guard taken != .gone else {
      log.update { $0.requests[request.number - 1].progress = .abandoned }
      return false
    }
    if case .file(_, let part) = reply.body {
      log.update { $0.requests[request.number - 1].bodyStart = part.lowerBound }
    }
    let isSent = sender.send(reply)
    log.update { $0.requests[request.number - 1].progress = isSent ? .answered : .abandoned }
    if case .cut(_, .reset) = reply.ending { OriginServer.setReset(descriptor) }
    let isLast = reply.closesConnection || taken == .part
    if isSent, isLast { lingerForClient(reply) }
    return isSent && !isLast
  }

  /// Closing with unread bytes of the client sends a reset instead of a FIN; so the FIN is sent
  /// first, and the socket is closed after the client has closed.
  private func lingerForClient(_ reply: OriginReply) {
    if case .cut(_, .reset) = reply.ending { return }
    shutdown(descriptor, Int32(SHUT_WR))
    var rest = [UInt8](repeating: 0, count: 4096)
    while recv(descriptor, &rest, rest.count, 0) > 0 {}
  }
}

extension ResponseHead {
  fileprivate var interimBytes: [UInt8] {
    let lines = ["HTTP/1.1 \(status) Interim"] + headers.map { $0.name + ": " + $0.value }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }
}
