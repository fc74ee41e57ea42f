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
  static let nothingToPause = "nothing is downloading"
  static let nothingToStop = "there is nothing to stop"
  static let notFromHistory = "this is the history; {history} goes back to the downloads"
  static let resetIsForAll = "a reset is for the whole list; {clear} ends the filter first"
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
  static func noRoom(for box: ListBox?) -> String {
    switch box {
    case .speed, nil: "the graph needs 100 columns and 28 rows"
    case .hosts: "the hosts need 120 columns and 28 rows"
    }
  }
  static let paneIsClosed = "the pane is closed; {pane} opens it"
  static let nothingChanged = "nothing changed"

  /// - Parameter help: The text of `noMeaning(in:)`.
  static func noMeaning(_ key: Key, _ help: String) -> String {
    "There is nothing on \(key.name) here; " + help
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
    case .choice: "{choose-file} chooses, {start-chosen} starts"
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

  static func whyNotStartFresh(_ state: TransferState) -> String? {
    switch state {
    case .idle, .paused, .scheduled, .failed, .waiting, .queued, .running: nil
    case .verifying: "it is being verified"
    case .completed: alreadyFinished
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
    case .completed: "it is already finished; {remove} removes it"
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

  static func shownName(_ title: String) -> String {
    "\"" + title.sanitizedForDisplay(limit: 60) + "\""
  }

  static let theDownload = "The download"
  static let allDownloads = "All downloads"
  static let eachMarked = "Each marked download"
  static func eachOf(_ count: Int) -> String { "Each of \(CountText.text(count)) downloads" }

  static func relinked(
    _ title: String, hasLogin: Bool, _ refused: [ControlRefusal]
  ) -> String {
    if let first = refused.first { return why(first.why) }
    return (hasLogin ? "Trying again with the login: " : "Resuming with the new link: ") + title
  }

  static func limited(
    _ name: String, bytesPerSecond: Int64?, _ refused: [ControlRefusal]
  ) -> String {
    if let first = refused.first { return why(first.why) }
    return name + ": " + (bytesPerSecond.map { "at most " + ByteText.limit($0) } ?? "no limit")
  }

  /// Returns nil when the row itself shows what happened.
  ///
  /// - Parameter until: when the bytes in the bin are deleted.
  static func controlled(
    _ verb: ControlVerb, appliedCount: Int, refused: [ControlRefusal], _ bin: BinBytes? = nil,
    until: String? = nil
  ) -> String? {
    if let first = refused.first {
      let reason = why(first.why)
      return refused.count == 1
        ? reason : "\(refused.count) of \(refused.count + appliedCount) not: " + reason
    }
    let many = appliedCount == 1 ? "" : " " + downloads(appliedCount)
    let size = ByteText.size(bin?.byteCount ?? 0)
    switch verb {
    case .start:
      if let bin {
        return appliedCount == 1
          ? "Continues from " + size
          : "Started\(many); \(CountText.text(bin.transferCount)) continue from \(size)"
      }
      return appliedCount == 1 ? nil : "Started" + many + undoHint
    case .startFresh:
      let old = until.map { "; the old \(size) are in the bin until \($0)" } ?? ""
      return "Started\(many) from the beginning" + ((bin?.byteCount ?? 0) > 0 ? old : "")
    case .pause: return appliedCount == 1 ? nil : "Paused" + many + undoHint
    case .accept: return appliedCount == 1 ? "accepted" : transfers(appliedCount) + " accepted"
    case .remember: return "remembered for the host; kettle hosts forget removes it"
    case .verify:
      return appliedCount == 1
        ? "Comparing the file with what was downloaded"
        : "Comparing the files of" + many + " with what was downloaded"
    case .repair: return "Fetching the damaged parts again" + (many.isEmpty ? "" : " of" + many)
    case .remove, .removeWithFile: return removed(appliedCount)
    case .stop:
      guard appliedCount > 0 else { return "Nothing to stop" }
      let kept = until.map { "; \(size) kept until \($0)" } ?? ""
      return "Stopped" + many + ((bin?.byteCount ?? 0) > 0 ? kept : "") + undoHint
    }
  }

  private static func why(_ why: ControlRefusal.Why) -> String {
    switch why {
    case .unknown: "it is no longer in the list"
    case .completed: "it is already finished"
    case .notStarted: "it is not started"
    case .nothingToDecide: "it does not ask for a decision"
    case .noFinishedFile: "it has no finished file"
    }
  }

  static func added(_ count: Int) -> String { transfers(count) + " added" }

  /// Said instead when there was nothing on the list.
  static let firstAdded = "Added. Downloads go on when you leave with {leave}"

  static let undoHint = " ({undo}: undo)"

  static func removed(_ count: Int) -> String {
    "Removed " + downloads(count) + (count == 0 ? "" : undoHint)
  }

  /// Follows a removal that was to take its files along.
  static func filesStay(_ paths: [String]) -> String {
    guard let first = paths.first else { return "" }
    return paths.count == 1
      ? "; \"\(first.sanitizedForDisplay())\" stays, it is not as Kettle wrote it"
      : "; \(paths.count) files stay, they are not as Kettle wrote them"
  }

  static func undone(_ undone: UndoOutcome) -> String {
    guard let kind = undone.kind else { return "Nothing to undo" }
    guard undone.isDone else {
      if undone.busyCount > 0 { return alreadyRestarted(undone) }
      if kind == .limitAll { return "The limit was changed since, so it stays" }
      return undone.changedCount == 0
        ? "Nothing was left to bring back"
        : downloads(undone.changedCount) + " changed since, so nothing was undone"
    }
    let restarted = undone.busyCount == 0 ? "" : "; \(undone.busyCount) already restarted"
    let changed = undone.changedCount == 0 ? "" : "; \(undone.changedCount) changed since and stay"
    return self.undone(kind, count: undone.restoredCount) + restarted + changed
  }

  private static func alreadyRestarted(_ undone: UndoOutcome) -> String {
    let bytes =
      undone.busyByteCount > 0 ? "the old " + ByteText.size(undone.busyByteCount) : "the old state"
    return "Already restarted. {stop}, then {bin}, brings back " + bytes
  }

  /// What an undo did.
  package static func undone(_ kind: BinAction.Kind, count: Int) -> String {
    switch kind {
    case .stop: "Brought back " + downloads(count, "stopped ")
    case .remove, .removeWithFile: "Brought back " + downloads(count)
    case .reset: "Brought back " + downloads(count) + " as before the reset"
    case .clear: "Showing " + downloads(count, "finished ") + " again"
    case .start: "Paused " + downloads(count) + " again, with every byte"
    case .pause: "Resumed " + downloads(count)
    case .limit: "Restored the speed limit of " + downloads(count)
    case .limitAll: "Restored the speed limit for everything"
    case .prioritize: "Restored the priority of " + downloads(count)
    case .move: "Restored the order"
    }
  }

  static func loginRefused(_ row: TransferSnapshot) -> String {
    String(row.host).sanitizedForDisplay(limit: 60) + " refuses that login for "
      + row.shownTitle.sanitizedForDisplay(limit: 60) + "; press {new-link} to log in again"
  }

  static func configured(_ setting: ConfiguredKey) -> String {
    if setting.mayBeSecret { return "Set \(setting.key)".sanitizedForDisplay(limit: 200) }
    let value = setting.words.joined(separator: " ")
    return "Set \(setting.key) to \(value)".sanitizedForDisplay(limit: 200)
  }

  static func cleared(_ count: Int) -> String {
    count == 0
      ? "all finished transfers are already cleared; {history} shows them"
      : transfers(count) + " cleared from view; {history} shows \(count == 1 ? "it" : "them")"
        + undoHint
  }

  static func prioritized(_ priority: TransferPriority, _ count: Int) -> String {
    (count == 1 ? "Priority: " : "Priority of \(CountText.text(count)) downloads: ")
      + PriorityText.text(priority)
  }

  static func moved(_ count: Int) -> String { "Moved \(CountText.text(count)) downloads" }

  static func moved(to place: Int, of count: Int) -> String {
    "Moved to place \(CountText.text(place)) of \(CountText.text(max(place, count)))"
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

extension UndoOutcome {
  /// Whether anything is as before.
  var isDone: Bool { restoredCount > 0 || kind == .limitAll && changedCount == 0 }
}
