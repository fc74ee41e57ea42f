import Foundation

/// A directory with the structure of /sys.
struct PowerTree {
  let root: String
  private let supplies: URL

  init() throws {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "sys-" + UUID().uuidString.prefix(8))
    root = directory.path
    supplies = directory.appending(path: "class/power_supply")
    try FileManager.default.createDirectory(at: supplies, withIntermediateDirectories: true)
  }

  func put(_ name: String, _ files: [String: String]) throws {
    let supply = supplies.appending(path: name)
    try FileManager.default.createDirectory(at: supply, withIntermediateDirectories: true)
    for (name, content) in files {
      try Data(content.utf8).write(to: supply.appending(path: name))
    }
  }
}
