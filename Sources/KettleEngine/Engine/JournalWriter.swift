import KettleModel
import KettleSystem

/// Commits changes in the order of their submission, with many submissions in one transaction when
/// they arrive faster than the disk can sync.
///
/// A change to an existing transfer is never given up: while the store cannot be written (a full
/// disk), the commit is retried every second, and whatever depends on it waits. Only an `add`
/// learns of the failure, because its sender can try again later.
final class JournalWriter: Sendable {
  enum Persistence: Sendable {
    case keepTrying
    case reportFailure
  }

  private struct Submission: Sendable {
    var changes: [JournalChange]
    var persistence: Persistence
    var finish: @Sendable (Result<Void, any Error>) -> Void
  }

  private enum Worker: Sendable {
    case idle
    case draining
  }

  private struct State: Sendable {
    var waiting: [Submission] = []
    var worker = Worker.idle
  }

  private let journal: any TransferJournal
  private let state = Mutex(State())
  private let queue: any WorkQueue
  private let report: @Sendable (any Error) -> Void
  static let retryMilliseconds = 1000

  /// - Parameter report: receives the error of every failed commit, on the journal's queue.
  init(
    _ journal: any TransferJournal, on work: WorkSource = .threads,
    report: @escaping @Sendable (any Error) -> Void
  ) {
    self.journal = journal
    queue = work.makeQueue("kettle.journal")
    self.report = report
  }

  func load() throws -> JournalContents { try queue.wait { try journal.load() } }

  /// `finish` is called on the journal's queue when the changes, and all before them, are durable.
  func submit(
    _ changes: [JournalChange], _ persistence: Persistence = .keepTrying,
    finish: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    let submission = Submission(changes: changes, persistence: persistence, finish: finish)
    let begins = state.withLock { state in
      state.waiting.append(submission)
      defer { state.worker = .draining }
      return state.worker == .idle
    }
    if begins { queue.enqueue { self.drain() } }
  }

  private func drain() { while !commitWaiting() {} }

  /// Commits the waiting submissions in one transaction. Returns whether nothing is left to do, or
  /// nothing before the next retry.
  private func commitWaiting() -> Bool {
    let batch = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    if let failed = commit(batch) {
      state.withLock { $0.waiting.insert(contentsOf: failed, at: 0) }
      queue.enqueue(afterMilliseconds: Self.retryMilliseconds) { self.drain() }
      return true
    }
    return state.withLock { state in
      guard state.waiting.isEmpty else { return false }
      state.worker = .idle
      return true
    }
  }

  /// Removes changes that the same transaction would overwrite: with many small transfers, the
  /// records of one follow each other within a few milliseconds.
  static func withoutOutdated(_ changes: [JournalChange]) -> [JournalChange] {
    if changes.count < 2 { return changes }
    var seen: Set<TransferID> = []
    var advanced: Set<TransferID> = []
    var kept: [JournalChange] = []
    kept.reserveCapacity(changes.count)
    for change in changes.reversed() {
      switch change {
      case .put(let record): if seen.insert(record.id).inserted { kept.append(change) }
      case .progress(let id, _):
        if !seen.contains(id), advanced.insert(id).inserted { kept.append(change) }
      case .digests, .forgetDigests, .members, .syncMembers, .leaveOutMembers, .hostServed,
        .rememberHost, .bin,
        .hook:
        kept.append(change)
      // Changes before this one may make room for those after it, so both stay.
      case .remove, .putSession, .removeSession, .clearFinished, .uncover:
        seen = []
        advanced = []
        kept.append(change)
      }
    }
    kept.reverse()
    return kept
  }

  /// Returns the submissions to retry, or nil.
  private func commit(_ batch: [Submission]) -> [Submission]? {
    let changes = Self.withoutOutdated(batch.flatMap { $0.changes })
    do {
      if !changes.isEmpty { try journal.commit(changes) }
      for submission in batch { submission.finish(.success(())) }
      return nil
    } catch {
      report(error)
      var again: [Submission] = []
      for submission in batch {
        switch submission.persistence {
        case .reportFailure: submission.finish(.failure(error))
        case .keepTrying: again.append(submission)
        }
      }
      return again.isEmpty ? nil : again
    }
  }
}

/// Reads from the store, on a queue of its own.
struct StoreReader: Sendable {
  typealias Question<Value> = @Sendable (any TransferArchive) throws -> Value

  let archive: any TransferArchive
  let queue: any WorkQueue

  init(_ archive: any TransferArchive, _ label: String, on work: WorkSource) {
    self.archive = archive
    queue = work.makeQueue(label)
  }

  /// - Parameter answered: called on the queue.
  func read<Value: Sendable>(
    afterMilliseconds delay: Int? = nil, _ question: @escaping Question<Value>,
    answered: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    let work: WorkerPool.Work = { [archive] in answered(Result { try question(archive) }) }
    if let delay {
      queue.enqueue(afterMilliseconds: delay, work)
    } else {
      queue.enqueue(work)
    }
  }

  func read<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ question: @escaping Question<Value>
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      read(question) { continuation.resume(with: $0) }
    }
  }
}
