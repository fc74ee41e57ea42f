import Glibc
import KettleSystem

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
      let place = path + "/" + name + "/"
      return PowerSupply(
        type: Self.word(place + "type"), online: Self.word(place + "online"),
        status: Self.word(place + "status"), scope: Self.word(place + "scope"),
        present: Self.word(place + "present"))
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
