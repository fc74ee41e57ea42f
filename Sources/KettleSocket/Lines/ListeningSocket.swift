import Glibc
import KettleStarter
import KettleSystem

/// The identity of a socket file, used to check later whether the file at a path is still the same.
struct SocketFile {
  let device: UInt64
  let inode: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }

  /// Returns whether the file at `path` is this one.
  func isFile(at path: String) -> Bool {
    guard let status = SystemCall.status(ofName: path) else { return false }
    return UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
  }
}

/// A bound and listening socket, before an event loop owns it.
struct ListeningSocket: ~Copyable {
  let descriptor: OwnedDescriptor
  let file: SocketFile

  /// Binds the socket. The caller holds the service lock of its home, so a socket file that is
  /// already at the path belongs to a dead process and is replaced, or to the service of another
  /// home and is left alone.
  static func bind(at path: String) throws(ControlSocketError) -> ListeningSocket {
    let address = try SocketAddressUnix(path: path)
    try PrivateDirectory.prepare(SystemCall.parent(of: path))
    if let existing = SystemCall.status(ofName: path) {
      guard existing.isSocket else { throw ControlSocketError.pathTaken(path: path) }
      guard !isServed(path) else { throw ControlSocketError.pathServed(path: path) }
      unlink(path)
    }
    let descriptor = try SocketAddressUnix.makeSocket(for: path)
    let file = try listen(descriptor.number, at: address, path: path)
    return ListeningSocket(descriptor: descriptor, file: file)
  }

  private static func isServed(_ path: String) -> Bool {
    do throws(ControlSocketError) {
      _ = try SocketAddressUnix.connectedSocket(path)
      return true
    } catch {
      if case .busy = error { return true }
      return false
    }
  }

  /// Takes over a socket that a supervisor listens on, and closes it to others. Throws if it is
  /// another one than clients connect to.
  static func adopt(
    _ descriptor: consuming OwnedDescriptor, at path: String
  ) throws(ControlSocketError) -> ListeningSocket {
    guard SocketAddressUnix.path(of: descriptor.number) == path else {
      throw ControlSocketError.system(call: "getsockname", path: path, code: EADDRNOTAVAIL)
    }
    // Each client is checked too, so one that connected before this gains nothing.
    guard chmod(path, 0o600) == 0, let status = SystemCall.status(ofName: path), status.isSocket,
      !status.isOpenToOthers
    else {
      throw ControlSocketError.unsafeDirectory(path: path, detail: "others can access the socket")
    }
    let flags = fcntl(descriptor.number, F_GETFL)
    guard flags >= 0, fcntl(descriptor.number, F_SETFL, flags | O_NONBLOCK) == 0,
      fcntl(descriptor.number, F_SETFD, FD_CLOEXEC) == 0
    else { throw ControlSocketError.system(call: "fcntl", path: path, code: errno) }
    return ListeningSocket(descriptor: descriptor, file: SocketFile(status))
  }

  private static func listen(
    _ descriptor: Int32, at address: SocketAddressUnix, path: String
  ) throws(ControlSocketError) -> SocketFile {
    func check(_ call: String, _ result: Int32) throws(ControlSocketError) {
      guard result == 0 else {
        throw ControlSocketError.system(call: call, path: path, code: errno)
      }
    }
    // Linux gives the file the mode of the socket minus the umask. The file is therefore private
    // from the start, and the umask, which is process-wide, stays unchanged.
    try check("fchmod", fchmod(descriptor, 0o600))
    try check("bind", address.withPointer { Glibc.bind(descriptor, $0, $1) })
    guard let status = SystemCall.status(ofName: path), status.isSocket, !status.isOpenToOthers
    else {
      throw ControlSocketError.unsafeDirectory(path: path, detail: "others can access the socket")
    }
    try check("listen", Glibc.listen(descriptor, backlog))
    return SocketFile(status)
  }

  /// The number of clients that may wait to be accepted; the system's maximum (`somaxconn`) also
  /// applies.
  private static let backlog: Int32 = 1024
}
