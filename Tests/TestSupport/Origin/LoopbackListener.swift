import Glibc

/// Starts servers that listen on one port of different addresses.
///
/// The kernel chooses the port for the first server, and at the second one's address another socket
/// may have it. All are started anew then.
package func sharingOnePort<Servers>(_ start: () throws -> Servers) throws -> Servers {
  for _ in 1..<20 {
    do { return try start() } catch let error as OriginError where error.errno == EADDRINUSE {}
  }
  return try start()
}

/// A listening TCP socket on the loopback interface, on a free port unless one is given.
package struct LoopbackListener: Sendable {
  package let port: Int
  private let descriptor: Int32

  /// - Parameters:
  ///   - lastByte: the last byte of the address 127.0.0.x.
  ///   - sendBufferByteCount: the limit for bytes of a connection in the kernel that the client's
  ///     side has not accepted yet; inherited by accepted sockets (socket(7)).
  ///   - receiveBufferByteCount: the limit for unread bytes of the client in the kernel.
  package init(
    lastByte: UInt8 = 1, port wanted: Int = 0, backlog: Int32 = 1024,
    sendBufferByteCount: Int32? = nil, receiveBufferByteCount: Int32? = nil
  ) throws(OriginError) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard listener >= 0 else { throw OriginError(call: "socket", errno: errno) }
    for (option, byteCount) in [
      (SO_SNDBUF, sendBufferByteCount), (SO_RCVBUF, receiveBufferByteCount),
    ] {
      guard var byteCount else { continue }
      setsockopt(listener, SOL_SOCKET, option, &byteCount, socklen_t(MemoryLayout<Int32>.size))
    }
    guard let bound = Self.bind(listener, lastByte: lastByte, port: wanted),
      listen(listener, backlog) == 0
    else {
      let error = OriginError(call: "bind", errno: errno)
      close(listener)
      throw error
    }
    descriptor = listener
    port = bound
  }

  /// Binds a socket to a port of the loopback interface, 0 for a free one. Returns the port, or nil
  /// and sets errno.
  static func bind(_ descriptor: Int32, lastByte: UInt8 = 1, port: Int) -> Int? {
    var address = loopback(lastByte: lastByte, port: port)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(descriptor, $0, length) | getsockname(descriptor, $0, &length)
      }
    }
    return status == 0 ? Int(UInt16(bigEndian: address.sin_port)) : nil
  }

  /// The next connection; nil after the end, when the port is free.
  package func accept() -> Int32? {
    while true {
      let accepted = Glibc.accept(descriptor, nil, nil)
      if accepted < 0, errno == EINTR || errno == ECONNABORTED { continue }
      guard accepted >= 0 else {
        close(descriptor)
        return nil
      }
      _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
      return accepted
    }
  }

  /// Makes `accept` return, and refuses connections. Call it once.
  package func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// A connection to a port on this machine; nil if it is refused.
  package static func connect(to port: Int) -> Int32? {
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard client >= 0 else { return nil }
    var address = loopback(port: port)
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if status == 0 { return client }
    close(client)
    return nil
  }

  static func loopback(lastByte: UInt8 = 1, port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = (UInt32(0x7F00_0000) | UInt32(lastByte)).bigEndian
    address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
    return address
  }
}
