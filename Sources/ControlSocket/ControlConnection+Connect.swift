import CLinux
import ControlProtocol
import Glibc

extension ControlConnection {
  /// Connects to the service at `path` and checks that it runs as the same user: another user may
  /// have waited for the name.
  package static func connect(
    to path: String, lineByteCountMax: Int = LineDecoder.byteCountMaxFromService,
    userID: Int64 = Int64(geteuid())
  ) async throws(ControlSocketError) -> ControlConnection {
    let descriptor = try connectedSocket(path, userID: userID)
    let processID = Int64(kettle_peer_pid(descriptor))
    return try await adopt(
      descriptor, lineByteCountMax: lineByteCountMax, peerUserID: userID,
      peerProcessID: processID)
  }

  /// Connects as `connect` does, for a thread that reads and writes by itself. The descriptor is
  /// the caller's to close; it does not block.
  package static func connectedSocket(
    _ path: String, userID: Int64 = Int64(geteuid())
  ) throws(ControlSocketError) -> Int32 {
    let address = try SocketAddressUnix(path: path)
    let descriptor = try SocketAddressUnix.makeSocket(for: path)
    do throws(ControlSocketError) {
      try connect(descriptor, address, path)
      let peer = Int64(kettle_peer_uid(descriptor))
      guard peer == userID else {
        throw ControlSocketError.foreignPeer(path: path, userID: peer)
      }
      return descriptor
    } catch {
      Glibc.close(descriptor)
      throw error
    }
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
    // A Unix-domain socket connects at once or, when the backlog is full, not (connect(2)).
    case EAGAIN: throw ControlSocketError.busy(path: path)
    default: throw ControlSocketError.system(call: "connect", path: path, code: errno)
    }
  }
}
