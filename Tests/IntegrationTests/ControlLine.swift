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

  /// Returns whether a line with this text arrives before the connection ends.
  func reads(_ text: String) throws -> Bool {
    while let line = try? readLine() {
      if line.contains(text) { return true }
    }
    return false
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
    var reply: [UInt8] = []
    var byte: UInt8 = 0
    while recv(descriptor, &byte, 1, 0) == 1, byte != 10 { reply.append(byte) }
    try #require(byte == 10)
    return String(decoding: reply, as: UTF8.self)
  }
}
