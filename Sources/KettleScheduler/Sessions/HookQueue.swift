import KettleModel

/// Decides when pending hooks are started, and when one that takes too long is ended.
///
/// A run is recorded as started before its program is, so a run is never started twice. What is
/// pending when the service ends is started by the next one; what was running is interrupted.
package struct HookQueue: Sendable {
  package struct Limits: Sendable, Hashable {
    package var runningMax = 4
    package var timeLimitSeconds = 300

    package init() {}
  }

  package enum Action: Sendable, Hashable {
    /// Record that the run has started, and call `recorded`.
    case recordStart(HookRunID)
    /// Start the program, and call `ended` or `notStarted`.
    case start(HookRunID)
    /// Ask the processes of the run to end.
    case terminate(HookRunID)
    /// End the processes of the run.
    case kill(HookRunID)
    case recordEnd(HookRunID, HookOutcome, lastLine: String?)
  }

  /// How long a program that was asked to end has before it is ended.
  package static let graceMilliseconds: Int64 = 10_000
  /// The pause after the store could not be written.
  package static let pauseMilliseconds: Int64 = 60_000

  private enum Stage: Hashable {
    /// Its start is being recorded.
    case recording
    case running(until: MonotonicTime, limitSeconds: Int)
    case terminating(killAt: MonotonicTime, limitSeconds: Int)
    case killed(limitSeconds: Int)
  }

  private enum Phase: Hashable {
    case open
    /// The store could not be written; nothing is started before this time.
    case pausing(until: MonotonicTime)
    /// The service is ending.
    case closed
  }

  private var limits: Limits
  /// In the order of their events, from `first`; those before it are over.
  private var pending: [HookRunID] = []
  private var first = 0
  private var stages: [HookRunID: Stage] = [:]
  private var phase = Phase.open

  package init(_ limits: Limits = Limits()) { self.limits = limits }

  /// The time at which `timePassed` must be called; nil when time changes nothing.
  package var nextWakeUp: MonotonicTime? {
    var times: [MonotonicTime] = []
    if case .pausing(let until) = phase { times.append(until) }
    for stage in stages.values {
      switch stage {
      case .running(let time, _), .terminating(let time, _): times.append(time)
      case .recording, .killed: break
      }
    }
    return times.min()
  }

  // MARK: Input

  /// Takes what the previous service left: `started` are the runs whose programs it had started.
  package mutating func recover(pending ids: [HookRunID], started: [HookRunID]) -> [Action] {
    started.map { .recordEnd($0, .interrupted, lastLine: nil) } + add(ids)
  }

  /// Takes new runs, which are in the store.
  package mutating func add(_ ids: [HookRunID]) -> [Action] {
    pending += ids
    return startNext()
  }

  /// Changes the limits for programs that are started from now on.
  package mutating func setLimits(_ limits: Limits) -> [Action] {
    self.limits = limits
    return startNext()
  }

  /// The start is recorded, or cannot be.
  package mutating func recorded(
    _ id: HookRunID, isKept: Bool, at now: MonotonicTime
  ) -> [Action] {
    guard stages[id] == .recording else { return [] }
    if isKept {
      let seconds = limits.timeLimitSeconds
      stages[id] = .running(
        until: now.advanced(byMilliseconds: Int64(seconds) * 1000), limitSeconds: seconds)
      return [.start(id)]
    }
    stages[id] = nil
    putBack(id)
    if phase != .closed {
      phase = .pausing(until: now.advanced(byMilliseconds: Self.pauseMilliseconds))
    }
    return []
  }

  /// The store no longer has the run.
  package mutating func isGone(_ id: HookRunID) -> [Action] {
    stages[id] = nil
    return startNext()
  }

  package mutating func notStarted(_ id: HookRunID, errno name: String) -> [Action] {
    end(id, .notStarted(errno: name), lastLine: nil)
  }

  /// The program ended.
  ///
  /// - Parameter outcome: `exited` or `killed`.
  package mutating func ended(
    _ id: HookRunID, _ outcome: HookOutcome, lastLine: String?
  ) -> [Action] {
    switch stages[id] {
    case .running: end(id, outcome, lastLine: lastLine)
    case .terminating(_, let seconds), .killed(let seconds):
      end(id, .timedOut(seconds: seconds), lastLine: lastLine)
    case .recording, nil: []
    }
  }

  package mutating func timePassed(at now: MonotonicTime) -> [Action] {
    var actions: [Action] = []
    for (id, stage) in stages.sorted(by: { $0.key < $1.key }) {
      switch stage {
      case .running(let until, let seconds) where until <= now:
        let killAt = now.advanced(byMilliseconds: Self.graceMilliseconds)
        stages[id] = .terminating(killAt: killAt, limitSeconds: seconds)
        actions.append(.terminate(id))
      case .terminating(let killAt, let seconds) where killAt <= now:
        stages[id] = .killed(limitSeconds: seconds)
        actions.append(.kill(id))
      case .recording, .running, .terminating, .killed: break
      }
    }
    if case .pausing(let until) = phase, until <= now { phase = .open }
    return actions + startNext()
  }

  /// Starts nothing more. What runs goes on without the service.
  package mutating func close() { phase = .closed }

  // MARK: Bookkeeping

  private mutating func startNext() -> [Action] {
    guard phase == .open else { return [] }
    var actions: [Action] = []
    while stages.count < limits.runningMax, pending.indices.contains(first) {
      let id = pending[first]
      first += 1
      stages[id] = .recording
      actions.append(.recordStart(id))
    }
    if first > 1024, first > pending.count / 2 {
      pending.removeFirst(first)
      first = 0
    }
    return actions
  }

  private mutating func putBack(_ id: HookRunID) {
    pending.removeFirst(first)
    first = 0
    // The order of the events, whichever record failed first.
    let index = pending.firstIndex { $0 > id } ?? pending.count
    pending.insert(id, at: index)
  }

  private mutating func end(
    _ id: HookRunID, _ outcome: HookOutcome, lastLine: String?
  ) -> [Action] {
    guard stages.removeValue(forKey: id) != nil else { return [] }
    return [.recordEnd(id, outcome, lastLine: lastLine)] + startNext()
  }
}

