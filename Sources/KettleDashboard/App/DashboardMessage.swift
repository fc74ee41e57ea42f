import KettleModel

/// Everything that can happen to the dashboard.
package enum DashboardMessage: Hashable, Sendable {
  case keyPressed(Key)
  case mouse(MouseEvent)
  /// The paste was longer than the limit and was discarded as a whole.
  case pasteRefused(characterCountMax: Int)
  case resized(ScreenSize)
  /// The current state of the subscribed rows.
  case rowsArrived(ListWindow, Totals)
  /// The reply to `DashboardEffect.find`; nil when nothing matches.
  case found(RowSearch, FoundRow?)
  /// The reply to `DashboardEffect.loadDetails`.
  case detailsArrived(TransferDetailsView)
  /// The reply to `DashboardEffect.loadHosts`.
  case hostsArrived([HostSnapshot])
  /// The reply to `DashboardEffect.findDuplicates`: one transfer for each URL that is in the list.
  case duplicatesFound([String: DuplicateSearch.Found])
  /// The base directories for paths; sent at the start, unless the files are on another machine.
  case directoriesKnown(UserDirectories)
  case linkChanged(LinkReport)
  /// What the connected service reports about itself, for example that its store was damaged; empty
  /// when all is well.
  case serviceReported([String])
  /// What happened while no dashboard was open; sent at most once.
  case newsArrived(TransferNews)
  case commandFinished(CommandOutcome)
  /// The offset of local time from UTC, sent at the start and whenever it changes.
  case utcOffsetChanged(seconds: Int)
  /// Time has passed; `Dashboard.millisecondsToNextTick` says when the next tick is due.
  case ticked
}

/// The result of an effect that sent a request to the service.
package enum CommandOutcome: Hashable, Sendable {
  case controlled(ControlVerb, appliedCount: Int, refused: [ControlRefusal])
  /// - Parameter first: nil if none was added.
  case added(count: Int, first: TransferID?)
  /// Nothing was added, or only a part; the sentence says why.
  case addFailed(sentence: String)
  case moved(appliedCount: Int)
  case prioritized(TransferPriority, appliedCount: Int)
  case assigned(QueueName, appliedCount: Int, refused: [ControlRefusal])
  case cleared(count: Int)
  /// - Parameter keptPaths: the files that were to go and stayed.
  case removed(count: Int, keptPaths: [String] = [])
  case relinked(refused: [ControlRefusal])
  case limited(bytesPerSecond: Int64?, refused: [ControlRefusal])
  case reset(deletedCount: Int, keptPaths: [String])
  case undone(UndoOutcome)
  /// What can be undone, the latest action first.
  case binListed([BinSnapshot])
  case binEmptied
  /// The details of a transfer could not be loaded; the sentence says why.
  case detailsFailed(TransferID, sentence: String)
  /// Any other failure, as a sentence.
  case failed(sentence: String)
}

/// The result of an undo.
package struct UndoOutcome: Hashable, Sendable {
  /// nil if there was nothing to undo.
  package var kind: BinAction.Kind?
  package var restoredCount: Int
  /// How many transfers were started again since and are unchanged.
  package var busyCount: Int

  package init(_ kind: BinAction.Kind?, restoredCount: Int = 0, busyCount: Int = 0) {
    self.kind = kind
    self.restoredCount = restoredCount
    self.busyCount = busyCount
  }
}

/// A transfer that a control does not apply to.
package struct ControlRefusal: Hashable, Sendable {
  package enum Why: Hashable, Sendable {
    case unknown, completed, notStarted, nothingToDecide
  }

  package var id: TransferID
  package var why: Why

  package init(id: TransferID, why: Why) {
    self.id = id
    self.why = why
  }
}
