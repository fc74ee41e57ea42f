import CKettleLinux
import Foundation
import Glibc
import Testing

/// A plain client: a socket that sends and receives lines of JSON.
final class ControlLine: Sendable {
  private let descriptor: Int32

  init(_ home: KettleHome) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = home.path + "/run/kettle/control.sock"
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
    // No reply that a test waits for takes longer.
    var budget = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &budget, socklen_t(MemoryLayout<timeval>.size))
    _ = try ask("hello", #"{"protocolVersion":1,"client":"test"}"#)
  }

  deinit { close() }

  func close() { _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Sends a request and returns the line of the reply.
  func ask(_ method: String, _ params: String) throws -> String {
    try send(method, params)
    return try readLine()
  }

  /// Reads lines until one satisfies the predicate, and returns it.
  func firstLine(where predicate: (String) -> Bool) throws -> String {
    while true {
      let line = try readLine()
      if predicate(line) { return line }
    }
  }

  /// Sends a request without reading the reply.
  func send(_ method: String, _ params: String) throws {
    let line = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"# + "\n"
    let sent = line.utf8.withContiguousStorageIfAvailable {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    try #require(sent == line.utf8.count)
  }

  private func readLine() throws -> String {
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while line.last != UInt8(ascii: "\n") {
      // Looks first, so that the next line stays in the socket.
      let waiting = try receive(into: &buffer, buffer.count, Int32(MSG_PEEK))
      let end = buffer.prefix(waiting).firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
      let taken = try receive(into: &buffer, end ?? waiting, 0)
      line += buffer.prefix(taken)
    }
    return String(decoding: line.dropLast(), as: UTF8.self)
  }

  /// Returns the number of bytes. Throws if the connection ended or nothing arrived in time.
  private func receive(
    into buffer: inout [UInt8], _ countMax: Int, _ flags: Int32
  ) throws -> Int {
    let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, countMax, flags) }
    try #require(count > 0)
    return count
  }
}
