import GRDB
import KettleSystem
import KettleModel

/// A connection that only reads, opened when it is first needed. Reads go one after the other and
/// wait for no commit (sqlite.org/wal.html, "Concurrency").
final class StoreReader: Sendable {
  private enum Phase {
    case unused
    case open(DatabaseQueue)
    case closed
  }

  private struct Closed: Error, CustomStringConvertible {
    var description: String { "it is closed" }
  }

  private let place: StorePlace
  private let phase = Mutex(Phase.unused)

  init(_ place: StorePlace) { self.place = place }

  /// What the body reads is of one moment, and has all that was committed before.
  func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
    do {
      return try connection().read(body)
    } catch {
      throw place.noting(error, otherwise: .unreadable)
    }
  }

  private func connection() throws -> DatabaseQueue {
    try phase.withLock { phase in
      switch phase {
      case .unused:
        let queue = try DatabaseQueue(path: place.path, configuration: StoreSchema.reading)
        phase = .open(queue)
        return queue
      case .open(let queue): return queue
      case .closed: throw Closed()
      }
    }
  }

  /// Waits for the read that is under way.
  func close() {
    let queue = phase.withLock { phase -> DatabaseQueue? in
      defer { phase = .closed }
      return if case .open(let queue) = phase { queue } else { nil }
    }
    try? queue?.close()
  }
}

extension StorePlace {
  /// Makes an error of a connection one of the store. Damage is noted for the next opening, which
  /// looks at everything and saves what can be read; until then, nothing is given up: who asked is
  /// told, and asks again after the next start.
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
