import Foundation
import KettleSystem

@testable import KettleDaemon

/// A short path, because the paths of sockets must be.
final class ScratchDirectory: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/kettle-fd-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
    path = String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// What a launcher said.
final class NewsBox: Sendable {
  private let first = Mutex<ProgramLauncher.News?>(nil)

  func take(_ news: ProgramLauncher.News) { first.withLock { $0 = $0 ?? news } }

  var isNotRun: Bool {
    if case .notRun = first.withLock({ $0 }) { return true }
    return false
  }
}
