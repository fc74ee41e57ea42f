import KettleModel
import KettleScheduler

/// Requests of clients, received through the service.
extension TransferEngine {
  /// Applies a control. Returns when the outcome is in the store.
  package func control(
    _ control: TransferScheduler.Control, _ ids: [TransferID]
  ) async -> [TransferScheduler.ControlResult] {
    let action = decide { $0.openBinAction(for: control, at: clock.now()) }
    return await controlEach(control, ids, into: action)
  }

  /// A removed transfer whose finished file is still there, because others changed it or it cannot
  /// be moved.
  package struct KeptFile: Sendable, Hashable {
    package var id: TransferID
    package var path: String
  }

  /// Removes transfers, and moves their finished files to the bin.
  ///
  /// - Parameter ids: nil removes all.
  package func removeWithFiles(
    _ ids: [TransferID]?
  ) async -> (ids: [TransferID], results: [TransferScheduler.ControlResult], kept: [KeptFile]) {
    let action = decide { $0.openBinAction(for: .remove(.goes), at: clock.now()) }
    let kept = KeptFiles()
    guard let ids else {
      let removed = await controlAll(.remove(.goes), into: action, leaving: kept)
      return (removed, removed.map { _ in .applied }, kept.files)
    }
    let results = await controlEach(.remove(.goes), ids, into: action, leaving: kept)
    return (ids, results, kept.files)
  }

  /// Collects the files that a removal leaves.
  final class KeptFiles {
    fileprivate(set) var files: [KeptFile] = []
  }

  /// - Parameter kept: the caller's, who then waits until the finished files are in the bin.
  func controlResident(
    _ control: TransferScheduler.Control, _ ids: [TransferID], into action: BinAction?,
    leaving kept: KeptFiles? = nil
  ) async -> [TransferScheduler.ControlResult] {
    let now = clock.now()
    var (results, output) = decide { $0.control(control, ids, into: action, at: now) }
    let finished = kept == nil ? [] : output.takeDiscardedFiles()
    if let event = HistoryEvent(control) {
      for (id, result) in zip(ids, results) where result == .applied {
        live[id].observed.note(event, at: now.wall)
        if case .limited = event { live[id].observed.forgetSpeeds() }
      }
    }
    await runDurably(output, at: now).value()
    if let kept, !finished.isEmpty {
      kept.files += await discard(finished, into: action?.number).kept
    }
    await rest(of: ids)
    return results
  }

  /// The transfers in memory that a control for all applies to.
  package func selection(for control: TransferScheduler.Control) -> [TransferID] {
    scheduler.machines.filter { _, machine in
      let state = machine.visibleState
      let isFinalTask = machine.isFinalTask
      return switch control {
      case .start:
        switch state {
        case .idle, .scheduled, .paused, .failed: !isFinalTask
        // Starting everything is not meant to override the condition that each one waits for.
        case .waiting: !machine.waitsForCondition
        case .queued, .running, .verifying, .completed: false
        }
      case .pause:
        switch state {
        case .scheduled, .queued, .running, .waiting, .verifying: true
        case .idle, .paused, .failed, .completed: false
        }
      case .stop: state != .completed && state != .idle && !isFinalTask
      case .accept: machine.state.asksForDecision
      case .remember, .takeOver: false
      case .remove, .reset: true
      case .relink, .limit, .prioritize: state != .completed && !isFinalTask
      // For single transfers.
      case .change: false
      case .cancel: machine.isTask && !isFinalTask
      }
    }.keys.sorted()
  }

  /// Resets all transfers to idle. The finished files that are still ours go to the bin.
  package func reset() async -> (discardedPaths: [String], keptPaths: [String]) {
    var outcome: (discardedPaths: [String], keptPaths: [String]) = ([], [])
    let action = decide { $0.openBinAction(for: .reset, at: clock.now()) }
    func reset(_ ids: [TransferID]) async {
      let now = clock.now()
      var (_, output) = decide { $0.control(.reset, ids, into: action, at: now) }
      // The caller gets the path of each file, so the files are moved here and not by actions.
      let finished = output.takeDiscardedFiles()
      await runDurably(output, at: now).value()
      let (discarded, kept) = await discard(finished, into: action?.number)
      outcome.discardedPaths += discarded
      outcome.keptPaths += kept.map(\.path)
      await rest(of: ids)
    }
    let resident = selection(for: .reset)
    await forEachDormant(in: Set(TransferState.allCases), but: Set(resident)) { await reset($0) }
    await withoutEviction {
      await load(resident)
      await reset(resident)
    }
    return outcome
  }

