import KettleModel
import KettleSystem

/// The free space on the disk, queried at most once a second however many clients display it:
/// statvfs(3) can be slow on a network file system.
final class FreeSpace: Sendable {
  private struct Measurement {
    var bytes: Int64?
    var at: MonotonicTime
  }

  private let last = Mutex<Measurement?>(nil)
  private let query: @Sendable () -> Int64?
  private let now: @Sendable () -> MonotonicTime

  init(now: @escaping @Sendable () -> MonotonicTime, query: @escaping @Sendable () -> Int64?) {
    self.now = now
    self.query = query
  }

  var bytes: Int64? {
    let time = now()
    let known = last.withLock { $0 }
    if let known, time.milliseconds(since: known.at) < 1000 { return known.bytes }
    let bytes = query()
    last.withLock { $0 = Measurement(bytes: bytes, at: time) }
    return bytes
  }
}
