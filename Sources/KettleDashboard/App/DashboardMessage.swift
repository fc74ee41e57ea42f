import KettleModel

/// Everything that can happen to the dashboard.
package enum DashboardMessage: Hashable, Sendable {
  case keyPressed(Key)
  case mouse(MouseEvent)
  /// So much was pasted that all of it was left out.
  case pasteRefused(characterCountMax: Int)
  case resized(ScreenSize)
  /// The rows that were subscribed to, as they are now.
  case rowsArrived(ListWindow, Totals)
  /// The answer to `DashboardEffect.find`; nil when nothing has the words.
  case found(RowSearch, FoundRow?)
  /// The answer to `DashboardEffect.loadDetails`.
  case detailsArrived(TransferDetailsView)
  /// The answer to `DashboardEffect.findDuplicates`: one transfer for each URL that is there.
  case duplicatesFound([String: DuplicateSearch.Found])
  /// Where paths start, at the start; never told when the files are on another machine.
  case placesKnown(UserPlaces)
  case linkChanged(LinkReport)
  /// What the connected service reports of itself, for example that its store was damaged; none
  /// when all is well.
  case serviceReported([String])
  case commandFinished(CommandOutcome)
  /// The offset of local time from UTC, at the start and whenever it changes.
  case utcOffsetChanged(seconds: Int)
  /// The time is another; `DashboardModel.millisecondsToNextTick` says when the next is due.
  case ticked
}

/// How an effect that asked something of the service ended.
package enum CommandOutcome: Hashable, Sendable {
  case controlled(ControlVerb, appliedCount: Int, refused: [ControlRefusal])
  case added(count: Int)
  /// Nothing, or not all, was added; the sentence says why.
  case addFailed(sentence: String)
  case moved(appliedCount: Int)
  case prioritized(TransferPriority, appliedCount: Int)
  case cleared(count: Int)
  case removed(count: Int)
  case relinked(refused: [ControlRefusal])
  case limited(bytesPerSecond: Int64?, refused: [ControlRefusal])
  case reset(deletedCount: Int, keptPaths: [String])
  /// The details of a transfer could not be had; the sentence says why.
  case detailsFailed(TransferID, sentence: String)
  /// Anything else that did not work, as a sentence.
  case failed(sentence: String)
}

/// A transfer that a control does not apply to.
package struct ControlRefusal: Hashable, Sendable {
  package enum Why: Hashable, Sendable {
    case unknown, completed, notStarted
  }

  package var id: TransferID
  package var why: Why

  package init(id: TransferID, why: Why) {
    self.id = id
    self.why = why
  }
}
