import KettleEngine
import KettleModel
import KettleSystem

/// A journal that pauses every loaded transfer that would continue by itself, and records that
/// before anything else happens.
struct PausingJournal: TransferJournal {
  let base: any TransferJournal
  let archive: any TransferArchive

  /// The number of records changed in one commit.
  private static let countMax = 1000

  func load() throws -> JournalContents {
    var contents = try base.load()
    // For dormant transfers, the contents include only the count.
    if contents.dormant.states[.queued] != nil {
      try pauseDormant()
      contents = try base.load()
    }
    var changes: [JournalChange] = []
    for index in contents.records.indices where contents.records[index].state.goesOnByItself {
      contents.records[index].pause()
      changes.append(.put(contents.records[index]))
    }
    if !changes.isEmpty { try base.commit(changes) }
    return contents
  }

  private func pauseDormant() throws {
    var last: TransferID?
    repeat {
      var records = try archive.dormant(in: [.queued], after: last, countMax: Self.countMax)
      last = records.last?.id
      for index in records.indices { records[index].pause() }
      if !records.isEmpty { try base.commit(records.map(JournalChange.put)) }
    } while last != nil
  }

  func commit(_ changes: [JournalChange]) throws { try base.commit(changes) }

}

extension TransferState {
  fileprivate var goesOnByItself: Bool {
    switch self {
    case .scheduled, .queued, .running, .waiting, .verifying: true
    case .idle, .paused, .completed, .failed: false
    }
  }
}

extension TransferRecord {
  fileprivate mutating func pause() {
    state = .paused
    reason = nil
    goesOnAt = nil
  }
}

/// Tracks whether power and network must be watched: while a task of a program is in progress,
/// which may have conditions, and while the user has set conditions for all transfers.
final class ConditionNeed: Sendable {
  /// Yields whether they must be, each time that it changes.
  let changes: AsyncStream<Bool>
  private let continuation: AsyncStream<Bool>.Continuation
  private let reasons: Mutex<Reasons>

  private struct Reasons {
    var tasks: Set<TransferID> = []
    var isNeededByUser: Bool

    var isNeeded: Bool { isNeededByUser || !tasks.isEmpty }
  }

  /// - Parameter isNeededByUser: whether the user has set conditions for all transfers.
  init(isNeededByUser: Bool = false) {
    (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    reasons = Mutex(Reasons(isNeededByUser: isNeededByUser))
    if isNeededByUser { continuation.yield(true) }
  }

  /// Handles an engine event. Events arrive in order.
  func observe(_ event: EngineEvent) {
    switch event {
    case .added(let row), .changed(let row):
      guard row.task != nil else { return }
      update(row.id, isUnderWay: Self.isUnderWay(row.state))
    case .removed(let row):
      guard row.task != nil else { return }
      update(row.id, isUnderWay: false)
    case .recovered, .listed, .loaded, .evicted, .progress, .cleared, .uncovered, .limited, .queues,
      .hooksDue:
      break
    }
  }

  /// Sets whether the user has set conditions for all transfers.
  func setNeededByUser(_ isNeeded: Bool) { change { $0.isNeededByUser = isNeeded } }

  private static func isUnderWay(_ state: TransferState) -> Bool {
    switch state {
    case .queued, .running, .waiting: true
    case .idle, .scheduled, .paused, .verifying, .completed, .failed: false
    }
  }

  private func update(_ id: TransferID, isUnderWay: Bool) {
    change { reasons in
      if isUnderWay {
        reasons.tasks.insert(id)
      } else {
        reasons.tasks.remove(id)
      }
    }
  }

  private func change(_ body: (inout Reasons) -> Void) {
    reasons.withLock { reasons in
      let wasNeeded = reasons.isNeeded
      body(&reasons)
      if reasons.isNeeded != wasNeeded { continuation.yield(!wasNeeded) }
    }
  }
}
