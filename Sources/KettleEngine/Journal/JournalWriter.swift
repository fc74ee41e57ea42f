import Dispatch
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
  private let queue = DispatchQueue(label: "kettle.journal")
  private let report: @Sendable (any Error) -> Void
  private let whenTold: @Sendable () -> Void
  static let retryDelay = DispatchTimeInterval.seconds(1)

  /// Both closures are called on the journal's queue.
  ///
  /// - Parameters:
  ///   - report: receives the error of every failed commit.
  ///   - whenTold: called after each commit, once every `finish` was called.
  init(
    _ journal: any TransferJournal, report: @escaping @Sendable (any Error) -> Void,
    whenTold: @escaping @Sendable () -> Void = {}
  ) {
    self.journal = journal
    self.report = report
    self.whenTold = whenTold
  }

  func load() throws -> JournalContents { try queue.sync { try journal.load() } }

  /// `finish` is called on the journal's queue when the changes, and all before them, are durable.
  func submit(
    _ changes: [JournalChange], _ persistence: Persistence = .keepTrying,
    finish: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    enqueue(changes, persistence, finish: finish)
    if claim() { queue.async { self.drain() } }
  }

  /// Like `submit`, for a caller that ensures that `commitHere` is called soon.
  func enqueue(
    _ changes: [JournalChange], _ persistence: Persistence = .keepTrying,
    finish: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    let submission = Submission(changes: changes, persistence: persistence, finish: finish)
    state.withLock { $0.waiting.append(submission) }
  }

  /// Returns the stamp under which progress of a transfer can be recorded without a commit. Call it
  /// from `finish`.
  func progressStamp(of id: TransferID) -> ProgressStamp? {
    dispatchPrecondition(condition: .onQueue(queue))
    return journal.progressStamp(of: id)
  }

  /// Records the durable ranges, concurrently with commits. Blocks. Returns false when they must be
  /// submitted as a change.
  func put(_ held: ByteRangeSet, _ stamp: ProgressStamp) -> Bool { journal.put(held, stamp) }

  /// Commits the waiting submissions, unless another thread does so already. Blocks. For callers on
  /// a thread that may block, so that no other has to be woken. Later submissions are left to the
  /// journal's own thread.
  func commitHere() {
    guard claim() else { return }
    let isDone = queue.sync { commitWaiting() }
    if !isDone { queue.async { self.drain() } }
  }

  /// Returns whether there is work and no worker; the caller is the worker then.
  private func claim() -> Bool {
    state.withLock { state in
      guard state.worker == .idle, !state.waiting.isEmpty else { return false }
      state.worker = .draining
      return true
    }
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
      queue.asyncAfter(deadline: .now() + Self.retryDelay) { self.drain() }
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
      // Changes before this one may make room for those after it, so both stay.
      case .remove, .putSession, .removeSession, .clearFinished:
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
      whenTold()
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
