import Glibc

/// An address where connections are neither accepted nor refused, as behind a firewall that drops.
///
/// A listening socket whose queue is full does that on Linux: it ignores further SYN packets.
package final class BlackHole: Sendable {
  package let port: Int
  private let listener: LoopbackListener
  private let queued: [Int32]

  /// At 127.0.0.`lastByte`, on a free port unless one is given.
  package init(lastByte: UInt8 = 1, port: Int = 0) throws(OriginError) {
    let listener = try LoopbackListener(lastByte: lastByte, port: port, backlog: 0)
    self.listener = listener
    self.port = listener.port
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    // One or two fill the queue; the SYN packets of the others and all later ones are ignored.
    queued = (1...4).map { _ in
      let client = socket(AF_INET, type | Int32(SOCK_NONBLOCK.rawValue), 0)
      var address = LoopbackListener.loopback(lastByte: lastByte, port: listener.port)
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      return client
    }
  }

  deinit {
    for client in queued { close(client) }
    listener.stop()
    // Connections in the queue get a reset now.
    while let accepted = listener.accept() { close(accepted) }
  }
}
