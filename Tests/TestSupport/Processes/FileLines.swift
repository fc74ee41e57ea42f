import Foundation
import Glibc

/// The lines of a file that another process writes or moves to its place, read again whenever
/// something in its directory changes (inotify(7)).
package final class FileLines: Sendable {
  private let said = Monitor<[String]>([])
  private let watch: Int32

  package init(_ path: String, in directory: String) throws {
    watch = inotify_init1(Int32(IN_CLOEXEC))
    guard watch >= 0 else { throw POSIXError(.EMFILE) }
    let changes = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF)
    guard inotify_add_watch(watch, directory, changes) >= 0 else {
      close(watch)
      throw POSIXError(.ENOENT)
    }
    let (watch, said) = (watch, said)
    Thread.detachNewThread {
      var events = [UInt8](repeating: 0, count: 1 << 14)
      // Read once first, for lines from before the watch. The watch ends with the directory.
      while FileManager.default.fileExists(atPath: directory) {
        let text = FileManager.default.contents(atPath: path) ?? Data()
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
        said.update { $0 = lines }
        if read(watch, &events, events.count) < 0, errno != EINTR { break }
      }
      close(watch)
    }
  }

  /// Waits for a line and returns all lines.
  package func wait(for line: String) async throws -> [String] {
    try await said.wait(for: "the line \"\(line)\"", budgetMilliseconds: 60_000) {
      $0.contains(line)
    }
  }

  /// Waits for this many lines and returns all lines.
  package func wait(count: Int) async throws -> [String] {
    try await said.wait(for: "\(count) lines", budgetMilliseconds: 60_000) { $0.count >= count }
  }
}
