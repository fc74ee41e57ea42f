import Glibc

/// A free port of 127.0.0.1 for several servers, one after another.
///
/// Its socket is bound but does not listen. While it exists, the kernel does not choose the port
/// for another socket, but a server that sets SO_REUSEADDR can listen on it (socket(7)).
package final class ReservedPort: Sendable {
  package let number: Int
  private let descriptor: Int32

  package init() throws(OriginError) {
    let bound = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard bound >= 0 else { throw OriginError(call: "socket", errno: errno) }
    var reuses: Int32 = 1
    setsockopt(bound, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<Int32>.size))
    guard let port = LoopbackListener.bind(bound, port: 0) else {
      let error = OriginError(call: "bind", errno: errno)
      close(bound)
      throw error
    }
    descriptor = bound
    number = port
  }

  deinit { close(descriptor) }
}
