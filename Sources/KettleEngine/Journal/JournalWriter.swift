import Dispatch
import KettleSystem
import KettleModel

/// Commits changes in the order in which they were submitted, many submissions in one transaction
/// when they come faster than the disk.
///
/// A change of a transfer that exists is never given up: while the store cannot be written (a full
/// disk), it is tried again every second, and what waits for it waits. Only an `add` is told that
/// it failed, because its sender can be asked to try later.
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

  /// Both are called on the journal's queue.
  ///
  /// - Parameters:
  ///   - report: told of every failed commit.
  ///   - whenTold: called after each commit, when all who waited for it were told.
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

  /// As `submit`, by somebody who sees to it that `commitHere` is called soon.
  func enqueue(
    _ changes: [JournalChange], _ persistence: Persistence = .keepTrying,
    finish: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    let submission = Submission(changes: changes, persistence: persistence, finish: finish)
    state.withLock { $0.waiting.append(submission) }
  }

  /// Under which progress of a transfer goes without a commit. Called by what `finish` calls.
  func progressStamp(of id: TransferID) -> ProgressStamp? {
    dispatchPrecondition(condition: .onQueue(queue))
    return journal.progressStamp(of: id)
  }

  /// Puts on record how much is held, beside what is being committed. Blocks. False when it has to
  /// be submitted as a change.
  func put(_ held: HeldRanges, _ stamp: ProgressStamp) -> Bool { journal.put(held, stamp) }

  /// Commits what waits, unless somebody does so already. Blocks; for those who have a thread that
  /// may, so that no other has to be woken. What comes meanwhile is left to the journal's own.
  func commitHere() {
    guard claim() else { return }
    let isDone = queue.sync { commitWaiting() }
    if !isDone { queue.async { self.drain() } }
  }

  /// Whether there is work and nobody at it; the caller is at it then.
  private func claim() -> Bool {
    state.withLock { state in
      guard state.worker == .idle, !state.waiting.isEmpty else { return false }
      state.worker = .draining
      return true
    }
  }

  private func drain() { while !commitWaiting() {} }

  /// Commits what waits, together. Answers whether there is nothing left to do, or not before a
  /// while.
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

  /// What one transaction need not write because it would write over it again: under many small
  /// transfers the records of one follow each other within a few milliseconds.
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
      // What stands before it makes room for what comes after it.
      case .remove, .putSession, .removeSession, .clearFinished:
        seen = []
        advanced = []
        kept.append(change)
      }
    }
    kept.reverse()
    return kept
  }

  /// Answers what is to be tried again, nil when nothing is.
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
