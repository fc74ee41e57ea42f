import KettleModel

/// Reasons why a key does nothing, and what the footer calls some keys.
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
}
