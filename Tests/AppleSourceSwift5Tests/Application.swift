import BackgroundTransfer
import Foundation

/// The call that a program gets from UIKit when it is launched for a session.
protocol ApplicationDelegate: AnyObject {
  func application(
    handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping () -> Void)
}

/// A directory for a test, in a process that cannot reach a service: the programs here run without
/// one.
final class Scratch {
  let folder: URL

  init() throws {
    _ = Scratch.isAlone
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("apple-source-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func file(_ name: String, holding text: String) throws -> URL {
    let url = folder.appendingPathComponent(name)
    try Data(text.utf8).write(to: url)
    return url
  }

  private static let isAlone: Bool = {
    let nowhere = FileManager.default.temporaryDirectory
      .appendingPathComponent("apple-source-nowhere").path
    for name in ["HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"] {
      setenv(name, nowhere, 1)
    }
    setenv("KETTLE_EXECUTABLE", "/nonexistent/kettle", 1)
    return true
  }()
}

extension URL {
  /// A URL from a literal in the source, which is valid.
  init(literal text: StaticString) {
    self = URL(string: "\(text)") ?? URL(fileURLWithPath: "/")
  }
}
