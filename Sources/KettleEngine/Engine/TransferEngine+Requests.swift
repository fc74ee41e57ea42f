import Dispatch
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
        live[id, default: begun(id)].note(event, at: now.wall)
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
    await withCheckedContinuation { done in
      namePool.asyncAlone { [files] in
        let outcome = files.moveTogether { moves in
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
        done.resume(returning: outcome)
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
    let done = Completion<Void>()
    restWaiters.append(RestWaiter(moving: moving, done: done))
    await done.value()
  }

  /// Called after every turn.
  func releaseRestWaiters() {
    guard !restWaiters.isEmpty else { return }
    for index in restWaiters.indices {
      restWaiters[index].moving = restWaiters[index].moving.filter {
        scheduler.machines[$0]?.isAtRest == false
      }
    }
    let rested = restWaiters.filter(\.moving.isEmpty)
    restWaiters.removeAll(where: \.moving.isEmpty)
    for waiter in rested { waiter.done.finish() }
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
    nextTick = nil
    setAlarm(at: clock.now())
  }

  // MARK: Snapshots

  func snapshot(of id: TransferID) -> TransferSnapshot? {
    guard let machine = scheduler.machines[id] else { return nil }
    var snapshot = rows.basicRow(of: machine.record)
    // This includes a pause, until its last bytes are recorded. A stop discards them.
    if machine.visibleState != .idle, let byteCount = bodies[id]?.fileByteCount {
      snapshot.bytesReceived = byteCount
    }
    // Before the file exists, no record has the length. A body that is being given up may never
    // have one.
    if machine.visibleState == .running, case .late(let late)? = bodies[id] {
      snapshot.bytesExpected = late.writer.totalByteCount
    }
    if machine.visibleState == .running, let byteCount = live[id]?.sentByteCount {
      snapshot.task?.sentByteCount = byteCount
    }
    if machine.spec.isUpload { snapshot.showUpload(of: machine.spec) }
    snapshot.heldBack?.since = live[id]?.standingSince
    if machine.visibleState == .running {
      snapshot.connections = machine.download?.activeCount ?? 0
      snapshot.bytesPerSecond = live[id]?.speed.bytesPerSecond ?? 0
      snapshot.heldBack = silence(of: machine) ?? judgement.heldBack(id)
      if let expected = snapshot.bytesExpected {
        let missing = max(0, expected - snapshot.bytesReceived)
        snapshot.secondsLeft = live[id]?.speed.secondsLeft(missing: missing)
      }
    }
    if !machine.spec.isUpload { snapshot.ridge = ridge(of: id, snapshot) }
    return snapshot
  }

  /// That nothing comes, since when, and when the request is repeated; nil while something comes or
  /// a limit is the reason. Of an upload only the response is awaited.
  private func silence(of machine: TransferMachine) -> HeldBack? {
    let now = clock.now()
    // What is being copied comes from the disk.
    if case .opening(let body)? = bodies[machine.id], body.copying.byteCount != nil { return nil }
    guard !machine.spec.isUpload,
      judgement.heldBack(machine.id).map({ $0.cause == .unknown }) ?? true,
      let silence = machine.download?.silence(at: now.monotonic)
    else { return nil }
    let milliseconds = now.monotonic.milliseconds(since: silence.since)
    // In whole seconds, so that the same silence makes the same row.
    let since = WallTime(
      millisecondsSince1970: (now.wall.millisecondsSince1970 - milliseconds) / 1000 * 1000)
    let patience = attempts[silence.attempt]?.patienceMilliseconds
    return HeldBack(
      .unknown, subject: silence.host, since: since,
      until: patience.map { since.advanced(byMilliseconds: $0) })
  }

  var rows: RowMaker { configuration.rows(clearedUpTo: scheduler.clearedUpTo) }
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
    for id in ids { live[id]?.speed = SpeedEstimator() }
    return await control(.limit(limit), ids)
  }

  /// Handles a change of the machine's network connectivity.
  package func networkChanged(_ state: NetworkState) {
    apply(.networkChanged(state))
  }
}

extension TransferSpec {
  var isUpload: Bool { task?.kind == .upload }
}

extension TransferSnapshot {
  /// Shows the progress of the request body instead of the response body, which is small where
  /// progress matters.
  mutating func showUpload(of spec: TransferSpec) {
    task?.replyByteCount = bytesReceived
    bytesExpected = spec.request?.bodyByteCount ?? spec.task?.expectedSendByteCount
    switch state {
    case .running, .verifying, .completed, .failed: bytesReceived = task?.sentByteCount ?? 0
    // An upload restarts at zero, unless its server has offered to continue it.
    case .idle, .scheduled, .queued, .waiting, .paused:
      bytesReceived = task?.uploadResumption == nil ? 0 : task?.sentByteCount ?? 0
    }
  }
}
