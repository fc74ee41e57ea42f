/// Why a control socket cannot be offered, reached or read.
package enum ControlSocketError: Error, Hashable, Sendable {
  /// The directory of the socket is open to others, is not ours, or cannot be made.
  case unsafeDirectory(path: String, detail: String)
  /// `sockaddr_un` has room for 107 bytes of path (unix(7)).
  case socketPathTooLong(path: String)
  /// Something that is no socket has the name of the socket; it is left alone.
  case pathTaken(path: String)
  /// Nothing answers there: no such file, or a file that a service left behind.
  case notListening(path: String)
  /// The service is there and has more connections waiting than it takes at the moment.
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

  /// What the system says about an errno value.
  package static func text(ofCode code: Int32) -> String { SystemCall.text(ofCode: code) }
}
