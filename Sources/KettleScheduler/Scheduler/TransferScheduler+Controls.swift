import KettleModel

/// User controls.
extension TransferScheduler {
  package enum Control: Sendable, Hashable {
    case start, pause, stop
    /// Starts a transfer that was stopped, without the bytes that it had.
    case startFresh
    /// Takes what arrived in place of the file, or trusts the server.
    case accept
    /// Applies the login and the trusted servers of the transfer to all from the same hosts.
    case remember
    case remove(TransferMachine.FileFate)
    case reset
    /// A fresh link for the same file, with the login that it contained, and the request of the
    /// browser that brought it.
    case relink(TransferURL, Login?, broughtBy: TransferSpec? = nil)
    /// What the user now asks for, of a transfer that stands still and goes on doing so.
    case change(TransferSpec)
    /// Bytes per second; nil means no limit.
    case limit(Int64?)
    case prioritize(TransferPriority)
    /// What a new request for the same file asks; starts a transfer that stands still. A finished
    /// file has the new checksum.
    case takeOver(RequestDifference)
    /// For tasks only, requested by their program.
    case cancel(keepsBytes: Bool)
  }

  package enum ControlResult: Sendable, Hashable {
    case applied
    case refused(ControlRefusal.Why)

    init(_ transition: Transition?) {
      self = transition?.refusal.map(Self.refused) ?? .applied
    }
  }

  /// Applies a control.
  ///
  /// - Parameters:
  ///   - action: the action that undo reverts. Its bin takes what the control discards; nil deletes
  ///     it.
  ///   - continued: what is taken back from the bin, for transfers that `canContinue` permits.
  package mutating func control(
    _ control: Control, _ transfers: [TransferID], into action: BinAction? = nil,
    continuing continued: [TransferID: BinEntry] = [:], at now: Moment
  ) -> ([ControlResult], SchedulerOutput) {
    var output = SchedulerOutput()
    var results: [ControlResult] = []
    for id in transfers {
      guard let machine = machines[id], control.isMeant(for: machine) else {
        results.append(.refused(.unknown))
        continue
      }
      if machine.isFinalTask, control.wouldRevive {
        results.append(.refused(.completed))
        continue
      }
      if control == .remember {
        results.append(remember(decisionsFor: id, &output, at: now))
        continue
      }
      let operation = ids.nextOperation()
      if control.triesLoginAgain { forgetRejectedLogin(of: id) }
      if control == .start, let waiting = machine.state.waiting, waiting.reason == .retryAfter {
        hosts.reopen(machine.spec.url.origin)
        if let origin = waiting.failure.origin { hosts.reopen(origin) }
      }
      let bytes = continued[id].flatMap { canContinue($0) ? $0 : nil }
      let transition = update(id, into: &output) { machine in
        defer { machine.recordStart(at: now.wall) }
        if let action, action.kind.isStored, !machine.isTask {
          machine.discardFiles(into: action.number)
        }
        if let bytes = bytes?.record.resumeData { machine.inherit(bytes) }
        return machine.apply(control, operation, at: now)
      }
      if let bytes { output.changes.append(.bin(.removeEntries([id], action: bytes.action))) }
      if let action { note(control, on: machine, in: action, &output) }
      if control == .start, machines[id]?.visibleState == .queued {
        probeNow(
          machine.state.waiting?.peer ?? .host(machine.spec.url.origin), by: id, at: now)
      }
      results.append(ControlResult(transition))
    }
    fillSlots(&output, at: now)
    return (results, output)
  }

  /// Sets the proxy on the way to each origin, by its host and port; nil without proxies.
  package mutating func setProxies(_ proxy: (@Sendable (Origin) -> String?)?) {
    environment.proxy = proxy
  }

  /// Sets what the user's configuration decides for new transfers, and for those whose response
  /// arrives from now on.
  package mutating func setRules(_ rules: TransferRules) { environment.transferRules = rules }

  /// Returns new transfers with what the user's configuration decides for them.
  package func completed(_ specs: [TransferSpec]) -> [TransferSpec] {
    specs.map(environment.transferRules.completed)
  }

  /// Ends running transfers so that they continue after the next start.
  package mutating func shutDown(at now: Moment) -> SchedulerOutput {
    phase = .shuttingDown
    var output = SchedulerOutput()
    for id in machines.keys.sorted() where machines[id]?.occupiesSlot == true {
      update(id, into: &output) { $0.suspend() }
    }
    // An upload is stopped at once, and continues after the next start.
    for id in queue.running where machines[id]?.isBeingStored == true { queue.release(id) }
    return output
  }
}

extension TransferMachine {
  fileprivate mutating func apply(
    _ control: TransferScheduler.Control, _ operation: OperationID, at now: Moment
  ) -> Transition {
    switch control {
    case .start: start(at: now)
    case .startFresh: start(at: now, fresh: .asked)
    case .pause: pause()
    case .accept: accept(operation)
    case .remember: .none
    case .stop: stop(operation)
    case .remove(let fate): remove(file: fate, operation, at: now)
    case .reset: reset(operation)
    case .relink(let url, let login, let request):
      relink(to: url, login: login, broughtBy: request, at: now)
    case .change(let spec): change(to: spec)
    case .limit(let limit): self.limit(toBytesPerSecond: limit)
    case .prioritize(let priority): prioritize(priority)
    case .takeOver(let difference): takeOver(difference, at: now)
    case .cancel(let keepsBytes): cancel(keepsBytes: keepsBytes, operation, at: now)
    }
  }
}

