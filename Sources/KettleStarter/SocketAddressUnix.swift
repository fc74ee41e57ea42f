import CKettleLinux
import Glibc
import KettleSystem

/// The address of a Unix-domain socket with a name in the file system (unix(7)).
///
/// The abstract namespace is never used: it has no permissions.
package struct SocketAddressUnix {
  /// The capacity of `sun_path` without the terminating NUL.
  package static let pathByteCountMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  private var address = sockaddr_un()

  package init(path: String) throws(ControlSocketError) {
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
  package func withPointer(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Returns the name of a socket in the file system; nil if it has none (getsockname(2)).
  package static func path(of descriptor: Int32) -> String? {
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

  /// Returns the process at the other end of a connected socket; not positive if it is unknown.
  package static func peerProcessID(of descriptor: Int32) -> Int64 {
    Int64(kettle_peer_pid(descriptor))
  }

  /// Creates a non-blocking stream socket that child processes do not inherit.
  package static func makeSocket(for path: String) throws(ControlSocketError) -> OwnedDescriptor {
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard let descriptor = OwnedDescriptor(opened: socket(AF_UNIX, flags, 0)) else {
      throw ControlSocketError.system(call: "socket", path: path, code: errno)
    }
    return descriptor
  }

  /// Connects to the service at `path` and checks that it runs as the same user, because another
  /// user may have claimed the path first. Returns a non-blocking socket.
  package static func connectedSocket(
    _ path: String, userID: Int64 = Int64(geteuid())
  ) throws(ControlSocketError) -> OwnedDescriptor {
    let address = try Self(path: path)
    let descriptor = try makeSocket(for: path)
    try connect(descriptor.number, to: address, path: path)
    let peer = Int64(kettle_peer_uid(descriptor.number))
    guard peer == userID else {
      throw ControlSocketError.foreignPeer(path: path, userID: peer)
    }
    return descriptor
  }

  private static func connect(
    _ descriptor: Int32, to address: Self, path: String
  ) throws(ControlSocketError) {
    let result = SystemCall.retrying {
      address.withPointer { Glibc.connect(descriptor, $0, $1) }
    }
    guard result != 0 else { return }
    switch errno {
    case ENOENT, ECONNREFUSED, ENOTDIR: throw ControlSocketError.notListening(path: path)
    // A Unix-domain socket connects at once, or fails if the backlog is full (connect(2)).
    case EAGAIN: throw ControlSocketError.busy(path: path)
    default: throw ControlSocketError.system(call: "connect", path: path, code: errno)
    }
  }
}

/// Why a control socket cannot be created, reached or read.
package enum ControlSocketError: Error, Hashable, Sendable {
  /// The socket's directory is accessible to others, is or is owned by another user.
  case unsafeDirectory(path: String, detail: String)
  /// `sockaddr_un` has room for 107 bytes of path (unix(7)).
  case socketPathTooLong(path: String)
  /// Something other than a socket exists at the path; it is left alone.
  case pathTaken(path: String)
  /// Another service, that of another home, listens at the path.
  case pathServed(path: String)
  /// A directory is missing and cannot be created; `code` is an errno value.
  case cannotCreateDirectory(path: String, code: Int32)
  /// No service listens there: there is no file, or only one that a service left behind.
  case notListening(path: String)
  /// The service is running, but its backlog of pending connections is full.
  case busy(path: String)
  /// The other end runs as another user.
  case foreignPeer(path: String, userID: Int64)
  /// The other end sent a line of more than this many bytes; nothing more can be read from it.
  case lineTooLong(byteCountMax: Int)
  /// The other end began a line and did not finish it in time.
  case lineNotFinished
  /// The connection is gone.
  case closed
  /// A system call failed; `code` is its errno.
  case system(call: String, path: String, code: Int32)
}

/// System calls with their possible results as values.
package enum SystemCall {
  /// Repeats the call while it is interrupted by a signal.
  package static func retrying(_ call: () -> Int32) -> Int32 {
    while true {
      let result = call()
      if result != -1 || errno != EINTR { return result }
    }
  }

  /// Returns the result of lstat(2), which does not follow a symbolic link; nil if there is no
  /// file.
  package static func status(ofName path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }

  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}

extension stat {
  package var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
  package var isSocket: Bool { st_mode & S_IFMT == S_IFSOCK }
  package var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
  /// Whether group or others have any permission.
  package var isOpenToOthers: Bool { st_mode & 0o077 != 0 }
}
