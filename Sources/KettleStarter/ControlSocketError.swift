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
