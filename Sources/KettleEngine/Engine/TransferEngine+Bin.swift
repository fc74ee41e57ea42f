import Dispatch
import KettleModel
import KettleScheduler

/// The bin: what it contains, undo, and the deletion of what cannot be undone any more.
extension TransferEngine {
  package struct UndoOutcome: Sendable, Hashable {
    package var action: BinAction
    package var restored: [TransferID] = []
    /// Transfers that are not idle any more. What they had stays in the bin.
    package var busy: [TransferID] = []
    /// How many transfers are in view again; only for `clear`.
    package var uncoveredCount = 0

    init(_ action: BinAction) { self.action = action }
  }

  /// Returns what can be undone, the latest first. Throws when the store cannot be read.
  package func binContents() async throws -> [BinSnapshot] {
    await kept()
    let contents = try await read { archive in try archive.binContents() }
    return scheduler.bin.actions.reversed().map { action in
      let found = contents[action.number] ?? BinContents()
      return BinSnapshot(
        action, transferCount: found.transferCount, byteCount: found.byteCount,
        title: found.title)
    }
  }

  /// Undoes an action: restores what it discarded, with every byte.
  ///
  /// - Parameter number: the action; nil is the latest one.
  /// - Returns: the outcome; nil when there is no such action. Throws when the store cannot be
  ///   read.
  package func undo(_ number: Int64?) async throws -> UndoOutcome? {
    await kept()
    guard let action = scheduler.bin.undoable(number).first else { return nil }
    return try await undo(action)
  }

  private func undo(_ action: BinAction) async throws -> UndoOutcome {
    if action.kind == .clear { return try await uncover(action) }
    var undone = UndoOutcome(action)
    // Its files are not deleted meanwhile.
    decide { $0.holdBinAction(action) }
    defer { decide { $0.releaseBinAction(action) } }
    var last: TransferID?
    repeat {
      let entries = try await settledEntries(of: action, after: last)
      last = entries.last?.record.id
      let restored = await withoutEviction { await restore(entries, of: action) }
      undone.restored += restored
      undone.busy += entries.map(\.record.id).filter { !restored.contains($0) }
    } while last != nil
    if undone.busy.isEmpty {
      let now = clock.now()
      await runDurably(decide { $0.closeBinAction(action) }, at: now).value()
    }
    return undone
  }

  /// Reads transfers from the bin. If the control that discarded them is still storing their last
  /// bytes, waits for it first.
  private func settledEntries(
    of action: BinAction, after: TransferID?
  ) async throws -> [BinEntry] {
    let entries = try await self.entries(of: action, after: after)
    let moving = entries.map(\.record.id).filter { scheduler.machines[$0]?.isAtRest == false }
    if moving.isEmpty { return entries }
    await rest(of: moving)
    return try await self.entries(of: action, after: after)
  }

  /// Reads at most a thousand transfers from the bin.
  private func entries(
    of action: BinAction, after: TransferID?
  ) async throws -> [BinEntry] {
    try await read { archive in
      try archive.binEntries(of: action.number, after: after, countMax: Self.loadedCountMax)
    }
  }

  /// Returns the transfers that were restored.
  private func restore(_ entries: [BinEntry], of action: BinAction) async -> Set<TransferID> {
    let ids = entries.map(\.record.id)
    await load(ids)
    let idle = entries.filter { scheduler.canRestore($0.record.id) }
    let records = await restoreFiles(of: idle)
    // One of them may have been started meanwhile. A later undo finds its bytes under their name.
    let free = records.filter { scheduler.canRestore($0.id) }
    let now = clock.now()
    let (added, output) = decide { $0.restore(free, of: action, at: now) }
    for id in added {
      if let snapshot = snapshot(of: id) { observer(.added(snapshot)) }
    }
    for record in free {
      live[record.id, default: begun(record.id)].note(.undone(action: action.kind), at: now.wall)
    }
    await runDurably(output, at: now).value()
    return Set(free.map(\.id))
  }

