import Glibc

/// One control connection of a `ScriptedFTPServer`.
final class FTPConversation {
  private let control: Int32
  private let state: Monitor<ScriptedFTPServer.State>
  private let behavior: FTPBehavior
  private var passive: LoopbackListener?
  private var offset: Int64 = 0
  private var directory = ""
  private var unread: [UInt8] = []

  init(_ control: Int32, _ state: Monitor<ScriptedFTPServer.State>) {
    self.control = control
    self.state = state
    behavior = state.read(\.behavior)
  }

  deinit { closePassive() }

  func run() {
    guard say(behavior.greeting), behavior.greeting.hasPrefix("2") else { return }
    while let line = readLine() {
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      let verb = parts.first?.uppercased() ?? ""
      let argument = parts.count > 1 ? parts[1] : ""
      state.update { $0.commands.append(verb == "PASS" ? verb : line) }
      guard answer(verb, argument) else { return }
    }
  }

  /// Returns whether the conversation goes on.
  private func answer(_ verb: String, _ argument: String) -> Bool {
    switch verb {
    case "USER": return say(behavior.user) && !behavior.user.hasPrefix("421")
    case "PASS":
      if let refusal = behavior.loginRefusal,
        state.read({ $0.commands.count { $0 == verb } }) <= refusal.count
      {
        _ = say(refusal.reply)
        return false
      }
      if let password = behavior.password, password != argument { return say("530 no entry.") }
      state.update { $0.loginCount += 1 }
      return say("230 welcome")
    case "PWD": return say("257 \"/\"")
    case "CWD":
      directory = argument.hasPrefix("/") ? argument : directory + "/" + argument
      return say("200 fine")
    case "TYPE": return say("200 fine")
    case "LIST": return list()
    case "MDTM": return say(behavior.modified)
    case "SIZE": return sayMany(size)
    case "EPSV", "PASV": return sayPassive(verb)
    case "REST": return restart(argument)
    case "RETR": return retrieve()
    case "QUIT":
      _ = say("221 bye")
      return false
    default: return say("502 \(verb)?")
    }
  }

  private var size: String {
    switch behavior.size {
    case nil: "213 \(behavior.body.byteCount)"
    case "": "502 SIZE?"
    case let size?: "213 \(size)"
    }
  }

  private func restart(_ argument: String) -> Bool {
    switch behavior.restart {
    case .honoured:
      offset = Int64(argument) ?? 0
      return say("350 from \(offset)")
    case .refused: return say("502 REST?")
    case .ignored: return say("350 of course")
    }
  }

  // MARK: Data

  private func sayPassive(_ verb: String) -> Bool {
    closePassive()
    switch behavior.data {
    case .open: break
    case .refused:
      guard let listener = try? LoopbackListener() else { return false }
      listener.stop()
      _ = listener.accept()
      return sayPort(listener.port, verb)
    case .silent(let port): return sayPort(port, verb)
    case .reply(let reply): return say(reply)
    case .elsewhere: if verb == "EPSV" { return say("500 EPSV?") }
    }
    guard let listener = try? LoopbackListener() else { return false }
    passive = listener
    return sayPort(listener.port, verb)
  }

  private func sayPort(_ port: Int, _ verb: String) -> Bool {
    if verb == "EPSV" { return say("229 passive (|||\(port)|)") }
    let host = if case .elsewhere = behavior.data { "192,0,2,1" } else { "127,0,0,1" }
    return say("227 passive (\(host),\(port / 256),\(port % 256))")
  }

  private func retrieve() -> Bool {
    if let refusal = behavior.refusal { return say(refusal) }
    guard let passive, say(behavior.opening), let data = passive.accept() else { return false }
    defer { closePassive() }
    let isWhole = send(to: data)
    if let cut = behavior.cut, cut.isReset { OriginServer.setReset(data) }
    close(data)
    if !isWhole, let cut = behavior.cut { return cut.reply.map(say) ?? false }
    return behavior.end.map(say) ?? true
  }

  private func list() -> Bool {
    guard let text = behavior.listings[directory] else { return say("550 no such directory") }
    guard let passive, say("150 here it comes"), let data = passive.accept() else { return false }
    defer { closePassive() }
    let isSent = Self.write(Array(text.utf8), to: data)
    close(data)
    return isSent && say("226 that was it")
  }

  /// Returns whether the whole rest was sent.
  private func send(to data: Int32) -> Bool {
    let end = min(behavior.body.byteCount, behavior.cut?.after ?? .max)
    var next = offset
    while next < end {
      passHold(at: next)
      let bound = behavior.hold.map { $0.after > next ? $0.after : end } ?? end
      let upper = min(next + 65_536, end, bound)
      let bytes = behavior.body.bytes(in: next..<upper)
      guard Self.write(bytes, to: data) else { return false }
      next = upper
    }
    passHold(at: end)
    return end == behavior.body.byteCount
  }

  private func passHold(at offset: Int64) {
    if let hold = behavior.hold, hold.after == offset { hold.gate.pass() }
  }

  private func closePassive() {
    guard let listener = passive else { return }
    passive = nil
    listener.stop()
    while let waiting = listener.accept() { close(waiting) }
  }

  // MARK: Lines

  private func say(_ line: String) -> Bool { Self.write(Array((line + "\r\n").utf8), to: control) }

  /// As a reply of several lines, which servers may send for everything.
  private func sayMany(_ line: String) -> Bool {
    say(line.prefix(3) + "-more\r\n 213 is not the end\r\n" + line)
  }

  private func readLine() -> String? {
    while true {
      if let end = unread.firstIndex(of: 10) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread.removeSubrange(...end)
        return line.hasSuffix("\r") ? String(line.dropLast()) : line
      }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(control, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      unread += buffer[..<count]
    }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { all in
        Glibc.send(
          descriptor, UnsafeRawBufferPointer(rebasing: all[sent...]).baseAddress,
          bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }
}
