import Foundation
import Glibc
import KettleDesktop
import KettleSystem

/// A message bus on a socket in a temporary directory, good or bad as the script wants it.
package final class ScriptedBus: Sendable {
  package enum Manner: Sendable {
    case polite
    /// Takes the connection and never says a word.
    case silent
    /// Believes nobody.
    case refusing
    /// Answers the greeting with a line that does not end.
    case endlessLine
    /// Shakes hands and answers each message with these bytes.
    case babbling([UInt8])
    /// Answers `Hello`, and nothing else.
    case mute
    /// Answers `Hello`, and reads nothing more.
    case deaf
  }

  struct State {
    var manner: Manner
    var properties: [String: BusValue] = [:]
    var rules: [String] = []
    var capabilities: [String]?
    var shown: [[BusValue]] = []
    var connections: [Int32] = []
    var serial: UInt32 = 0
    var deserted: [CheckedContinuation<Void, Never>] = []
  }

  package let path: String
  /// The methods that were called, in their order.
  package let heard: AsyncStream<String>
  let hear: AsyncStream<String>.Continuation
  let state: Mutex<State>
  private let listener: Int32

  package init(_ manner: Manner = .polite) throws {
    state = Mutex(State(manner: manner))
    (heard, hear) = AsyncStream.makeStream()
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "bus-" + UUID().uuidString.prefix(8))
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    path = directory.path + "/bus"
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0, listen(listener, 8) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
    Thread.detachNewThread { [weak self, listener] in
      while true {
        let descriptor = accept(listener, nil, nil)
        if descriptor < 0, errno == EINTR { continue }
        guard descriptor >= 0 else { return }
        guard let self else {
          Glibc.close(descriptor)
          return
        }
        state.withLock { $0.connections.append(descriptor) }
        Thread.detachNewThread { ScriptedBusTalk(descriptor, self).run() }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent)
  }

  package var addresses: [BusAddress] { BusAddress.parse("unix:path=" + path) }

  package func behave(_ manner: Manner) { state.withLock { $0.manner = manner } }

  /// The rules that signals were asked for with.
  package var rules: [String] { state.withLock { $0.rules } }

  /// What was to be shown on the desktop, with all arguments of `Notify`.
  package var shown: [[BusValue]] { state.withLock { $0.shown } }

  /// What the desktop says it can show; nil is a desktop that does not know the question.
  package func setCapabilities(_ capabilities: [String]?) {
    state.withLock { $0.capabilities = capabilities }
  }

  /// A property of a service that has this one interface; nil takes it off the bus.
  package func set(_ property: String, of service: String, _ value: BusValue?) {
    state.withLock { $0.properties[service + " " + property] = value }
  }

  /// Tells everybody that a property of the service changed.
  package func tellChange(of service: String) {
    let path = "/" + service.replacingOccurrences(of: ".", with: "/")
    let member = BusMessage.Member(
      path: path, interface: "org.freedesktop.DBus.Properties", name: "PropertiesChanged")
    send(
      .signal(member),
      [
        .string(service), .array(of: .entry(.string, .variant), []), .array(of: .string, []),
      ])
  }

  /// Sends a message to everybody.
  package func send(_ kind: BusMessage.Kind, _ body: [BusValue]) {
    state.withLock { state in
      for descriptor in state.connections { Self.send(kind, body, to: descriptor, &state) }
    }
  }

  /// Throws everybody out.
  package func drop() {
    state.withLock { state in
      for descriptor in state.connections { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  /// Waits until nobody is connected.
  package func isDeserted() async {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        if state.connections.isEmpty {
          continuation.resume()
        } else {
          state.deserted.append(continuation)
        }
      }
    }
  }

  func leave(_ descriptor: Int32) {
    state.withLock { state in
      state.connections.removeAll { $0 == descriptor }
      guard state.connections.isEmpty else { return }
      for continuation in state.deserted { continuation.resume() }
      state.deserted = []
    }
  }

  static func send(
    _ kind: BusMessage.Kind, _ body: [BusValue], to descriptor: Int32, _ state: inout State
  ) {
    state.serial += 1
    var message = BusMessage(kind, serial: state.serial)
    message.sender = "org.freedesktop.DBus"
    message.body = body
    guard let bytes = try? message.encoded() else { return }
    write(bytes, to: descriptor)
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
