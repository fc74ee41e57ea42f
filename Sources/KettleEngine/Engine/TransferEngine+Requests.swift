import KettleModel
import KettleScheduler

/// Requests of clients, received through the service.
extension TransferEngine {
  /// Applies a control. Returns when the outcome is in the store.
  package func control(
    _ control: TransferScheduler.Control, _ ids: [TransferID]
  ) async -> [TransferScheduler.ControlResult] {
    await perform(control, ids).results
  }

  /// The outcome of a control.
  package struct ControlOutcome: Sendable {
    package var ids: [TransferID]
    package var results: [TransferScheduler.ControlResult]
    /// What a stop put into the bin, and what a start took back.
    package var bin: BinBytes?
  }

  /// Applies a control. Returns when the outcome is in the store.
  ///
  /// - Parameter ids: nil means all that it is meant for.
  package func perform(
    _ control: TransferScheduler.Control, _ ids: [TransferID]?
  ) async -> ControlOutcome {
    // Reading a list again is not an action of the user's, so undo does not revert it.
    let isOfLists = ids?.allSatisfy { scheduler.machines[$0]?.spec.options.collection?.sync != nil }
    let action =
      isOfLists == true ? nil : decide { $0.openBinAction(for: control, at: clock.now()) }
    let report = ControlReport()
    var outcome: ControlOutcome
    if let ids {
      let all = await withMembers(ids)
      let results = await controlEach(control, all, into: action, reportTo: report)
      outcome = ControlOutcome(ids: ids, results: Array(results.prefix(ids.count)))
    } else {
      let all = await controlAll(control, into: action, report)
      outcome = ControlOutcome(ids: all, results: all.map { _ in .applied })
    }
    await startFailed(report.collections.subtracting(outcome.ids))
    if report.continued.transferCount > 0 { outcome.bin = report.continued }
    if control == .stop, let action { outcome.bin = await bytes(in: action) }
    return outcome
  }

  /// Removes transfers and their partial files for good. Returns when the files are gone.
  package func discard(_ ids: [TransferID]) async {
    _ = await controlEach(.remove(.stays), ids, into: nil, reportTo: ControlReport())
    await rest(of: ids)
  }

  /// Starts transfers from zero. What they had goes to the bin.
  package func startFresh(_ ids: [TransferID]) async -> ControlOutcome {
    var outcome = await perform(.stop, ids)
    let stopped = zip(ids, outcome.results).filter { $0.1 == .applied }.map(\.0)
    let started = await perform(.startFresh, stopped)
    let results = Dictionary(zip(started.ids, started.results)) { first, _ in first }
    outcome.results = zip(ids, outcome.results).map { id, result in results[id] ?? result }
    return outcome
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
    let report = ControlReport(keptFiles: [])
    guard let ids else {
      let removed = await controlAll(.remove(.goes), into: action, report)
      return (removed, removed.map { _ in .applied }, report.keptFiles ?? [])
    }
    let all = await withMembers(ids)
    let results = await controlEach(.remove(.goes), all, into: action, reportTo: report)
    return (ids, Array(results.prefix(ids.count)), report.keptFiles ?? [])
  }

  /// What the parts of a control on many transfers have in common.
  final class ControlReport {
    /// The finished files that a removal left. nil if nothing waits until the others are in the
    /// bin.
    fileprivate(set) var keptFiles: [KeptFile]?
    /// What was taken back from the bin.
    var continued = BinBytes()
    /// The collections of members that were started.
    fileprivate(set) var collections: Set<TransferID> = []

    init(keptFiles: [KeptFile]? = nil) { self.keptFiles = keptFiles }
  }

  func controlResident(
    _ control: TransferScheduler.Control, _ ids: [TransferID], into action: BinAction?,
    reportTo report: ControlReport
  ) async -> [TransferScheduler.ControlResult] {
    let continued = await bytesToContinue(control, ids)
    let now = clock.now()
    var (results, output) = decide {
      $0.control(control, ids, into: action, continuing: continued, at: now)
    }
    let finished = report.keptFiles == nil ? [] : output.takeDiscardedFiles()
    if let event = HistoryEvent(control) {
      for (id, result) in zip(ids, results) where result == .applied {
        live[id].observed.note(event, at: now.wall)
        if case .limited = event { live[id].observed.forgetSpeeds() }
      }
    }
    if control.startsTransfers {
      report.collections.formUnion(
        ids.compactMap { scheduler.machines[$0]?.spec.options.member?.collection })
    }
    await runDurably(output, at: now).value()
    if !finished.isEmpty {
      report.keptFiles? += await discard(finished, into: action?.number).kept
    }
    await finishContinuing(continued, report)
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
      case .remember, .takeOver, .startFresh: false
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

  /// Moves finished files to the bin. One that is gone already is neither discarded nor kept, and
  /// an object always stays: nothing could bring it back.
  private func discard(
    _ finished: [(TransferID, FinishedFile)], into binAction: Int64?
  ) async -> (discardedPaths: [String], kept: [KeptFile]) {
    await files.alone { files in
      files.moveTogether { moves in
        var outcome: (discardedPaths: [String], kept: [KeptFile]) = ([], [])
        for (id, file) in finished {
          if file.identity != nil && files.discard(file, of: id, into: binAction, by: moves) {
            outcome.discardedPaths.append(file.path)
          } else if file.object != nil || files.hasEntry(at: file.path) {
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
