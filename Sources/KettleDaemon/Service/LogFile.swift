import Glibc
import KettleModel
import KettleSystem
import Logging

/// Writes the service's log to a file that only the user can read, and limits its size: a full file
/// is renamed to `NAME.1`, replacing the previous one.
package final class LogFile: Sendable {
  static let byteCountMax = 5 << 20

  private struct State: ~Copyable, Sendable {
    /// nil when the file cannot be opened.
    var file: OwnedDescriptor?
    var byteCount: Int
  }

  private let path: String
  private let state: Mutex<State>

  /// Discards records if the file cannot be opened: a service without a log is better than none.
  package init(path: String) {
    self.path = path
    state = Mutex(Self.opened(path))
  }

  private static func opened(_ path: String) -> State {
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW
    guard let file = OwnedDescriptor(opened: open(path, flags, 0o600)) else {
      return State(file: nil, byteCount: 0)
    }
    var status = stat()
    let byteCount = fstat(file.number, &status) == 0 ? Int(status.st_size) : 0
    return State(file: file, byteCount: byteCount)
  }

  func write(_ line: String) {
    // One line is one record: external text cannot start another.
    let bytes = Array(line.sanitizedForDisplay(limit: 4096).utf8) + [10]
    state.withLock { state in
      if state.byteCount + bytes.count > Self.byteCountMax { rotate(&state) }
      let written: Int
      switch state.file {
      case .none: return
      case .some(let file):
        written = bytes.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
      }
      state.byteCount += max(0, written)
    }
  }

  private func rotate(_ state: inout State) {
    rename(path, path + ".1")
    state = Self.opened(path)
  }
}

/// Formats log records: date, level, sentence, metadata.
package struct FileLogHandler: LogHandler {
  package var metadata = Logger.Metadata()
  package var logLevel = Logger.Level.info
  private let file: LogFile
  private let clock: @Sendable () -> WallTime

  package init(file: LogFile, clock: @escaping @Sendable () -> WallTime) {
    self.file = file
    self.clock = clock
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
    let values = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    file.write("\(clock().iso8601) \(event.level.rawValue) \(event.message)\(values)")
  }
}