extension TransferScheduler.Control {
  fileprivate func isMeant(for machine: TransferMachine) -> Bool {
    switch self {
    case .cancel: machine.isTask
    case .remember, .change, .takeOver: !machine.isTask
    case .start, .startFresh, .pause, .stop, .accept, .remove, .reset, .relink, .limit,
      .prioritize:
      true
    }
  }

  /// A program is notified of its task's end exactly once; only removal may follow.
  fileprivate var wouldRevive: Bool {
    switch self {
    case .start, .startFresh, .stop, .reset, .relink: true
    case .pause, .accept, .remember, .remove, .change, .limit, .prioritize, .takeOver, .cancel:
      false
    }
  }

  /// Whether transfers that have ended are started again.
  package var startsTransfers: Bool {
    switch self {
    case .start, .startFresh, .relink: true
    case .takeOver(let difference): difference.needsNewRequests
    case .pause, .stop, .accept, .remember, .remove, .reset, .change, .limit, .prioritize, .cancel:
      false
    }
  }

  /// Whether the user wants a login tried that the host has rejected.
  fileprivate var triesLoginAgain: Bool {
    switch self {
    case .start, .startFresh: true
    case .takeOver(let difference): difference.needsNewRequests
    case .pause, .stop, .accept, .remember, .remove, .reset, .relink, .change, .limit, .prioritize,
      .cancel:
      false
    }
  }
}

/// The order of the list, which the queue follows, and which transfers were cleared from view.
extension TransferScheduler {
  /// Moves transfers, whatever their state; they keep their order among each other. Writes only the
  /// moved transfers and those that make room.
  ///
  /// The moved transfers and their neighbours in that direction must be in memory.
  package mutating func move(
    _ moving: [TransferID], _ move: QueueMove, at now: Moment
  ) -> ([ControlResult], SchedulerOutput) {
    var output = SchedulerOutput()
    let known = Set(moving).compactMap { machines[$0].map { QueuePosition($0) } }
    let positions = order.move(known, move) { [machines] id in
      machines[id].map { RowGroup($0.visibleState, nil) == .next } ?? false
    }
    let places = positions.compactMap { id, position in
      machines[id].map { ControlLog.Place(id: id, before: $0.queuePosition, after: position) }
    }
    if !places.isEmpty { controlLog.append(bin.open(.move, at: now.wall), .order(places)) }
    apply(positions, into: &output)
    fillSlots(&output, at: now)
    return (moving.map { machines[$0] == nil ? .refused(.unknown) : .applied }, output)
  }

  /// Gives transfers each other's positions, so that they follow one another in this order. They
  /// must be in memory; others are left out.
  package mutating func arrange(_ ids: [TransferID], at now: Moment) -> SchedulerOutput {
    var output = SchedulerOutput()
    apply(order.arrange(ids.compactMap { machines[$0].map { QueuePosition($0) } }), into: &output)
    fillSlots(&output, at: now)
    return output
  }

  private mutating func apply(_ positions: [TransferID: Int64], into output: inout SchedulerOutput)
  {
    for (id, position) in positions.sorted(by: { $0.key < $1.key }) {
      update(id, into: &output) {
        $0.move(to: position)
        return .none
      }
    }
  }

  /// Changes the limits for all transfers together. Running ones go on.
  package mutating func setLimits(
    _ limits: TransferQueue.Limits, at now: Moment
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    queue.limits = limits
    fillSlots(&output, at: now)
    return output
  }

  // MARK: Finished files

  /// Records how the finished file of a transfer compares with what is known of it.
  package mutating func recordCheck(_ check: FileCheck, of id: TransferID) -> SchedulerOutput {
    var output = SchedulerOutput()
    update(id, into: &output) { $0.recordCheck(check) }
    return output
  }

  /// Gives a transfer that repairs a file the partial file for the bytes that it is to fetch.
  package mutating func prepareRepair(
    _ id: TransferID, with resumeData: ResumeData
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    update(id, into: &output) { $0.prepareRepair(with: resumeData) }
    return output
  }

  // MARK: Cleared from view

  package func isCleared(_ record: TransferRecord) -> Bool { finished.isCleared(record) }

  /// Clears all completed transfers from view.
  ///
  /// - Returns: how many were in view.
  package mutating func clearFinished(at now: Moment) -> (count: Int, SchedulerOutput) {
    var output = SchedulerOutput()
    let loadedCount = machines.values.count {
      $0.visibleState == .completed && !isCleared($0.record)
    }
    let count = loadedCount + evicted.completedInViewCount
    if count > 0 {
      var action = bin.open(.clear, at: now.wall)
      action.clearedBefore = finished.clearedUpTo
      if let change = bin.note(action) { output.changes.append(change) }
      output.changes.append(finished.clear())
      evicted.clearCompleted()
    }
    return (count, output)
  }
}

extension TransferFailure {
  /// The host of the URL that failed; nil when the subject is none.
  fileprivate var origin: Origin? {
    guard case .success(let parsed) = TransferURL.parse(subject) else { return nil }
    return parsed.url.origin
  }
}
