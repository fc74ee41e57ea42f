import TransferEngine
import TransferModel

/// A journal of which everything that would go on by itself comes back paused, and is recorded so
/// before anything else happens.
struct PausingJournal: TransferJournal {
  let base: any TransferJournal

  func load() throws -> JournalContents {
    var contents = try base.load()
    var changes: [JournalChange] = []
    for index in contents.records.indices where contents.records[index].state.goesOnByItself {
      contents.records[index].state = .paused
      contents.records[index].reason = nil
      contents.records[index].goesOnAt = nil
      changes.append(.put(contents.records[index]))
    }
    if !changes.isEmpty { try base.commit(changes) }
    return contents
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
