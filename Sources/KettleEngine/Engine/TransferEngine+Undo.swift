import KettleModel
import KettleScheduler

/// Undoing controls that discarded nothing.
extension TransferEngine {
  /// What clients see of such a control.
  func summary(of entry: ControlLog.Entry) async -> BinSnapshot {
    let (first, count) =
      switch entry.content {
      case .rows(let groups): (groups.values.compactMap(\.first).min(), groups.count)
      case .order(let places): (places.map(\.id).min(), places.count)
      case .totalLimit: (nil, 0)
      }
    var snapshot = BinSnapshot(entry.action, transferCount: count)
    if case .rows(let groups) = entry.content {
      snapshot.transferCount = groups.values.reduce(0) { $0 + $1.count }
    }
    guard let first else { return snapshot }
    snapshot.title =
      if let resident = self.snapshot(of: first) {
        resident.title
      } else {
        try? await store.read { try $0.records([first]) }.first.map { rows.row(of: $0).title }
      }
    return snapshot
  }

  func revert(_ entry: ControlLog.Entry) async -> UndoOutcome {
    var undone = UndoOutcome(entry.action)
    switch entry.content {
    case .rows(let groups):
      for (reversal, ids) in groups {
        for part in ids.parts(countMax: Self.loadedCountMax) {
          let reverted = await revert(reversal, of: part, entry.action)
          undone.restored += reverted
          undone.changedCount += part.count - reverted.count
        }
      }
    case .order(let places):
      undone.restored = await withoutEviction {
        await load(places.map(\.id))
        return await keep(decide { $0.revert(places, at: clock.now()) }, of: entry.action)
      }
      if undone.restored.isEmpty { undone.changedCount = places.count }
    case .totalLimit(let before, let after):
      let now = clock.now()
      let output = decide { $0.revertTotalLimit(before: before, after: after, at: now) }
      if let output { run(output, at: now) } else { undone.changedCount = 1 }
    }
    return undone
  }

  private func revert(
    _ reversal: Reversal, of ids: [TransferID], _ action: BinAction
  ) async -> [TransferID] {
    await withoutEviction {
      await load(ids)
      // A pause may still be storing the last bytes.
      await settle(ids)
      let now = clock.now()
      let reverted = await keep(decide { $0.revert(reversal, of: ids, at: now) }, of: action)
      await rest(of: reverted)
      return reverted
    }
  }

  /// Performs what an undo has decided. Returns the changed transfers when the store has the
  /// change.
  private func keep(
    _ decision: (reverted: [TransferID], SchedulerOutput), of action: BinAction
  ) async -> [TransferID] {
    let now = clock.now()
    for id in decision.reverted {
      // The previous speed says nothing about the next one.
      if action.kind == .limit { live[id].observation?.speed = SpeedEstimator() }
      live[id].observed.note(.undone(action: action.kind), at: now.wall)
    }
    await runDurably(decision.1, at: now).value()
    return decision.reverted
  }
}

/// Starting a stopped transfer takes its bytes back from the bin.
extension TransferEngine {
  /// Moves the files of stopped transfers back from the bin, for the control that starts them.
  func bytesToContinue(
    _ control: TransferScheduler.Control, _ ids: [TransferID]
  ) async -> [TransferID: BinEntry] {
    guard control.continuesStopped else { return [:] }
    let stops = scheduler.stopsToContinue
    let idle = ids.filter { id in
      scheduler.machines[id].map { $0.visibleState == .idle && !$0.isTask } ?? false
    }
    if stops.isEmpty || idle.isEmpty { return [:] }
    // The files are not deleted meanwhile.
    decide { scheduler in for stop in stops { scheduler.holdBinAction(stop) } }
    defer { decide { scheduler in for stop in stops { scheduler.releaseBinAction(stop) } } }
    // A stop may still be storing the last bytes.
    await rest(of: idle)
    let found = try? await store.read { try $0.binEntries(of: idle, in: stops.map(\.number)) }
    var latest: [TransferID: BinEntry] = [:]
    for entry in found ?? [] where scheduler.canContinue(entry) {
      if let other = latest[entry.record.id], other.action > entry.action { continue }
      latest[entry.record.id] = entry
    }
    if latest.isEmpty { return [:] }
    let entries = latest
    return await files.alone { files in
      files.moveTogether { moves in
        entries.mapValues { BinEntry(action: $0.action, record: moves.restore($0)) }
      }
    }
  }

  /// Reports what was taken back, and closes the actions of which nothing is left to undo.
  func finishContinuing(_ continued: [TransferID: BinEntry], _ report: ControlReport) async {
    for entry in continued.values {
      report.continued.transferCount += 1
      report.continued.byteCount += entry.record.resumeData?.durable.byteCount ?? 0
    }
    for number in Set(continued.values.map(\.action)) {
      guard let action = scheduler.bin.undoable(number).first,
        let left = try? await entries(of: action, after: nil), left.isEmpty
      else { continue }
      let now = clock.now()
      await runDurably(decide { $0.closeBinAction(action) }, at: now).value()
    }
  }

  /// What a stop has put into the bin.
  func bytes(in action: BinAction) async -> BinBytes? {
    await kept()
    let contents = try? await store.read { try $0.binContents(of: action.number) }
    guard let found = contents?[action.number] else { return nil }
    return BinBytes(
      transferCount: found.transferCount, byteCount: found.byteCount, until: action.expiresAt)
  }
}

extension TransferScheduler.Control {
  /// Whether it starts a stopped transfer with what that had.
  fileprivate var continuesStopped: Bool {
    switch self {
    case .start, .relink: true
    // What the user now asks for may be incompatible with the bytes.
    case .takeOver(let difference): difference.isEmpty
    case .startFresh, .pause, .stop, .accept, .remember, .remove, .reset, .change, .limit,
      .prioritize, .cancel:
      false
    }
  }
}