  /// Moves finished files to the bin. One that is gone already is neither discarded nor kept.
  private func discard(
    _ finished: [(TransferID, FinishedFile)], into binAction: Int64?
  ) async -> (discardedPaths: [String], kept: [KeptFile]) {
    await files.alone { files in
      files.moveTogether { moves in
        var outcome: (discardedPaths: [String], kept: [KeptFile]) = ([], [])
        for (id, file) in finished {
          if file.identity != nil && files.discard(file, of: id, into: binAction, by: moves) {
            outcome.discardedPaths.append(file.path)
          } else if files.hasEntry(at: file.path) {
            outcome.kept.append(KeptFile(id: id, path: file.path))
          }
        }
        return outcome
      }
    }
  }

  /// Returns when nothing that the controls began is under way and the store has the outcome: the
  /// last bytes of a pause are durable, the partial file of a stop is gone.
  func rest(of ids: [TransferID]) async {
    await settle(ids)
    // A transfer that came to rest while the caller waited for another may not be in the store yet.
    await kept()
  }

  /// Returns when the store has all changes made so far.
  func kept() async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      submit([]) { _ in done.resume() }
    }
  }

  /// Returns when nothing that the controls began is under way.
  func settle(_ ids: [TransferID]) async {
    let moving = Set(ids.filter { scheduler.machines[$0]?.isAtRest == false })
    guard !moving.isEmpty, inbox.isOpen else { return }
    await waiters.awaitRest(of: moving).value()
  }

  /// Runs a turn. The returned completion finishes when the store has its changes.
  func runDurably(_ output: SchedulerOutput, at now: Moment) -> Completion<Void> {
    let durable = Completion<Void>()
    run(output, at: now, durable: durable)
    return durable
  }

  package func setCadence(_ cadence: ProgressCadence) {
    guard pace.cadence != cadence else { return }
    pace.cadence = cadence
    pace.cancelTick()
    setAlarm(at: clock.now())
  }
}

extension SchedulerOutput {
  /// Removes and returns the finished files to discard, for a caller that waits for them.
  mutating func takeDiscardedFiles() -> [(TransferID, FinishedFile)] {
    var finished: [(TransferID, FinishedFile)] = []
    afterCommit.removeAll { action in
      guard case .discardFinishedFile(let id, let file, _) = action else { return false }
      finished.append((id, file))
      return true
    }
    return finished
  }
}

extension TransferEngine {
  /// Gives a transfer a fresh link for the same file and starts it. Durable bytes are kept. A login
  /// in the link replaces the known one.
  package func start(
    _ id: TransferID, with link: TransferURL, login: Login? = nil
  ) async -> TransferScheduler.ControlResult {
    await control(.relink(link, login), [id]).first ?? .refused(.unknown)
  }

  /// Sets the speed limit of transfers; nil is none. It applies at once and is stored.
  package func limit(
    _ ids: [TransferID], toBytesPerSecond limit: Int64?
  ) async -> [TransferScheduler.ControlResult] {
    // The previous speed says nothing about the next one.
    for id in ids { live[id].observation?.speed = SpeedEstimator() }
    return await control(.limit(limit), ids)
  }

  /// Handles a change of the machine's network connectivity.
  package func networkChanged(_ state: NetworkState) {
    apply(.networkChanged(state))
  }
}

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
    let contents = try await store.read { archive in try archive.binContents() }
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
      await files.alone { files in for entry in entries { files.delete(entry, action.kind) } }
    } while last != nil
    submit([.bin(.removeAction(action.number))]) { _ in }
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
