import Foundation

/// A directory for one test, deleted with this object.
final class TemporaryDirectory {
  let path: String

  init() throws {
    let name = FileManager.default.temporaryDirectory.path + "/kettle-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: name, withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    guard let resolved = realpath(name, nil) else { throw CocoaError(.fileNoSuchFile) }
    defer { free(resolved) }
    path = String(cString: resolved)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file and returns its path.
  func file(_ name: String, _ text: String) throws -> String {
    let file = path + "/" + name
    try text.write(toFile: file, atomically: false, encoding: .utf8)
    return file
  }
}
