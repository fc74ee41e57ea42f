import Foundation
import KettleSystem
import Testing

/// A client that sends and receives bytes over TCP on the loopback, and waits for them.
final class LoopbackClient: Sendable {
  private let descriptor: OwnedDescriptor
  private let received = Mutex<[UInt8]>([])

  /// Longer than any test takes.
  private static let patienceSeconds = 20

  init(port: Int) throws {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard let owned = OwnedDescriptor(opened: socket) else { throw SystemError(errno) }
    descriptor = owned
    var time = timeval(tv_sec: Self.patienceSeconds, tv_usec: 0)
    setsockopt(
      descriptor.number, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(result == 0)
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      // The other end may have closed.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Receives more. Returns false at the end of the connection. It waits on a thread of its own, so
  /// that the tasks of the test go on.
  private func receiveMore() async -> Bool {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [self] in continuation.resume(returning: receive()) }
    }
  }

  private func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor.number, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    received.withLock { $0 += buffer.prefix(count) }
    return true
  }

  /// Everything up to the end of the connection.
  func readToEnd() async -> String {
    while await receiveMore() {}
    return received.withLock { bytes in
      defer { bytes = [] }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Takes this many bytes.
  func read(_ count: Int) async throws -> [UInt8] {
    while received.withLock({ $0.count }) < count {
      let isOpen = await receiveMore()
      try #require(isOpen, "the connection ended")
    }
    return received.withLock { bytes in
      defer { bytes.removeFirst(count) }
      return Array(bytes.prefix(count))
    }
  }

  /// Takes a response with its body, whose length it names.
  func readResponse() async throws -> (head: String, body: String) {
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual([13, 10, 13, 10]) { head += try await read(1) }
    let text = String(decoding: head, as: UTF8.self)
    let lines = text.split(separator: "\r\n").map { $0.lowercased() }
    let name = "content-length: "
    let length = lines.first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count)) }
    return (text, String(decoding: try await read(length ?? 0), as: UTF8.self))
  }

  // MARK: WebSocket

  /// A frame of a client, whose mask changes nothing (RFC 6455, section 5.2).
  func sendFrame(_ opcode: UInt8, _ payload: String, isLast: Bool = true) {
    let bytes = Array(payload.utf8)
    var frame: [UInt8] = [(isLast ? 0x80 : 0) | opcode]
    if bytes.count < 126 {
      frame.append(0x80 | UInt8(bytes.count))
    } else {
      frame += [0x80 | 126, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)]
    }
    send(frame + [0, 0, 0, 0] + bytes)
  }

  /// Takes a frame of the server.
  func readFrame() async throws -> (opcode: UInt8, payload: [UInt8]) {
    let head = try await read(2)
    var count = Int(head[1])
    if count == 126 { count = try await read(2).reduce(0) { $0 << 8 | Int($1) } }
    return (head[0] & 15, try await read(count))
  }

  func readText() async throws -> String {
    let frame = try await readFrame()
    try #require(frame.opcode == 1)
    return String(decoding: frame.payload, as: UTF8.self)
  }

  func upgrade(version: String = "13", path: String = "/jsonrpc", origin: String? = nil) {
    send(
      "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + (origin.map { "Origin: \($0)\r\n" } ?? "")
        + "Sec-WebSocket-Version: \(version)\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
  }
}
