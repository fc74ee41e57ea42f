import Dispatch
import Glibc
import KettleSystem

/// Watches the kernel's events about power supplies.
final class UeventWatch: Sendable {
  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let source: any DispatchSourceRead

  /// Returns nil when listening to the kernel is not permitted.
  init?(observer: @escaping @Sendable () -> Void) {
    guard let socket = UeventSocket() else { return nil }
    source = DispatchSource.makeReadSource(
      fileDescriptor: socket.descriptor, queue: DispatchQueue(label: "kettle.kernel"))
    source.setEventHandler { if socket.drain() { observer() } }
    // The descriptor must live until the source is done with it.
    source.setCancelHandler { withExtendedLifetime(socket) {} }
    source.activate()
  }

  func stop() { source.cancel() }

  deinit { source.cancel() }
}

/// The kernel's events about added, removed and changed devices (netlink(7),
/// NETLINK_KOBJECT_UEVENT).
final class UeventSocket: Sendable {
  private let socket: OwnedDescriptor
  var descriptor: Int32 { socket.number }

  /// Returns nil when it is not permitted.
  init?(boundTo address: Address = Address()) {
    let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard let socket = OwnedDescriptor(opened: Glibc.socket(AF_NETLINK, type, 15)) else {
      return nil
    }
    var address = address
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket.number, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
    guard result == 0 else { return nil }
    self.socket = socket
  }

  /// struct sockaddr_nl
  struct Address {
    var family = sa_family_t(AF_NETLINK)
    var padding: UInt16 = 0
    var port: UInt32 = 0
    /// The group of the kernel's own messages; udev repeats them to group 2.
    var group: UInt32 = 1
  }

  /// Reads all pending messages. Returns true if one concerns a power supply, or if messages were
  /// lost.
  func drain() -> Bool {
    var isAboutPower = false
    while true {
      // The kernel composes messages in 2 KiB (UEVENT_BUFFER_SIZE).
      var buffer = [UInt8](repeating: 0, count: 8192)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0 {
        if errno == EINTR { continue }
        guard errno == ENOBUFS else { return isAboutPower }
        isAboutPower = true
        continue
      }
      if Self.isAboutPower(buffer.prefix(count)) { isAboutPower = true }
    }
  }

  /// A message is nul-terminated words: the action and the device, then `KEY=value`. The sender
  /// does not matter, because the message only prompts a check.
  static func isAboutPower(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.split(separator: 0).contains { $0.elementsEqual("SUBSYSTEM=power_supply".utf8) }
  }
}
