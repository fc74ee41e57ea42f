import Glibc
import KettleModel
import Logging

/// Writes log records to standard error as the journal expects them: a priority, and no time, which
/// the journal has itself (sd-daemon(3)).
struct JournalLogHandler: LogHandler {
  var metadata = Logger.Metadata()
  var logLevel = Logger.Level.info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
    let values = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    let text = "\(event.message)\(values)".sanitizedForDisplay(limit: 4096)
    let line = Array("<\(Self.priority(of: event.level))>\(text)\n".utf8)
    write(STDERR_FILENO, line, line.count)
  }

  /// syslog(3)
  private static func priority(of level: Logger.Level) -> Int {
    switch level {
    case .critical: 2
    case .error: 3
    case .warning: 4
    case .notice: 5
    case .info: 6
    case .trace, .debug: 7
    }
  }
}
