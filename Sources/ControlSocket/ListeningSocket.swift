import Glibc

/// A bound and listening socket, before an event loop owns it.
struct ListeningSocket {
  let descriptor: Int32
  /// Of the socket's file, to know later whether it still stands there.
  let device: UInt64
  let inode: UInt64

  /// Binds the socket. The caller holds the service lock, which is what makes it right to take the
  /// place of a socket file that is there: whoever made it is no more.
  static func bind(at path: String) throws(ControlSocketError) -> ListeningSocket {
    let address = try SocketAddressUnix(path: path)
    try PrivateDirectory.prepare(SystemCall.parent(of: path))
    if let standing = SystemCall.status(ofName: path) {
      guard standing.isSocket else { throw ControlSocketError.pathTaken(path: path) }
      unlink(path)
    }
    let descriptor = try SocketAddressUnix.makeSocket(for: path)
    do throws(ControlSocketError) {
      return try listen(descriptor, address, path)
    } catch {
      close(descriptor)
      throw error
    }
  }

  private static func listen(
    _ descriptor: Int32, _ address: SocketAddressUnix, _ path: String
  ) throws(ControlSocketError) -> ListeningSocket {
    func check(_ call: String, _ result: Int32) throws(ControlSocketError) {
      guard result == 0 else {
        throw ControlSocketError.system(call: call, path: path, code: errno)
      }
    }
    // Linux gives the file the mode of the socket less the umask. So it is closed to others from
    // the first moment, and the umask, which belongs to the whole process, stays as it is.
    try check("fchmod", fchmod(descriptor, 0o600))
    try check("bind", address.withPointer { Glibc.bind(descriptor, $0, $1) })
    guard let status = SystemCall.status(ofName: path), status.isSocket, !status.isOpenToOthers
    else { throw ControlSocketError.unsafeDirectory(path: path, detail: "the socket is open") }
    try check("listen", Glibc.listen(descriptor, backlog))
    return ListeningSocket(
      descriptor: descriptor, device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }

  /// Whether the file that stands at `path` is this socket's.
  func isFile(at path: String) -> Bool {
    guard let status = SystemCall.status(ofName: path) else { return false }
    return UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
  }

  /// How many clients may wait to be accepted; the system's own maximum (`somaxconn`) holds too.
  private static let backlog: Int32 = 1024
}
