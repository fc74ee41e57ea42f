import Glibc
import KettleSystem

/// The address of a Unix-domain socket with a name in the file system (unix(7)).
///
/// The abstract namespace is never used: it has no permissions.
struct SocketAddressUnix {
  /// The capacity of `sun_path` without the terminating NUL.
  static let pathByteCountMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  private var address = sockaddr_un()

  init(path: String) throws(ControlSocketError) {
    let bytes = Array(path.utf8)
    guard bytes.count <= Self.pathByteCountMax else {
      throw ControlSocketError.socketPathTooLong(path: path)
    }
    guard path.hasPrefix("/"), !bytes.contains(0) else {
      throw ControlSocketError.system(call: "bind", path: path, code: EINVAL)
    }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
  }

  /// Runs bind(2) or connect(2) with the address.
  func withPointer(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Returns the name of a socket in the file system; nil if it has none (getsockname(2)).
  static func path(of descriptor: Int32) -> String? {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &length)
      }
    }
    guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
    let bytes = withUnsafeBytes(of: &address.sun_path) { Array($0.prefix { $0 != 0 }) }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// Creates a non-blocking stream socket that child processes do not inherit.
  static func makeSocket(for path: String) throws(ControlSocketError) -> OwnedDescriptor {
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard let descriptor = OwnedDescriptor(opened: socket(AF_UNIX, flags, 0)) else {
      throw ControlSocketError.system(call: "socket", path: path, code: errno)
    }
    return descriptor
  }
}
