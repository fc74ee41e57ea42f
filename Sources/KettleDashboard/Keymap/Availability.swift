import KettleModel

/// Whether a command has an effect in the current state.
package enum Availability: Hashable, Sendable {
  case possible
  /// Includes the reason that is shown when the user presses the key.
  case impossible(String)

  package var isPossible: Bool {
    switch self {
    case .possible: true
    case .impossible: false
    }
  }

  init(unless reason: String?) {
    self = reason.map { .impossible($0) } ?? .possible
  }
}

extension DashboardModel {
  package func availability(of command: DashboardCommand) -> Availability {
    switch command {
    case .copyOrOpen(let command): return availability(of: command)
    case .details(let command):
      guard case .details(let open) = screens.last else { return .impossible(Strings.noSections) }
      return Availability(
        unless: command == .section(open.section) ? Strings.sectionIsShown : nil)
    case .edit(.nextField), .edit(.previousField):
      guard case .entry(let dialog) = screens.last else { return .possible }
      return Availability(unless: dialog.scopes.count > 1 ? nil : Strings.nothingElse)
    case .row(let command):
      guard link.isConnected else { return .impossible(Strings.needsService) }
      return availability(of: command)
    case .mark(let command): return availability(of: command)
    case .view(let command): return availability(of: command)
    case .queue(let command): return availability(of: command)
    case .all(let command):
      guard link.isConnected else { return .impossible(Strings.needsService) }
      return availabilityForAll(command)
    case .addNow, .acceptEntry, .confirm:
      return link.isConnected ? .possible : .impossible(Strings.needsService)
    case .move(let movement):
      return availability(of: movement)
    case .edit, .add, .acceptQuery, .choose, .back, .cancel, .help, .redraw, .suspend, .leave:
      return .possible
    }
  }

  /// With marks: possible when at least one of the marked rows that were sent allows it.
  private func availability(of command: RowCommand) -> Availability {
    // A limit can also apply to all transfers together.
    if command == .limit { return .possible }
    if marks.isEmpty || command == .details {
      guard let row = cursorRow else {
        return .impossible(rowCount == 0 ? emptyReason : Strings.rowNotThereYet)
      }
      return Self.availability(of: command, on: row)
    }
    if command == .relink, markedCount > 1 { return .impossible(Strings.linkIsForOne) }
    let rows = selectedRows
    var reasons: Set<String> = []
    for row in rows {
      switch Self.availability(of: command, on: row) {
      case .possible: return .possible
      case .impossible(let reason): reasons.insert(reason)
      }
    }
    if rows.isEmpty, command.needsRow { return .impossible(Strings.markedRowOutOfSight) }
    // Rows that have not been sent may allow it; the service reports each transfer that does not.
    guard rows.count >= markedCount else { return .possible }
    if markedCount == 1, let reason = reasons.first { return .impossible(reason) }
    return .impossible(
      Strings.noneOfMarked(markedCount, because: reasons.count == 1 ? reasons.first : nil))
  }

  /// Whether `p` resumes: all known transfers of the selection are paused or completed.
  var pauseMeansStart: Bool {
    let rows = selectedRows
    return !rows.isEmpty && rows.allSatisfy { $0.state == .paused || $0.state == .completed }
      && rows.contains { $0.state == .paused }
  }

  private static func availability(
    of command: RowCommand, on row: TransferSnapshot
  ) -> Availability {
    switch command {
    case .start: Availability(unless: Strings.whyNotStart(row.state))
    case .pause: Availability(unless: Strings.whyNotPause(row.state))
    case .stop: Availability(unless: Strings.whyNotStop(row.state))
    case .removeWithFile:
      Availability(unless: row.state == .completed ? nil : Strings.noFinishedFile)
    case .relink: Availability(unless: Strings.whyNotRelink(row.state))
    case .remove, .details, .limit: .possible
    }
  }

  private func availabilityForAll(_ command: AllCommand) -> Availability {
    let count = totals.transferCount
    guard count > 0 else { return .impossible(Strings.listIsEmpty) }
    let unfinished = count - totals.count(.completed)
    switch command {
    case .start:
      let busy = totals.count(.running) + totals.count(.queued) + totals.count(.verifying)
      return Availability(unless: unfinished > busy ? nil : Strings.nothingToStart)
    case .pause:
      let still = totals.count(.paused) + totals.count(.idle) + totals.count(.failed)
      return Availability(unless: unfinished > still ? nil : Strings.nothingToPause)
    case .stop:
      return Availability(unless: unfinished > totals.count(.idle) ? nil : Strings.nothingToStop)
    case .reset: return .possible
    }
  }

  private func availability(of movement: Movement) -> Availability {
    if keyContext == .reader { return availabilityOfScroll(movement) }
    guard screens.isEmpty else { return .possible }
    if isAwaitingList {
      return Availability(unless: isMovePending(to: movement) ? Strings.rowNotThereYet : nil)
    }
    guard rowCount > 0 else { return .impossible(emptyReason) }
    switch movement {
    case .up, .pageUp, .home:
      guard cursor <= cursorRange.lowerBound else { return .possible }
      return .impossible(cursor > 0 ? Strings.frozenEdge : Strings.atFirstRow)
    case .down, .pageDown, .end:
      guard cursor >= cursorRange.upperBound - 1 else { return .possible }
      return .impossible(cursor < rowCount - 1 ? Strings.frozenEdge : Strings.atLastRow)
    }
  }

  private func availabilityOfScroll(_ movement: Movement) -> Availability {
    // Only the number of lines matters, and it does not depend on the time.
    let anyTime = Moment(
      monotonic: MonotonicTime(milliseconds: 0), wall: WallTime(millisecondsSince1970: 0))
    let last = lastScroll(at: anyTime)
    switch movement {
    case .up, .pageUp, .home:
      return Availability(unless: scroll > 0 ? nil : Strings.atBeginning)
    case .down, .pageDown, .end:
      return Availability(unless: scroll < last ? nil : Strings.atEnd)
    }
  }
}
