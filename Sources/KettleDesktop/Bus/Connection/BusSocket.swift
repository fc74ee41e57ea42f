import Glibc
import KettleSystem

/// A stream to a bus, closed when its last reference is released.
final class BusSocket: Sendable {
  private let socket: OwnedDescriptor
  var descriptor: Int32 { socket.number }

  init(_ address: BusAddress) throws(BusError) {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard let socket = OwnedDescriptor(opened: Glibc.socket(AF_UNIX, type, 0)) else {
      throw .unreachable(errno)
    }
    try Self.connect(socket.number, to: address)
    self.socket = socket
  }

  private static func connect(_ descriptor: Int32, to address: BusAddress) throws(BusError) {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    let path: [UInt8] =
      switch address {
      case .path(let text): text + [0]
      case .abstract(let text): [0] + text
      }
    guard path.count <= MemoryLayout.size(ofValue: name.sun_path) else {
      throw .unreachable(ENAMETOOLONG)
    }
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
    // The length is part of an abstract name (unix(7)).
    let byteCount = MemoryLayout<sa_family_t>.size + path.count
    let result = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(byteCount))
      }
    }
    // A bus with a full backlog returns EAGAIN; do not wait for it.
    guard result == 0 else { throw .unreachable(errno) }
  }

  /// Disconnects from the bus, even while others hold the socket.
  func disconnect() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  enum Received {
    case bytes(ArraySlice<UInt8>)
    case nothing
    case ended
  }

  func receive() -> Received {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count > 0 { return .bytes(buffer.prefix(count)) }
      if count == 0 { return .ended }
      if errno == EINTR { continue }
      return errno == EAGAIN ? .nothing : .ended
    }
  }

  /// Returns how many bytes were accepted, or nil when the other end has closed.
  func send(_ bytes: ArraySlice<UInt8>) -> Int? {
    while true {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 { return count }
      if errno == EINTR { continue }
      return errno == EAGAIN ? 0 : nil
    }
  }
}
