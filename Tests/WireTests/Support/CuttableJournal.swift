import KettleEngine
import KettleModel
import KettleStore
import KettleSystem

/// The real store, which a test can take away from an engine in the middle of its work: what the
/// engine decides from then on does not survive, as in a crash.
final class CuttableJournal: TransferJournal {
  private enum Phase: Sendable {
    case connected
    /// Nothing is kept any more, and the engine is not told that it is.
    case cut
    /// The engine is gone too; what still asks need not ask again.
    case gone
  }

  private struct Cut: Error {}

  private let store: SQLiteJournal
  private let phase = Mutex(Phase.connected)

  init(_ store: SQLiteJournal) { self.store = store }

  func load() throws -> JournalContents { try store.load() }

  func commit(_ changes: [JournalChange]) throws {
    // Under the lock: when `cut` returns, no commit is under way.
    try phase.withLock { phase in
      switch phase {
      case .connected: try store.commit(changes)
      case .cut: throw Cut()
      case .gone: break
      }
    }
  }

  /// Read past every cut: what is asked decides nothing that is kept.
  var archive: any TransferArchive { store }

  func cut() { phase.withLock { $0 = .cut } }

  func close() throws {
    phase.withLock { $0 = .gone }
    try store.close()
  }
}
