import GRDB
import KettleSystem

/// Retains closed connections.
///
/// Releasing a connection releases GRDB's queue, and the queue's own storage is then freed on a
/// thread of libdispatch's pool. From then on libdispatch wakes up every second to manage that
/// pool. A service opens two connections at its start and none later, so they are retained, without
/// a file and without memory of SQLite.
enum ClosedConnections {
  private static let kept = Mutex<[DatabaseQueue]>([])

  static func close(_ connection: DatabaseQueue) throws {
    kept.withLock { $0.append(connection) }
    try connection.close()
  }
}
