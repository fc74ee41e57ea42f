import KettleModel
import KettleScheduler

/// Hooks: programs of the user, which the service runs.
extension TransferEngine {
  /// Records the hooks that an output makes due in the commit of the changes that made them so.
  func recordHooks(in output: inout SchedulerOutput, at now: Moment) {
    scheduler.noteAllDone(&output)
    for due in output.hooks {
      guard let occasion = occasion(of: due) else { continue }
      lastHookRun += 1
      var run = HookRun(
        id: HookRunID(rawValue: lastHookRun), event: due.event, source: due.source,
        command: due.command, dueAt: now.wall)
      if case .transfer(let id) = due.subject { run.transfer = id }
      output.changes.append(.hook(.add(run, occasion)))
    }
  }

  private func occasion(of due: HookDue) -> HookOccasion? {
    switch due.subject {
    case .transfer(let id): snapshot(of: id).map { .transfer($0) }
    case .allDone(let tally): .allDone(tally)
    }
  }

  /// Changes which hooks are run from now on.
  package func setHooks(_ rules: HookRules) { scheduler.setHooks(rules) }

  /// Returns the last runs of a transfer's hooks, the oldest first; none if they cannot be read.
  package func hookRuns(of id: TransferID) async -> [HookRun] {
    (try? await read { try $0.hookRuns(of: id) }) ?? []
  }

  /// Returns an unfinished run and the data for its program; nil if there is none.
  package func hook(_ id: HookRunID) async throws -> (run: HookRun, occasion: HookOccasion)? {
    try await read { try $0.hook(id) }
  }
}
