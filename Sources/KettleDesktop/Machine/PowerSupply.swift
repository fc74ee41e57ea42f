import Dispatch
import Glibc
import KettleSystem

/// A directory below /sys/class/power_supply, as the kernel documents it (sysfs-class-power in the
/// kernel's Documentation/ABI). Unreadable values are empty.
struct PowerSupply: Hashable, Sendable {
  /// `Mains`, `USB` and its kinds, `Wireless`, `Battery`, `UPS`.
  var type = ""
  var online = ""
  /// For a battery: `Charging`, `Discharging`, `Full`, `Not charging`, `Unknown`.
  var status = ""
  /// `Device` for the battery of a mouse or a headset.
  var scope = ""
  /// `0` for an empty battery bay.
  var present = ""

  var feedsMachine: Bool { scope != "Device" && present != "0" }

  var isBattery: Bool { type == "Battery" || type == "UPS" }

  /// A port that may also power the device attached to it.
  var isPort: Bool { type.hasPrefix("USB") }
}

extension Collection<PowerSupply> {
  /// Whether the machine has a battery that could power it.
  var hasBattery: Bool { contains { $0.feedsMachine && $0.isBattery } }

  /// Whether the machine runs on mains power. Unknown counts as mains: the opposite would delay
  /// transfers forever.
  var isOnMains: Bool {
    let batteries = filter { $0.feedsMachine && $0.isBattery }
    let lines = filter { $0.feedsMachine && !$0.isBattery && !$0.online.isEmpty }
    if batteries.isEmpty { return true }
    // Two batteries are often discharged and charged one after the other.
    if batteries.contains(where: { $0.status == "Charging" }) { return true }
    let isDischarging = batteries.contains { $0.status == "Discharging" }
    // A weak charger lets the battery drain too, but an online port may be powering a phone.
    if lines.contains(where: { $0.online != "0" && !($0.isPort && isDischarging) }) { return true }
    if isDischarging { return false }
    if batteries.contains(where: { $0.status == "Full" || $0.status == "Not charging" }) {
      return true
    }
    return lines.isEmpty
  }
}

/// The machine's power supplies, read from files.
struct PowerSupplyDirectory: Sendable {
  /// More than any machine has; bounds the cost of reading the directory.
  private static let supplyCountMax = 64

  private let path: String

  /// - Parameter root: `/sys`, or a tree like it.
  init(root: String) { path = root + "/class/power_supply" }

  /// Returns none when there is no such directory.
  func read() -> [PowerSupply] {
    names().map { name in
      let directory = path + "/" + name + "/"
      return PowerSupply(
        type: Self.word(directory + "type"), online: Self.word(directory + "online"),
        status: Self.word(directory + "status"), scope: Self.word(directory + "scope"),
        present: Self.word(directory + "present"))
    }
  }

  private func names() -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while names.count < Self.supplyCountMax, let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  /// Returns the only line of the file without its end; empty when there is none.
  private static func word(_ path: String) -> String {
    guard let file = OwnedDescriptor(opened: open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) else {
      return ""
    }
    var bytes = [UInt8](repeating: 0, count: 256)
    // A supply that is being removed returns ENODEV.
    let count = Glibc.read(file.number, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)).prefix { $0 >= 32 }, as: UTF8.self)
  }
}

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
