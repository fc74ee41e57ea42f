import FoundationEssentials
import Glibc
import KettleModel

/// One client of a `StubProxy`, on its own thread.
struct StubProxyConnection {
  let client: Int32
  let number: Int
  let behavior: StubProxy.Behavior
  let log: Monitor<StubProxy.Log>
  private var received: [UInt8] = []

  init(
    client: Int32, number: Int, behavior: StubProxy.Behavior, log: Monitor<StubProxy.Log>
  ) {
    self.client = client
    self.number = number
    self.behavior = behavior
    self.log = log
  }

  mutating func serve() {
    switch behavior.kind {
    case .http: serveHTTP()
    case .socks5: serveSOCKS()
    }
  }

  private func note(_ target: String, head: String = "", login: Login? = nil) {
    log.update {
      $0.seen.append(
        StubProxy.Seen(connection: number, target: target, head: head, login: login))
    }
  }

  /// Returns whether the client gets the requested connection.
  private mutating func isRelayed() -> Bool {
    switch behavior.answer {
    case .relay: return true
    case .close, .socksReply: return false
    case .raw(let text):
      send(Array(text.utf8), to: client)
      shutdown(client, Int32(SHUT_WR))
      while receive() {}
      return false
    case .rawAndSilence(let text):
      send(Array(text.utf8), to: client)
      while receive() {}
      return false
    }
  }
}

// MARK: - HTTP

extension StubProxyConnection {
  private mutating func serveHTTP() {
    while let head = nextHead() {
      let words = head.split(separator: " ", maxSplits: 2).map(String.init)
      guard words.count == 3 else { return }
      let isTunnel = words[0] == "CONNECT"
      let target =
        isTunnel
        ? words[1] : words[1].split(separator: "/").dropFirst().first.map(String.init) ?? ""
      note(target, head: head)
      guard isRelayed() else { return }
      guard hasLogin(head) else {
        send(
          Array(
            ("HTTP/1.1 407 Who?\r\nProxy-Authenticate: Basic realm=\"stub\"\r\n"
              + "Content-Length: 4\r\n\r\nWho?").utf8), to: client)
        continue
      }
      guard let server = connect(target) else {
        send(Array("HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n".utf8), to: client)
        continue
      }
      defer { close(server) }
      if isTunnel {
        send(Array("HTTP/1.1 200 Yes\r\n\r\n".utf8), to: client)
      } else {
        send(Array(forwarded(head, words).utf8), to: server)
      }
      return relay(with: server)
    }
  }

  private func hasLogin(_ head: String) -> Bool {
    guard let login = behavior.login else { return true }
    let pair = Data((login.user + ":" + login.password).utf8).base64EncodedString()
    return head.contains("Proxy-Authorization: Basic \(pair)\r\n")
  }

  /// The request as sent to the server: only the path, without the headers for the proxy. A
  /// connection carries only one request.
  private func forwarded(_ head: String, _ words: [String]) -> String {
    let path = "/" + words[1].split(separator: "/", maxSplits: 2).dropFirst(2).joined()
    let lines = head.split(separator: "\r\n").dropFirst().filter {
      !$0.lowercased().hasPrefix("proxy-")
    }
    return (["\(words[0]) \(path) HTTP/1.1"] + lines.map(String.init) + ["", ""])
      .joined(separator: "\r\n")
  }

  private mutating func nextHead() -> String? {
    let end = Array("\r\n\r\n".utf8)
    while true {
      if let found = received.indices.first(where: { received[$0...].starts(with: end) }) {
        let head = String(decoding: received[..<(found + end.count)], as: UTF8.self)
        received.removeSubrange(..<(found + end.count))
        return head
      }
      guard receive(), received.count < 1 << 20 else { return nil }
    }
  }
}

// MARK: - SOCKS5

extension StubProxyConnection {
  private mutating func serveSOCKS() {
    guard let greeting = take(2), let methods = take(Int(greeting[1])) else { return }
    var login: Login?
    if let wanted = behavior.login {
      guard methods.contains(2) else {
        send([5, 0xFF], to: client)
        return
      }
      send([5, 2], to: client)
      login = takeLogin()
      send([1, login == wanted ? 0 : 1], to: client)
    } else {
      send([5, 0], to: client)
    }
    guard let target = takeTarget() else { return }
    note(target, login: login)
    if case .socksReply(let code) = behavior.answer {
      send([5, code, 0, 1, 0, 0, 0, 0, 0, 0], to: client)
      while receive() {}
    }
    guard isRelayed(), let server = connect(target) else { return }
    defer { close(server) }
    send([5, 0, 0, 1, 127, 0, 0, 1, 0, 0], to: client)
    relay(with: server)
  }

  private mutating func takeLogin() -> Login? {
    guard let start = take(2), let user = take(Int(start[1])), let length = take(1),
      let password = take(Int(length[0]))
    else { return nil }
    return Login(
      user: String(decoding: user, as: UTF8.self),
      password: String(decoding: password, as: UTF8.self))
  }

  private mutating func takeTarget() -> String? {
    guard let start = take(4) else { return nil }
    let host: String
    switch start[3] {
    case 1:
      guard let address = take(4) else { return nil }
      host = address.map { "\($0)" }.joined(separator: ".")
    case 3:
      guard let length = take(1), let name = take(Int(length[0])) else { return nil }
      host = String(decoding: name, as: UTF8.self)
    default: return nil
    }
    guard let port = take(2) else { return nil }
    return "\(host):\(Int(port[0]) << 8 | Int(port[1]))"
  }
}

// MARK: - Bytes

extension StubProxyConnection {
  private mutating func take(_ count: Int) -> [UInt8]? {
    while received.count < count { guard receive() else { return nil } }
    defer { received.removeFirst(count) }
    return Array(received[..<count])
  }

  /// Returns whether more bytes arrived.
  private mutating func receive() -> Bool {
    var piece = [UInt8](repeating: 0, count: 16 * 1024)
    let count = recv(client, &piece, piece.count, 0)
    guard count > 0 else { return false }
    received += piece[..<count]
    return true
  }

  private func connect(_ target: String) -> Int32? {
    target.split(separator: ":").last.flatMap { Int($0) }
      .flatMap { LoopbackListener.connect(to: $0) }
  }

  private func send(_ bytes: [UInt8], to descriptor: Int32) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  /// Forwards bytes in both directions until one side ends.
  private func relay(with server: Int32) {
    send(received, to: server)
    var piece = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      var waits = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&waits, 2, -1) > 0 else { return }
      for (wait, other) in zip(waits, [server, client]) where wait.revents != 0 {
        let count = recv(wait.fd, &piece, piece.count, 0)
        guard count > 0 else { return }
        send(Array(piece[..<count]), to: other)
      }
    }
  }
}
