import Foundation
import Glibc
import KettleSystem
import TestSupport

/// Relays bytes between a client and a server on the loopback, and edits those of the server.
final class MeddlingRelay: Sendable {
  /// The edits of the connections, in order.
  private final class Plan: Sendable {
    private struct State: Sendable {
      var script = TLSScript(byteCount: 0, framing: .length)
      var connectionCount = 0
    }

    private let state = Mutex(State())

    func begin(_ script: TLSScript) { state.withLock { $0 = State(script: script) } }

    func editsOfNextConnection() -> [TLSScript.Edit] {
      state.withLock { state in
        state.connectionCount += 1
        return state.connectionCount <= state.script.editedConnections ? state.script.edits : []
      }
    }
  }

  let port: Int
  private let listener: LoopbackListener
  private let plan = Plan()

  init(to serverPort: Int) throws {
    listener = try LoopbackListener()
    port = listener.port
    Thread.detachNewThread { [listener, plan] in
      while let number = listener.accept() {
        Self.relay(OwnedDescriptor(owning: number), to: serverPort, plan.editsOfNextConnection())
      }
    }
  }

  deinit { listener.stop() }

  /// Applies the script to the connections from now on.
  func follow(_ script: TLSScript) { plan.begin(script) }

  /// The server accepts one connection at a time, and so does the relay. Returns when the
  /// connection has ended.
  private static func relay(
    _ client: consuming OwnedDescriptor, to serverPort: Int, _ edits: [TLSScript.Edit]
  ) {
    guard let number = LoopbackListener.connect(to: serverPort) else { return }
    let server = OwnedDescriptor(owning: number)
    var (sent, isOpen) = (0, true)
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    while isOpen {
      var ends = [
        pollfd(fd: client.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: server.number, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&ends, 2, 30_000) > 0 else { return }
      if ends[0].revents != 0 {
        let count = recv(client.number, &buffer, buffer.count, 0)
        guard count > 0, send(buffer[..<count], on: server.number) else { return }
      }
      guard ends[1].revents != 0 else { continue }
      let count = recv(server.number, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      isOpen = forward(buffer[..<count], from: sent, edits, to: client.number)
      sent += count
    }
  }

  /// Returns false if the connection ends here.
  private static func forward(
    _ bytes: ArraySlice<UInt8>, from start: Int, _ edits: [TLSScript.Edit], to client: Int32
  ) -> Bool {
    var bytes = Array(bytes)
    // From the end, so that the offsets before an edit stay valid.
    let here = edits.filter { (start..<start + bytes.count).contains($0.offset) }
    for edit in here.sorted(by: { $0.offset > $1.offset }) {
      let index = min(edit.offset - start, bytes.count)
      switch edit {
      case .flip(_, let bit):
        if index < bytes.count { bytes[index] ^= 1 << UInt8(truncatingIfNeeded: bit & 7) }
      case .drop(_, let byteCount):
        bytes.removeSubrange(index..<min(bytes.count, index + max(0, byteCount)))
      case .insert(_, let byteCount):
        bytes.insert(contentsOf: repeatElement(23, count: max(0, byteCount)), at: index)
      case .cut(_, let isReset):
        _ = send(bytes[..<index], on: client)
        if isReset { setReset(client) }
        return false
      }
    }
    return send(bytes[...], on: client)
  }

  private static func send(_ bytes: ArraySlice<UInt8>, on number: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func setReset(_ number: Int32) {
    var value = linger(l_onoff: 1, l_linger: 0)
    setsockopt(number, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
  }
}