  private func restoreFiles(of entries: [BinEntry]) async -> [TransferRecord] {
    await withCheckedContinuation { done in
      namePool.asyncAlone { [files] in
        done.resume(returning: files.moveTogether { moves in entries.map { moves.restore($0) } })
      }
    }
  }

  private func uncover(_ action: BinAction) async throws -> UndoOutcome {
    var undone = UndoOutcome(action)
    let stored = try await read { archive in try archive.clearedCount(upTo: action.clearedBefore) }
    let resident = scheduler.machines.values.filter {
      $0.record.isCleared(upTo: action.clearedBefore)
    }
    let before = scheduler.clearedCount
    let now = clock.now()
    let output = decide { $0.uncover(action, clearedCount: stored - resident.count) }
    await runDurably(output, at: now).value()
    undone.uncoveredCount = before - scheduler.clearedCount
    observer(
      .uncovered(
        clearedUpTo: scheduler.clearedUpTo, clearedCount: scheduler.clearedCount,
        residents: Set(resident.map(\.id))))
    return undone
  }

  // MARK: Deletion

  /// Deletes everything in the bin. Returns when the files are gone.
  package func emptyBin() async {
    await kept()
    decide { $0.emptyBin() }
    for action in decide({ $0.takeExpired() }) { await delete(action) }
    await kept()
  }

  /// Deletes the files of expired actions, and then their entries.
  func deleteExpired() {
    let expired = decide { $0.takeExpired() }
    guard !expired.isEmpty else { return }
    Task(executorPreference: WorkerPool.tasks) { [weak self] in
      for action in expired { await self?.delete(action) }
    }
  }

  private func delete(_ action: BinAction) async {
    var last: TransferID?
    repeat {
      // Without the entries, the files are unknown; the next start tries again.
      guard let entries = try? await entries(of: action, after: last) else { return }
      last = entries.last?.record.id
      await deleteFiles(of: entries, action.kind)
    } while last != nil
    submit([.bin(.removeAction(action.number))]) { _ in }
  }

  private func deleteFiles(of entries: [BinEntry], _ kind: BinAction.Kind) async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      namePool.asyncAlone { [files] in
        for entry in entries { files.delete(entry, kind) }
        done.resume()
      }
    }
  }

  /// Reads from the store.
  func read<Value: Sendable>(
    _ question: @escaping @Sendable (any TransferArchive) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { answered in
      readQueue.async { [archive] in answered.resume(with: Result { try question(archive) }) }
    }
  }
}

extension FileMoves {
  /// Moves the files of a transfer back from the bin. Returns its record with their present paths.
  fileprivate func restore(_ entry: BinEntry) -> TransferRecord {
    var record = entry.record
    // First, because it may have the name without a number.
    if let binned = entry.fileSetAside, let own = record.resumeData?.setAside {
      let name = own.path.split(separator: "/").last.map(String.init) ?? ""
      record.resumeData?.setAside = movePartialFile(binned, toName: name) ? own : binned
    }
    if let binned = entry.partialFile, let resumeData = record.resumeData {
      record.resumeData = restorePartialFile(resumeData, from: binned)
    }
    if let binned = entry.finishedFile, let file = record.finishedFile {
      record.finishedFile = restoreFinishedFile(file, from: binned)
    }
    return record
  }
}

extension FileStorage {
  /// Deletes files in the bin. One that could not be moved there stays: under its own name, another
  /// transfer may have a file by now.
  fileprivate func delete(_ entry: BinEntry, _ kind: BinAction.Kind) {
    if let binned = entry.partialFile { removePartialFile(binned) }
    if let binned = entry.fileSetAside { removePartialFile(binned) }
    switch kind {
    case .removeWithFile, .reset: if let file = entry.finishedFile { _ = removeFinishedFile(file) }
    case .stop, .remove, .clear: break
    }
  }
}
