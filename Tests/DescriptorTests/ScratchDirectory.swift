import Foundation
import KettleSystem

@testable import KettleDaemon

/// A directory with a short path, because the paths of sockets must be short.
final class ScratchDirectory: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/kettle-fd-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
    path = String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The first event of a launch.
final class LaunchEventBox: Sendable {
  private let first = Mutex<ProgramLauncher.Event?>(nil)

  func record(_ event: ProgramLauncher.Event) { first.withLock { $0 = $0 ?? event } }

  var isNotRun: Bool {
    if case .notRun = first.withLock({ $0 }) { return true }
    return false
  }
}
