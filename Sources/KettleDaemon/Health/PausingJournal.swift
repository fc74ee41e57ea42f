import KettleEngine
import KettleModel

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
