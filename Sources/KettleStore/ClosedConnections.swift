import GRDB
import KettleSystem

/// Keeps the connections that were closed.
///
/// When one goes, GRDB's queue goes, and what that queue knew of itself is freed on a thread of
/// libdispatch's own pool; from then on the library wakes up every second to look after the pool.
/// A service opens two at its start and then none, so they stay, without file and memory of SQLite.
enum ClosedConnections {
  private static let kept = Mutex<[DatabaseQueue]>([])

  static func close(_ connection: DatabaseQueue) throws {
    kept.withLock { $0.append(connection) }
    try connection.close()
  }
}
