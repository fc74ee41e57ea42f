import Foundation
import Glibc
import TestSupport

/// A name server on the loopback that is silent, or resolves every name to 127.0.0.1.
///
/// Port 53 is the only one that resolv.conf(5) knows, so it needs root.
final class NameServer: Sendable {
  let address: String
  private let descriptor: Int32
  private let state = Monitor(State())

  private struct State {
    var isSilent = true
    var queryCount = 0
  }

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
    // The whole of 127/8 is the loopback; other addresses may have a server already.
    guard let free = (100..<200).first(where: { [descriptor] in Self.bind(descriptor, to: $0) })
    else {
      close(descriptor)
      throw POSIXError(.EACCES)
    }
    address = "127.\(free).0.53"
    let (descriptor, state) = (descriptor, state)
    Thread.detachNewThread { Self.serve(descriptor, state) }
  }

  /// The thread closes the socket.
  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

  func answer() { state.update { $0.isSilent = false } }

  func waitForQuery() async throws {
    try await state.wait(for: "a query") { $0.queryCount > 0 }
  }

  private static func bind(_ descriptor: Int32, to part: Int) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(53).bigEndian
    address.sin_addr.s_addr = UInt32(127 << 24 | part << 16 | 53).bigEndian
    return withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func serve(_ descriptor: Int32, _ state: Monitor<State>) {
    var query = [UInt8](repeating: 0, count: 4096)
    while true {
      var client = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let count = withUnsafeMutablePointer(to: &client) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          recvfrom(descriptor, &query, query.count, 0, $0, &length)
        }
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      let isSilent = state.update { state in
        state.queryCount += 1
        return state.isSilent
      }
      guard !isSilent, let response = response(to: query.prefix(count)) else { continue }
      _ = withUnsafePointer(to: client) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          sendto(descriptor, response, response.count, 0, $0, length)
        }
      }
    }
    close(descriptor)
  }

  /// An address for a question of type A, and none for any other (RFC 1035, section 4). Nil for
  /// what is no question.
  static func response(to query: ArraySlice<UInt8>) -> [UInt8]? {
    let query = Array(query)
    let headerByteCount = 12
    guard query.count > headerByteCount else { return nil }
    guard let end = query[headerByteCount...].firstIndex(of: 0), query.count >= end + 5 else {
      return nil
    }
    let isForAddress = query[end + 1] == 0 && query[end + 2] == 1
    let counts: [UInt8] = [0, 1, 0, isForAddress ? 1 : 0, 0, 0, 0, 0]
    var response = Array(query[..<2]) + [0x81, 0x80] + counts
    response += query[headerByteCount..<end + 5]
    if isForAddress {
      // The name of the question; type A, class IN, for one second, four bytes.
      response += [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1]
    }
    return response
  }
}

extension ServerHome {
  /// Starts the service with a name server of its own: its mount namespace has another
  /// resolv.conf(5), and names are resolved by DNS alone.
  func startService(asking names: NameServer) async throws {
    keep(names)
    let folder = try directory("resolver")
    // A try of a name fails after one second, not after ten.
    try "nameserver \(names.address)\noptions timeout:1 attempts:1\n".write(
      toFile: folder + "/resolv.conf", atomically: false, encoding: .utf8)
    try "hosts: dns\n".write(
      toFile: folder + "/nsswitch.conf", atomically: false, encoding: .utf8)
    let script = """
      mount --bind "$0/resolv.conf" /etc/resolv.conf &&
      mount --bind "$0/nsswitch.conf" /etc/nsswitch.conf && exec "$1" daemon start
      """
    let outcome = try await run(["unshare", "--mount", "sh", "-c", script, folder, Self.program])
    guard outcome.code == 0 else { throw NotStarted(text: outcome.text) }
  }

  struct NotStarted: Error {
    var text: String
  }
}
