import GRDB
import KettleModel
import KettleSystem

/// A read-only connection, opened on first use. Reads are serialized and never wait for a commit
/// (sqlite.org/wal.html, "Concurrency").
final class StoreReader: Sendable {
  private enum Phase {
    case unused
    case open(DatabaseQueue)
    case closed
  }

  private struct Closed: Error, CustomStringConvertible {
    var description: String { "it is closed" }
  }

  private let paths: StorePaths
  private let phase = Mutex(Phase.unused)

  init(_ paths: StorePaths) { self.paths = paths }

  /// Reads one consistent snapshot that includes every earlier commit.
  func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
    do {
      return try connection().read(body)
    } catch {
      throw paths.noting(error, otherwise: .unreadable)
    }
  }

  private func connection() throws -> DatabaseQueue {
    try phase.withLock { phase in
      switch phase {
      case .unused:
        let queue = try DatabaseQueue(path: paths.path, configuration: StoreSchema.reading)
        phase = .open(queue)
        return queue
      case .open(let queue): return queue
      case .closed: throw Closed()
      }
    }
  }

  /// Frees what the connection keeps, if it was used. Waits for the read in progress.
  func releaseMemory() {
    let queue = phase.withLock { phase -> DatabaseQueue? in
      return if case .open(let queue) = phase { queue } else { nil }
    }
    queue?.releaseMemory()
  }

  /// Waits for the read in progress.
  func close() {
    let queue = phase.withLock { phase -> DatabaseQueue? in
      defer { phase = .closed }
      return if case .open(let queue) = phase { queue } else { nil }
    }
    try? queue?.close()
  }
}

extension StorePaths {
  /// Converts an error of a connection to a store error. Damage is marked for the next opening,
  /// which inspects everything and salvages what is readable. Until then nothing is discarded: the
  /// caller gets the error and can retry after the next start.
  func noting(_ error: any Error, otherwise code: StoreError.Code) -> StoreError {
    switch error {
    case let problem as TransferRowReader.Problem:
      try? markSuspect(problem.sentence)
      return StoreError(code: code, path: path, detail: problem.sentence)
    case let error as DatabaseError where error.isOfDamagedFile:
      try? markSuspect(error.said)
    default: break
    }
    return StoreError(error, at: path, otherwise: code)
  }
}

extension DatabaseError {
  fileprivate var isOfDamagedFile: Bool {
    resultCode == .SQLITE_CORRUPT || resultCode == .SQLITE_NOTADB
  }
}
