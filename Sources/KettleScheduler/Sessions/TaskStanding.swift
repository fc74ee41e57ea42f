import KettleModel

/// Whether a task has news for its program.
package enum TaskStanding: Hashable, Sendable {
  case unfinished
  /// A challenge is pending; the number distinguishes it from those answered before.
  case asking(number: Int)
  /// The program was not notified yet. A task that is started again finishes at another time.
  case finished(at: WallTime?)
  /// Kept as resume data; the program was notified.
  case setAside

  /// nil for a transfer of the user's own.
  init?(_ snapshot: TransferSnapshot) {
    guard let task = snapshot.task else { return nil }
    // A failed task may have its token before its program was notified.
    if task.resumeToken != nil, snapshot.state != .failed {
      self = .setAside
      return
    }
    switch snapshot.state {
    case .completed, .failed: self = .finished(at: snapshot.finishedAt)
    case .waiting where task.challenge != nil:
      self = .asking(number: task.answeredChallengeCount)
    case .idle, .scheduled, .queued, .running, .waiting, .paused, .verifying: self = .unfinished
    }
  }

  /// Whether the program must be notified of it.
  var isNews: Bool {
    switch self {
    case .asking, .finished: true
    case .unfinished, .setAside: false
    }
  }
}

/// The tasks of one session, counted.
package struct TaskTally: Hashable, Sendable {
  package private(set) var counts: [TransferState: Int] = [:]
  /// The tasks with news for the program.
  private(set) var news: [TransferID: TaskStanding] = [:]
  private var unfinishedCount = 0
  private var asking: Set<TransferID> = []

  var isEmpty: Bool { counts.isEmpty }

  /// Finished tasks not yet reported to the program.
  package var unreportedCount: Int { news.count - asking.count }

  mutating func add(_ id: TransferID, _ task: TrackedTask) {
    counts[task.state, default: 0] += 1
    if task.standing.isNews { news[id] = task.standing }
    if case .asking = task.standing { asking.insert(id) }
    if task.standing.isUnfinished { unfinishedCount += 1 }
  }

  mutating func remove(_ id: TransferID, _ task: TrackedTask) {
    let left = (counts[task.state] ?? 0) - 1
    counts[task.state] = left > 0 ? left : nil
    news[id] = nil
    asking.remove(id)
    if task.standing.isUnfinished { unfinishedCount -= 1 }
  }

  /// Whether there is more news than the program was launched for, which is a subset of it.
  func hasNews(beyond known: [TransferID: TaskStanding]) -> Bool { news.count > known.count }

  /// Whether that justifies a launch: a challenge does at once, ends only when all tasks are done.
  func hasReason(beyond known: [TransferID: TaskStanding]) -> Bool {
    if unfinishedCount == 0 { return hasNews(beyond: known) }
    return asking.contains { known[$0] == nil }
  }
}

/// One task as the session table tracks it.
struct TrackedTask: Hashable, Sendable {
  var session: SessionID
  var state: TransferState
  var standing: TaskStanding

  init?(_ snapshot: TransferSnapshot) {
    guard let standing = TaskStanding(snapshot) else { return nil }
    self.standing = standing
    session = snapshot.session
    state = snapshot.state
  }

  /// Whether it was started since `before`.
  func isStarted(since before: TrackedTask) -> Bool {
    !before.state.isUnderWay && state.isUnderWay
  }
}

extension TaskStanding {
  fileprivate var isUnfinished: Bool {
    switch self {
    case .unfinished, .asking: true
    case .finished, .setAside: false
    }
  }
}

extension TransferState {
  fileprivate var isUnderWay: Bool {
    switch self {
    case .scheduled, .queued, .running, .waiting, .verifying: true
    case .idle, .paused, .completed, .failed: false
    }
  }
}
