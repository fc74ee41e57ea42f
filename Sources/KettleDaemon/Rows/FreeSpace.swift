import KettleModel
import KettleSystem

/// The free space on the disk, queried at most once a second however many clients display it:
/// statvfs(3) can be slow on a network file system.
final class FreeSpace: Sendable {
  private struct Answer {
    var bytes: Int64?
    var at: MonotonicTime
  }

  private let answer = Mutex<Answer?>(nil)
  private let ask: @Sendable () -> Int64?
  private let now: @Sendable () -> MonotonicTime

  init(now: @escaping @Sendable () -> MonotonicTime, ask: @escaping @Sendable () -> Int64?) {
    self.now = now
    self.ask = ask
  }

  var bytes: Int64? {
    let time = now()
    let known = answer.withLock { $0 }
    if let known, time.milliseconds(since: known.at) < 1000 { return known.bytes }
    let bytes = ask()
    answer.withLock { $0 = Answer(bytes: bytes, at: time) }
    return bytes
  }
}
