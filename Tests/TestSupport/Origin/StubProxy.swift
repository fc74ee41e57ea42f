import Glibc
import KettleModel

/// A scripted proxy on the loopback interface that records its requests. It connects to the
/// loopback interface for every requested name.
///
///     let proxy = try StubProxy(.http, login: Login(user: "me", password: "secret"))
///
/// It stops when its last reference is released.
package final class StubProxy: Sendable {
  package enum Kind: Hashable, Sendable {
    /// CONNECT, and requests with an absolute URL.
    case http
    case socks5
  }

  package enum Answer: Hashable, Sendable {
    case relay
    /// Sends these bytes to any request, and then closes the connection.
    case raw(String)
    /// Sends these bytes to any request, and nothing more.
    case rawAndSilence(String)
    case close
    /// Sends this reply instead of connecting (RFC 1928, section 6).
    case socksReply(UInt8)
  }

  /// One request to the proxy.
  package struct Seen: Hashable, Sendable {
    package var connection: Int
    /// `host:port`, as requested.
    package var target: String
    /// As received; empty for SOCKS.
    package var head: String
    /// The user and password of a SOCKS client.
    package var login: Login?
  }

  struct Log: Sendable {
    var seen: [Seen] = []
    var connectionCount = 0
    var open: Set<Int32> = []
    var isStopped = false
  }

  struct Behavior: Sendable {
    var kind: Kind
    var login: Login?
    var answer: Answer
  }

  package let port: Int
  private let listener: LoopbackListener
  private let log = Monitor(Log())

  package init(
    _ kind: Kind, login: Login? = nil, answer: Answer = .relay
  ) throws(OriginError) {
    listener = try LoopbackListener()
    port = listener.port
    let behavior = Behavior(kind: kind, login: login, answer: answer)
    OriginThread.start { [listener, log] in Self.accept(on: listener, behavior, log) }
  }

  deinit { stop() }

  package var seen: [Seen] { log.read(\.seen) }
  package var connectionCount: Int { log.read(\.connectionCount) }

  /// Refuses connections from now on and closes the open ones.
  package func stop() {
    let isFirst = log.update { log in
      defer { log.isStopped = true }
      for descriptor in log.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
      return !log.isStopped
    }
    if isFirst { listener.stop() }
  }

  private static func accept(
    on listener: LoopbackListener, _ behavior: Behavior, _ log: Monitor<Log>
  ) {
    while let descriptor = listener.accept() {
      let number: Int? = log.update { log in
        guard !log.isStopped else { return nil }
        log.connectionCount += 1
        log.open.insert(descriptor)
        return log.connectionCount
      }
      guard let number else {
        close(descriptor)
        continue
      }
      OriginThread.start {
        var client = StubProxyConnection(
          client: descriptor, number: number, behavior: behavior, log: log)
        client.serve()
        log.update { _ = $0.open.remove(descriptor) }
        close(descriptor)
      }
    }
  }
}
