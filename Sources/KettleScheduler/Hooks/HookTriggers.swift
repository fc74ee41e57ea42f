import KettleModel

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
