import Glibc
import KettleModel

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
    /// How new connections end while this many are open.
    var limit: (count: Int, cut: OriginBehavior.Cut)?
    var isStopped = false

    /// Asks the kernel, because the serving thread detects the client's close only later.
    func isUnderWay(_ request: OriginRequest) -> Bool {
      guard request.progress == .answering, !request.isEnding else { return false }
      return open[request.connection].map(OriginServer.isOpen) ?? false
    }

    var description: String {
      requests.map {
        "#\($0.number) \($0.method) \($0.path) sent \($0.bytesSent) \($0.progress)"
      }.joined(separator: ", ")
    }
  }

  let port: Int
  let log = Monitor(Log())
  private let listener: LoopbackListener

  /// - Parameters:
  ///   - lastByte: the last byte of the address 127.0.0.x.
  ///   - sendBufferByteCount: the limit for bytes of a connection in the kernel that the client's
  ///     side has not accepted yet.
  ///   - receiveBufferByteCount: the limit for unread bytes of the client in the kernel.
  init(
    lastByte: UInt8, port wanted: Int, sendBufferByteCount: Int32?,
    receiveBufferByteCount: Int32?
  ) throws(OriginError) {
    listener = try LoopbackListener(
      lastByte: lastByte, port: wanted, sendBufferByteCount: sendBufferByteCount,
      receiveBufferByteCount: receiveBufferByteCount)
    port = listener.port
    OriginThread.start { [log, listener] in Self.accept(on: listener, log) }
  }

  /// Returns when no more connections are accepted.
  func stop() {
    let isFirst = log.update { log in
      defer { log.isStopped = true }
      return !log.isStopped
    }
    if isFirst { listener.stop() }
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
          // Wakes a reading thread without sending a FIN before the reset.
          shutdown(descriptor, Int32(SHUT_RD))
        }
      }
    }
  }

  /// Whether the client's end is still open.
  static func isOpen(_ descriptor: Int32) -> Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))
  }

  /// The next close(2) sends RST (SO_LINGER with no time, socket(7)).
  static func setReset(_ descriptor: Int32) {
    var value = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
  }

  private static func accept(on listener: LoopbackListener, _ log: Monitor<Log>) {
    while let descriptor = listener.accept() {
      let number: Int? = log.update { log in
        guard !log.isStopped else { return nil }
        if let limit = log.limit, log.open.count >= limit.count {
          if limit.cut == .reset { Self.setReset(descriptor) }
          return nil
        }
        log.connectionCount += 1
        log.open[log.connectionCount] = descriptor
        return log.connectionCount
      }
      guard let number else {
        close(descriptor)
        continue
      }
      OriginThread.start {
        OriginConnection(descriptor: descriptor, number: number, log: log).serve()
        // Removed from the list first, because the number of a closed descriptor is soon reused.
        log.update { $0.open[number] = nil }
        close(descriptor)
      }
    }
  }
}
