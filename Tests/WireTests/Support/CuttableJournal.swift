import KettleEngine
import KettleModel
import KettleStore
import KettleSystem

/// The real store, which a test can cut off from a working engine: later decisions of the engine do
/// not survive, as in a crash.
final class CuttableJournal: TransferJournal {
  private enum Phase: Sendable {
    case connected
    /// Nothing is stored any more, and every commit fails.
    case cut
    /// The engine is gone too; late commits succeed, so that they are not retried.
    case gone
  }

  private struct Cut: Error {}

  private let store: SQLiteJournal
  private let phase = Mutex(Phase.connected)

  init(_ store: SQLiteJournal) { self.store = store }

  func load() throws -> JournalContents { try store.load() }

  func commit(_ changes: [JournalChange]) throws {
    // Under the lock: when `cut` returns, no commit is in progress.
    try phase.withLock { phase in
      switch phase {
      case .connected: try store.commit(changes)
      case .cut: throw Cut()
      case .gone: break
      }
    }
  }

  /// Readable after a cut: reading changes nothing in the store.
  var archive: any TransferArchive { store }

  func cut() { phase.withLock { $0 = .cut } }

  func close() throws {
    phase.withLock { $0 = .gone }
    try store.close()
  }
}
