import Glibc
import TransferModel

/// The sockets and threads behind a `ScriptedOrigin`: one thread accepts, one serves each
/// connection.
final class OriginServer: Sendable {
  struct Log: Sendable, CustomStringConvertible {
    var requests: [OriginRequest] = []
    var connectionCount = 0
    var behaviors: [String: @Sendable (OriginRequest) -> OriginBehavior] = [:]
    var released: Set<String> = []
    /// Descriptors of open connections, by number.
    var open: [Int: Int32] = [:]
    /// Connections that end with a reset.
    var reset: Set<Int> = []
    var isStopped = false

    var description: String {
      requests.map {
        "#\($0.number) \($0.method) \($0.path) sent \($0.bytesSent) \($0.progress)"
      }.joined(separator: ", ")
    }
  }

  let port: Int
  let log = Monitor(Log())
  private let listener: Int32

  init() throws(OriginError) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard listener >= 0 else { throw OriginError(call: "socket", errno: errno) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) | listen(listener, 1024) | getsockname(listener, $0, &length)
      }
    }
    guard status == 0 else {
      let error = OriginError(call: "bind", errno: errno)
      close(listener)
      throw error
    }
    self.listener = listener
    port = Int(UInt16(bigEndian: address.sin_port))
    OriginThread.start { [log] in Self.accept(on: listener, log) }
  }

  /// Returns when no connection is accepted any more.
  func stop() {
    let isFirst = log.update { log in
      defer { log.isStopped = true }
      return !log.isStopped
    }
    // accept(2) returns with an error then; the accepting thread closes the descriptor.
    if isFirst { shutdown(listener, Int32(SHUT_RDWR)) }
    cutConnections(.fin)
  }

  func cutConnections(_ cut: OriginBehavior.Cut) {
    log.update { log in
      for (number, descriptor) in log.open {
        switch cut {
        case .fin: shutdown(descriptor, Int32(SHUT_RDWR))
        case .reset:
          log.reset.insert(number)
          Self.setReset(descriptor)
          // Wakes a thread that reads, without the FIN that would come before the reset.
          shutdown(descriptor, Int32(SHUT_RD))
        }
      }
    }
  }

  /// The next close(2) sends RST (SO_LINGER with no time, socket(7)).
  static func setReset(_ descriptor: Int32) {
    var value = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
  }

  private static func accept(on listener: Int32, _ log: Monitor<Log>) {
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      if descriptor < 0, errno == EINTR || errno == ECONNABORTED { continue }
      guard descriptor >= 0 else { break }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      let number: Int? = log.update { log in
        guard !log.isStopped else { return nil }
        log.connectionCount += 1
        log.open[log.connectionCount] = descriptor
        return log.connectionCount
      }
      guard let number else {
        close(descriptor)
        break
      }
      OriginThread.start {
        OriginConnection(descriptor: descriptor, number: number, log: log).serve()
        // Out of the list first: the number of a closed descriptor is soon another's.
        log.update { $0.open[number] = nil }
        close(descriptor)
      }
    }
    close(listener)
  }
}
