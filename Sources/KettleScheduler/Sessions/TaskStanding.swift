import KettleModel

/// What one task means to the question whether its program must be told something.
package enum TaskStanding: Hashable, Sendable {
  case unfinished
  /// A challenge waits for an answer; the number tells it from those that were answered before.
  case asking(number: Int)
  /// The program was not told yet. A task that is started again finishes at another time.
  case finished(at: WallTime?)
  /// Kept as resume data; the program was told all of it.
  case putAside

  /// nil for a transfer that is a person's.
  init?(_ snapshot: TransferSnapshot) {
    guard let task = snapshot.task else { return nil }
    // One that failed may have its token before its program was told.
    if task.resumeToken != nil, snapshot.state != .failed {
      self = .putAside
      return
    }
    switch snapshot.state {
    case .completed, .failed: self = .finished(at: snapshot.finishedAt)
    case .waiting where snapshot.reason == .needsLogin && task.challenge != nil:
      self = .asking(number: task.answeredChallengeCount)
    case .idle, .scheduled, .queued, .running, .waiting, .paused, .verifying: self = .unfinished
    }
  }

  /// Whether the program has to be told of it.
  var isNews: Bool {
    switch self {
    case .asking, .finished: true
    case .unfinished, .putAside: false
    }
  }
}

/// The tasks of one session, counted.
package struct TaskTally: Hashable, Sendable {
  package private(set) var counts: [TransferState: Int] = [:]
  /// What the program has to be told of.
  private(set) var news: [TransferID: TaskStanding] = [:]
  private var unfinishedCount = 0
  private var asking: Set<TransferID> = []

  var isEmpty: Bool { counts.isEmpty }

  /// Finished, and its program was not told.
  package var untoldCount: Int { news.count - asking.count }

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

  /// Whether there is more than what the program was launched for, which is part of it.
  func hasNews(beyond known: [TransferID: TaskStanding]) -> Bool { news.count > known.count }

  /// Whether that is a reason to launch it: a challenge is one at once, ends when all is done.
  func hasReason(beyond known: [TransferID: TaskStanding]) -> Bool {
    if unfinishedCount == 0 { return hasNews(beyond: known) }
    return asking.contains { known[$0] == nil }
  }
}

/// One task as the table of sessions remembers it.
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

  /// Whether it was set going since it was as `before`.
  func isStarted(since before: TrackedTask) -> Bool {
    !before.state.isUnderWay && state.isUnderWay
  }
}

extension TaskStanding {
  fileprivate var isUnfinished: Bool {
    switch self {
    case .unfinished, .asking: true
    case .finished, .putAside: false
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
