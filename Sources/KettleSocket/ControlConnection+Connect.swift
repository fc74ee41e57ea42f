import CKettleLinux
import Glibc
import KettleControl
import KettleSystem

extension ControlConnection {
  /// Connects to the service at `path` and checks that it runs as the same user, because another
  /// user may have claimed the path first.
  package static func connect(
    to path: String, lineByteCountMax: Int = LineDecoder.byteCountMaxFromService,
    userID: Int64 = Int64(geteuid())
  ) async throws(ControlSocketError) -> ControlConnection {
    let descriptor = try connectedSocket(path, userID: userID)
    let processID = Int64(kettle_peer_pid(descriptor.number))
    return try await adopt(
      descriptor, lineByteCountMax: lineByteCountMax, peerUserID: userID,
      peerProcessID: processID)
  }

  /// Connects like `connect`, for a thread that does its own reading and writing. Returns a
  /// non-blocking socket.
  package static func connectedSocket(
    _ path: String, userID: Int64 = Int64(geteuid())
  ) throws(ControlSocketError) -> OwnedDescriptor {
    let address = try SocketAddressUnix(path: path)
    let descriptor = try SocketAddressUnix.makeSocket(for: path)
    try connect(descriptor.number, address, path)
    let peer = Int64(kettle_peer_uid(descriptor.number))
    guard peer == userID else {
      throw ControlSocketError.foreignPeer(path: path, userID: peer)
    }
    return descriptor
  }

  private static func connect(
    _ descriptor: Int32, _ address: SocketAddressUnix, _ path: String
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
