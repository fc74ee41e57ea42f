import KettleModel

/// What is said of the result of a request.
extension Dashboard {
  /// Returns nil when the screen itself shows what happened. Names and paths may contain what looks
  /// like an action in braces, so keys are filled in before they are added.
  func said(
    of outcome: CommandOutcome, at now: Moment
  ) -> (text: String, kind: Notice.Kind)? {
    switch outcome {
    case .controlled(let verb, let appliedCount, let refused, let bin):
      let until = bin?.until.map { context(at: now).clock.long($0, now: now.wall) }
      let text = Strings.controlled(
        verb, appliedCount: appliedCount, refused: refused, bin, until: until)
      return text.map { (keymap.filled($0), .problem(if: !refused.isEmpty)) }
    case .added(let count, _):
      let isFirst =
        service.hasTotals && count > 0 && service.totals.transferCount <= count
      return (keymap.filled(isFirst ? Strings.firstAdded : Strings.added(count)), .plain)
    case .addFailed(let sentence), .failed(let sentence): return (sentence, .problem)
    case .relinked(let id, let hasLogin, let refused):
      let text = Strings.relinked(list.title(of: id), hasLogin: hasLogin, refused)
      return (text, .problem(if: !refused.isEmpty))
    case .openedPage(let page, let problem):
      return (Strings.openedPage(page, problem: problem), .problem(if: problem != nil))
    case .limited(let selection, let bytesPerSecond, let refused):
      let text = Strings.limited(
        limitedName(selection), bytesPerSecond: bytesPerSecond, refused)
      return (text, .problem(if: !refused.isEmpty))
    case .removed(let count, let keptPaths):
      let text = keymap.filled(Strings.removed(count)) + Strings.filesStay(keptPaths)
      return (text, .problem(if: !keptPaths.isEmpty))
    case .moved(let count): return count > 1 ? (Strings.moved(count), .plain) : nil
    case .detailsFailed, .binListed: return nil
    case .binEmptied: return (Strings.binEmptied, .plain)
    case .prioritized(let priority, let appliedCount):
      return (Strings.prioritized(priority, appliedCount), .plain)
    case .assigned(let queue, let appliedCount, let refused):
      let text = Strings.assigned(to: queue, count: appliedCount, refused: refused)
      return (text, .problem(if: !refused.isEmpty))
    case .configured(let setting, let notices):
      let problem = notices.first.map { $0.sanitizedForDisplay(limit: 300) }
      return (problem ?? Strings.configured(setting), .problem(if: problem != nil))
    case .cleared(let count): return (keymap.filled(Strings.cleared(count)), .plain)
    case .reset(let deletedCount, _):
      let text = Strings.resetDone(deletedCount: deletedCount) + Strings.undoHint
      return (keymap.filled(text), .plain)
    case .undone(let undone):
      return (keymap.filled(Strings.undone(undone)), .problem(if: !undone.isDone))
    }
  }

  /// What a limit applies to.
  private func limitedName(_ selection: TransferSelection) -> String {
    switch selection {
    case .all: Strings.allDownloads
    case .ids(let ids) where ids.count == 1:
      ids.first.map { list.title(of: $0) } ?? Strings.theDownload
    case .ids(let ids): Strings.eachOf(ids.count)
    case .matching: Strings.eachMarked
    }
  }
}

extension Notice.Kind {
  fileprivate static func problem(if isProblem: Bool) -> Self { isProblem ? .problem : .plain }
}

/// The sentences.
extension Strings {
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

  static func openedPage(_ page: TransferURL, problem: String?) -> String {
    let shown = page.text.sanitizedForDisplay(limit: 300)
    guard let problem else { return "Opening " + shown }
    return problem + ", so its address is in the clipboard: " + shown
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
    case .busy: "its file is being placed, or its state does not permit it"
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
