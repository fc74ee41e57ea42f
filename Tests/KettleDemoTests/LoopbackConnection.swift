import Dispatch
import Glibc

/// A plain TCP connection to a loopback port, over which a test sends raw lines. Its calls block
/// with a time limit; run them through `blocking`.
final class LoopbackConnection: Sendable {
  struct Reply: Sendable {
    var status: Int
    /// Names in lower case.
    var headers: [String: String]
    var body: [UInt8]
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private let descriptor: Int32

  init(port: Int, budgetSeconds: Int = 30) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var budget = timeval(tv_sec: budgetSeconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &budget, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &budget, size)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Failure(description: "connect: errno \(errno)") }
  }

  deinit { close(descriptor) }

  func send(_ lines: String...) throws {
    let bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    else { throw Failure(description: "send: errno \(errno)") }
  }

  /// Reads one reply. The length of its body is its Content-Length.
  func readReply(hasBody: Bool = true) throws -> Reply {
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
      guard let byte = try read(upTo: 1).first else { throw Failure(description: "no head") }
      head.append(byte)
    }
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " }) }
    }
    var body: [UInt8] = []
    let length = hasBody ? headers["content-length"].flatMap { Int($0) } ?? 0 : 0
    while body.count < length {
      let piece = try read(upTo: length - body.count)
      guard !piece.isEmpty else { throw Failure(description: "cut off at \(body.count)") }
      body += piece
    }
    return Reply(status: status, headers: headers, body: body)
  }

  /// Returns no bytes if the other end has closed.
  func read(upTo count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: min(count, 1 << 18))
    let received = recv(descriptor, &bytes, bytes.count, 0)
    if received < 0 && errno == ECONNRESET { return [] }
    guard received >= 0 else { throw Failure(description: "recv: errno \(errno)") }
    return Array(bytes.prefix(received))
  }
}

/// Runs blocking calls on a thread that may block, so that the tasks of other tests can continue.
func blocking<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
  }
}
