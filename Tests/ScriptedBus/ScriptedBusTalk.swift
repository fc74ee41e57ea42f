import Glibc
import KettleDesktop
import KettleSystem

/// One connection to the scripted bus, on a thread of its own.
struct ScriptedBusTalk {
  private let descriptor: Int32
  private let bus: ScriptedBus

  init(_ descriptor: Int32, _ bus: ScriptedBus) {
    self.descriptor = descriptor
    self.bus = bus
  }

  func run() {
    if let rest = shakeHands() { answerMessages(rest) }
    bus.leave(descriptor)
    close(descriptor)
  }

  private var manner: ScriptedBus.Manner { bus.state.withLock { $0.manner } }

  private func receive() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    var count = recv(descriptor, &buffer, buffer.count, 0)
    // A signal of another test of this process is not the end.
    while count < 0, errno == EINTR { count = recv(descriptor, &buffer, buffer.count, 0) }
    return count > 0 ? Array(buffer.prefix(count)) : nil
  }

  /// What came behind the talk; nil when there are to be no messages.
  private func shakeHands() -> [UInt8]? {
    var words: [UInt8] = []
    var wasAnswered = false
    while let more = receive() {
      words += more
      if !wasAnswered, words.contains(UInt8(ascii: "\n")) {
        let user = String(getuid()).utf8.map { String($0, radix: 16) }.joined()
        let expected = [0] + Array("AUTH EXTERNAL \(user)\r\n".utf8)
        guard words == expected else { return nil }
        wasAnswered = true
        switch manner {
        case .silent: continue
        case .refusing: ScriptedBus.write(Array("REJECTED EXTERNAL\r\n".utf8), to: descriptor)
        case .endlessLine:
          ScriptedBus.write([UInt8](repeating: 65, count: 100_000), to: descriptor)
        case .polite, .babbling, .mute, .deaf:
          ScriptedBus.write(Array("OK 1234deadbeef\r\n".utf8), to: descriptor)
        }
        words = []
      }
      let begin = Array("BEGIN\r\n".utf8)
      if words.starts(with: begin) { return Array(words.dropFirst(begin.count)) }
    }
    return nil
  }

  private func answerMessages(_ rest: [UInt8]) {
    var splitter = BusMessageSplitter()
    splitter.append(rest)
    while true {
      do {
        while let message = try splitter.next() { answer(message) }
      } catch {
        return
      }
      if case .deaf = manner {
        // Until the other end is gone.
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        poll(&entry, 1, -1)
        return
      }
      guard let more = receive() else { return }
      splitter.append(more)
    }
  }

  private func answer(_ message: BusMessage) {
    switch message.kind {
    case .call(let member):
      defer { bus.hear.yield(member.name) }
      switch manner {
      case .babbling(let bytes): ScriptedBus.write(bytes, to: descriptor)
      case .mute where member.name != "Hello": break
      case .polite, .silent, .refusing, .endlessLine, .mute, .deaf: answer(member, message)
      }
    case .failure(let name, _): bus.hear.yield(name)
    case .reply, .signal, .unknown: break
    }
  }

  private func refuse(_ message: BusMessage, _ state: inout ScriptedBus.State) {
    ScriptedBus.send(
      .failure(name: "org.freedesktop.DBus.Error.UnknownMethod", to: message.serial),
      [.string("nobody knows that")], to: descriptor, &state)
  }

  private func answer(_ member: BusMessage.Member, _ message: BusMessage) {
    bus.state.withLock { state in
      var kind = BusMessage.Kind.reply(to: message.serial)
      var body: [BusValue] = []
      switch (member.name, message.body.first, message.body.last) {
      case ("Hello", _, _): body = [.string(":1.7")]
      case ("AddMatch", .string(let rule)?, _): state.rules.append(rule)
      case ("Get", .string(let service)?, .string(let property)?):
        if let value = state.properties[service + " " + property] {
          body = [.variant(value)]
        } else {
          kind = .failure(
            name: "org.freedesktop.DBus.Error.ServiceUnknown", to: message.serial)
          body = [.string("nobody has that name")]
        }
      case ("Echo", _, _): body = message.body
      case ("GetCapabilities", _, _):
        guard let capabilities = state.capabilities else { return refuse(message, &state) }
        body = [.array(of: .string, capabilities.map { .string($0) })]
      case ("Notify", _, _):
        state.shown.append(message.body)
        body = [.uint32(UInt32(state.shown.count))]
      default: return
      }
      ScriptedBus.send(kind, body, to: descriptor, &state)
    }
  }
}
