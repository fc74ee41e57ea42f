import KettleModel

/// Reasons why a key does nothing, and messages about results.
extension Strings {
  static let footerResume = "resume"
  static let footerRetry = "retry"

  static func footerAnswer(_ need: UserNeed) -> String {
    switch need {
    case .link: "new link"
    case .login: "log in"
    case .decision: "decide"
    }
  }

  static let footerDeleteFile = "delete file"
  static let footerSection = "section"

  static let needsService = "not connected to the service; reconnecting"
  static let serviceIsSilent = "the service does not answer; \"kettle daemon status\" says more"
  static let serviceIsStopped = "the service was stopped; {start-service} starts it"
  static let serviceIsRunning = "the service is running"
  static let startingService = "starting the service…"
  static let listIsEmpty = "the list is empty; {add} adds transfers"
  static let rowNotThereYet = "this row has not loaded yet"
  static let noFinishedFile = "it has no finished file; {remove} removes it from the list"
  static let nothingToStart = "everything is already running or finished"
  static let nothingToPause = "nothing is under way"
  static let nothingToStop = "there is nothing to stop"
  static let isHeading = "this is the heading of a group; the keys apply to rows"
  static let listHasNoGroups = "the list has no groups; {sort-menu} g shows them"
  static let searchNeedsGroups = "the search looks into all groups; {clear} ends it"
  static let groupIsFolded = "the group is folded already"
  static let groupIsUnfolded = "the group is open already"
  static let atFirstRow = "this is the first row"
  static let atLastRow = "this is the last row"
  static let atBeginning = "this is the beginning"
  static let atEnd = "this is the end"
  static let noRoomForPane = "the pane needs 20 rows; {details} shows the details"
  static let paneIsClosed = "the pane is closed; {pane} opens it"
  static let nothingChanged = "nothing changed"

  /// - Parameter help: The text of `noMeaning(in:)`.
  static func noMeaning(_ key: Key, _ help: String) -> String {
    key.name + " does nothing here; " + help
  }

  static func noMeaning(in context: KeyContext) -> String {
    switch context {
    case .list, .reader: "{help} shows the keys"
    case .add: "{add-now} adds, {cancel} cancels"
    case .entry: "{accept} applies it, {cancel} cancels"
    case .question: "{yes} for yes; {no} for no"
    case .query: "{keep-query} keeps it, {cancel} cancels"
    case .command: "{run-command} runs it, {cancel} cancels"
    case .menu: "{choose} selects, {menu-cancel} closes"
    }
  }

  static func whyNotStart(_ state: TransferState) -> String? {
    switch state {
    case .idle, .paused, .scheduled, .failed, .waiting: nil
    case .queued: "it is already queued; it starts when a slot is free"
    case .running: "it is already running"
    case .verifying: "it is being verified"
    case .completed: "it is already finished"
    }
  }

  static func whyNotPause(_ state: TransferState) -> String? {
    switch state {
    case .running, .queued, .waiting, .scheduled, .verifying, .paused: nil
    case .idle: "it is not started; {start} starts it"
    case .failed: "it failed; {start} tries again"
    case .completed: "it is already finished"
    }
  }

  static func whyNotStop(_ state: TransferState) -> String? {
    switch state {
    case .running, .queued, .waiting, .scheduled, .verifying, .paused, .failed: nil
    case .idle: "it is not started"
    case .completed: "it is already finished; {reset} resets everything, {remove} removes it"
    }
  }

  static let alreadyFinished = "it is already finished"

  static func whyNotRelink(_ state: TransferState) -> String? {
    switch state {
    case .idle, .scheduled, .queued, .running, .waiting, .paused, .failed: nil
    case .verifying: "it is being verified"
    case .completed: alreadyFinished
    }
  }

  static func relinked(_ refused: [ControlRefusal]) -> String {
    refused.first.map { why($0.why) } ?? "resumed with the new link or login"
  }

  static func limited(_ bytesPerSecond: Int64?, _ refused: [ControlRefusal]) -> String {
    if let first = refused.first { return why(first.why) }
    return bytesPerSecond.map { "limited to " + ByteText.speed($0) } ?? "speed limit removed"
  }

  /// Returns nil when the row itself shows what happened.
  static func controlled(
    _ verb: ControlVerb, appliedCount: Int, refused: [ControlRefusal]
  ) -> String? {
    if let first = refused.first {
      let reason = why(first.why)
      return refused.count == 1
        ? reason : "\(refused.count) of \(refused.count + appliedCount) not: " + reason
    }
    let count = transfers(appliedCount)
    switch verb {
    case .start: return appliedCount == 1 ? nil : count + " started"
    case .pause: return appliedCount == 1 ? nil : count + " paused"
    case .accept: return appliedCount == 1 ? "accepted" : count + " accepted"
    case .remember: return "remembered for the host; kettle hosts forget removes it"
    case .remove, .removeWithFile: return removed(appliedCount)
    case .stop:
      return appliedCount == 0 ? count + " stopped" : count + " stopped" + undoHint
    }
  }

  private static func why(_ why: ControlRefusal.Why) -> String {
    switch why {
    case .unknown: "it is no longer in the list"
    case .completed: "it is already finished"
    case .notStarted: "it is not started"
    case .nothingToDecide: "it does not ask for a decision"
    }
  }

  static func added(_ count: Int) -> String { transfers(count) + " added" }

  static let undoHint = "; {undo} undoes it"

  static func removed(_ count: Int) -> String {
    transfers(count) + " removed" + (count == 0 ? "" : undoHint)
  }

  /// Follows a removal that was to take its files along.
  static func filesStay(_ paths: [String]) -> String {
    guard let first = paths.first else { return "" }
    return paths.count == 1
      ? "; \"\(first.sanitizedForDisplay())\" stays, it is not as Kettle wrote it"
      : "; \(paths.count) files stay, they are not as Kettle wrote them"
  }

  static func undone(_ undone: UndoOutcome) -> String {
    guard let kind = undone.kind else { return "there is nothing to undo" }
    guard undone.restoredCount > 0 else {
      return undone.busyCount == 0
        ? "nothing was left to restore"
        : transfers(undone.busyCount)
          + " started again; {stop} stops, then {bin} restores what was there before"
    }
    let what =
      switch kind {
      case .stop: "stop"
      case .remove, .removeWithFile: "removal"
      case .reset: "reset"
      case .clear: "clearing"
      }
    let others = undone.busyCount == 0 ? "" : ", not of \(undone.busyCount) that started again"
    return "undone: \(what) of " + transfers(undone.restoredCount) + others
  }

  static func cleared(_ count: Int) -> String {
    count == 0
      ? "all finished transfers are already cleared; {history} shows them"
      : transfers(count) + " cleared from view; {history} shows \(count == 1 ? "it" : "them"), "
        + "{undo} undoes it"
  }

  static func prioritized(_ priority: TransferPriority, _ count: Int) -> String {
    transfers(count) + ": \(PriorityText.text(priority)) priority"
  }

  static func assigned(
    to queue: QueueName, count: Int, refused: [ControlRefusal]
  ) -> String {
    if let first = refused.first { return why(first.why) }
    return transfers(count) + " moved to the queue \(queue.text)"
  }

  static func resetDone(deletedCount: Int) -> String {
    files(deletedCount) + " moved to the bin, all transfers reset"
  }

  static func resetKept(_ count: Int) -> String {
    files(count) + " kept: modified by other programs, or not deletable"
  }
}
