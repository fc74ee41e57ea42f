import Glibc
import Testing

/// A client without any library, like another program or an attacker.
struct RawSocket {
  let descriptor: Int32

  /// The text that `readToEnd` adds if no end arrives within the budget.
  static let noEnd = " and no end"
  private static let readBudgetSeconds = 20

  /// Connects, or leaves a socket file behind without a listener.
  enum Purpose { case client, abandonedListener, listener }

  init(_ path: String, _ purpose: Purpose = .client) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try #require(descriptor >= 0)
    var budget = timeval(tv_sec: Self.readBudgetSeconds, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &budget, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = descriptor
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        return switch purpose {
        case .client: connect(descriptor, $0, size)
        case .abandonedListener, .listener: bind(descriptor, $0, size)
        }
      }
    }
    try #require(result == 0, "errno \(errno)")
    if purpose == .abandonedListener { close(descriptor) }
    if purpose == .listener { try #require(listen(descriptor, 8) == 0) }
  }

  func send(_ text: String) {
    let all = Array(text.utf8)
    _ = Glibc.send(descriptor, all, all.count, Int32(MSG_NOSIGNAL))
  }

  /// Closes the sending half.
  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Reads until the other end closes, or sends nothing for too long.
  func readToEnd() -> String {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &piece, piece.count, 0)
      if count < 0, errno == EAGAIN { return String(decoding: all, as: UTF8.self) + Self.noEnd }
      guard count > 0 else { return String(decoding: all, as: UTF8.self) }
      all += piece.prefix(count)
    }
  }

  func end() { close(descriptor) }
}