/// Which programs are started for which events.
package struct HookRules: Sendable, Hashable {
  package var commands: [HookEvent: HookCommand] = [:]
  /// Whether they are also started for transfers that a client of aria2's RPC added.
  package var appliesToRPC = false

  package init() {}
}

/// A hook that an event has made due.
package struct HookDue: Sendable, Hashable {
  package enum Subject: Sendable, Hashable {
    case transfer(TransferID)
    case allDone(HookTally)
  }

  package var event: HookEvent
  package var source = HookSource.settings
  package var subject: Subject
  package var command: HookCommand
}

/// Finds the events of hooks in the changes of transfers.
///
/// Tasks of programs have no hooks, because their program is launched instead.
struct HookTriggers: Sendable {
  var rules = HookRules()
  /// What ended since the last `allDone`.
  private var tally = HookTally()
  private var work = Work.goesOn

  private enum Work: Sendable {
    case goesOn
    /// A transfer has ended, perhaps the last one.
    case mayBeDone
  }

  /// Returns the hooks that a change makes due.
  mutating func changed(_ machine: TransferMachine, from before: TransferMachine) -> [HookDue] {
    let (old, new) = (before.workStage, machine.workStage)
    // What undo restores was idle.
    guard old != new, !machine.isTask, before.visibleState != .idle,
      let event = Self.event(from: old, to: new)
    else { return [] }
    work = .mayBeDone
    let spec = machine.spec
    // The end of a collection is an event, not that of each of its files.
    if spec.options.member != nil, event != .needsUser { return [] }
    guard rules.appliesToRPC || spec.options.rpc == nil else { return [] }
    count(event)
    let subject = HookDue.Subject.transfer(machine.id)
    var due: [HookDue] = []
    if event == .completed, let command = spec.options.then {
      due.append(HookDue(event: event, source: .transfer, subject: subject, command: command))
    }
    if let command = rules.commands[event] {
      due.append(HookDue(event: event, subject: subject, command: command))
    }
    return due
  }

  private static func event(from old: WorkStage, to new: WorkStage) -> HookEvent? {
    switch new {
    case .completed: .completed
    case .failed: .failed
    case .needsUser: old == .underWay ? .needsUser : nil
    case .underWay, .inactive: nil
    }
  }

  private mutating func count(_ event: HookEvent) {
    switch event {
    case .completed: tally.completed += 1
    case .failed: tally.failed += 1
    case .needsUser: tally.needsUser += 1
    case .allDone: break
    }
  }

  /// Returns the hook for the end of all transfers, if one has ended since the last call and
  /// `isUnderWay` says that none continues.
  mutating func allDone(unless isUnderWay: () -> Bool) -> HookDue? {
    guard work == .mayBeDone else { return nil }
    work = .goesOn
    // Without a hook nothing is looked through each time a transfer ends.
    guard let command = rules.commands[.allDone], tally != HookTally(), !isUnderWay() else {
      return nil
    }
    defer { tally = HookTally() }
    return HookDue(event: .allDone, subject: .allDone(tally), command: command)
  }
}

extension TransferScheduler {
  /// Changes which hooks are run from now on.
  package mutating func setHooks(_ rules: HookRules) { hooks.rules = rules }

  /// Adds the hook for the end of all transfers, if the output ended the last one of the list.
  /// Called with every output.
  package mutating func noteAllDone(_ output: inout SchedulerOutput) {
    let due = hooks.allDone {
      evicted.queuedCount > 0
        || machines.values.contains { !$0.isTask && $0.workStage == .underWay }
    }
    if let due { output.hooks.append(due) }
  }
}

extension TransferMachine {
  var workStage: WorkStage { WorkStage(visibleState, state.waiting?.reason) }
}
