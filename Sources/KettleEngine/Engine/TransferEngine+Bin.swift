import KettleModel
import KettleScheduler

/// The bin: what it contains, undo, and the deletion of what cannot be undone any more.
extension TransferEngine {
  package struct UndoOutcome: Sendable, Hashable {
    package var action: BinAction
    package var restored: [TransferID] = []
    /// Transfers that are not idle any more. What they had stays in the bin.
    package var busy: [TransferID] = []
    /// How many bytes the bin has of these.
    package var busyByteCount: Int64 = 0
    /// How many transfers have changed since a control that discarded nothing, and stay as they
    /// are.
    package var changedCount = 0
    /// How many transfers are in view again; only for `clear`.
    package var uncoveredCount = 0

    init(_ action: BinAction) { self.action = action }
  }

  /// Returns what can be undone, the latest first. Throws when the store cannot be read.
  package func binContents() async throws -> [BinSnapshot] {
    await kept()
    let contents = try await store.read { archive in try archive.binContents(of: nil) }
    let stored = scheduler.bin.actions.map { action in
      let found = contents[action.number] ?? BinContents()
      return BinSnapshot(
        action, transferCount: found.transferCount, byteCount: found.byteCount,
        title: found.title)
    }
    let now = clock.now()
    let logged = scheduler.controlLog.entries.filter { $0.action.expiresAt > now.wall }
    var snapshots = stored
    for entry in logged { snapshots.append(await summary(of: entry)) }
    return snapshots.sorted { $0.number > $1.number }
  }

  /// Undoes an action: restores what it discarded, with every byte, or what it changed.
  ///
  /// - Parameter number: the action; nil is the latest one.
  /// - Returns: the outcome; nil when there is no such action. Throws when the store cannot be
  ///   read.
  package func undo(_ number: Int64?) async throws -> UndoOutcome? {
    await kept()
    let now = clock.now()
    guard let action = scheduler.undoable(number, at: now).first else { return nil }
    if let entry = decide({ $0.takeLogged(action) }) { return await revert(entry) }
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
      let busy = entries.filter { !restored.contains($0.record.id) }
      undone.busy += busy.map(\.record.id)
      undone.busyByteCount += busy.reduce(0) {
        $0 + ($1.record.resumeData?.durable.byteCount ?? 0)
      }
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
  func entries(
    of action: BinAction, after: TransferID?
  ) async throws -> [BinEntry] {
    try await store.read { archive in
      try archive.binEntries(of: action.number, after: after, countMax: Self.loadedCountMax)
    }
  }

  /// Returns the transfers that were restored.
  private func restore(_ entries: [BinEntry], of action: BinAction) async -> Set<TransferID> {
    let ids = entries.map(\.record.id)
    await load(ids)
    let idle = entries.filter { scheduler.canRestore($0.record.id) }
    let records = await files.alone { files in
      files.moveTogether { moves in idle.map { moves.restore($0) } }
    }
    // One of them may have been started meanwhile. A later undo finds its bytes under their name.
    let free = records.filter { scheduler.canRestore($0.id) }
    let now = clock.now()
    let (added, output) = decide { $0.restore(free, of: action, at: now) }
    for id in added {
      if let snapshot = snapshot(of: id) { observer(.added(snapshot)) }
    }
    for record in free {
      live[record.id].observed.note(.undone(action: action.kind), at: now.wall)
    }
    await runDurably(output, at: now).value()
    return Set(free.map(\.id))
  }

  private func uncover(_ action: BinAction) async throws -> UndoOutcome {
    var undone = UndoOutcome(action)
    let stored = try await store.read { archive in
      try archive.clearedCount(upTo: action.clearedBefore)
    }
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
    Task(executorPreference: work.tasks) { [weak self] in
      for action in expired { await self?.delete(action) }
    }
  }

  private func delete(_ action: BinAction) async {
    var last: TransferID?
    repeat {
      // Without the entries, the files are unknown; the next start tries again.
      guard let entries = try? await entries(of: action, after: last) else { return }
      last = entries.last?.record.id
      await files.alone { files in for entry in entries { files.delete(entry, action.kind) } }
    } while last != nil
    submit([.bin(.removeAction(action.number))]) { _ in }
  }
}

extension FileMoves {
  /// Moves the files of a transfer back from the bin. Returns its record with their present paths.
  func restore(_ entry: BinEntry) -> TransferRecord {
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
    case .stop, .remove, .clear, .start, .pause, .limit, .prioritize, .move, .limitAll: break
    }
  }
}
