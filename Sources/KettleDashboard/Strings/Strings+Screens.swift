import KettleModel

/// Dialogs, details, help.
extension Strings {
  static func title(of purpose: EntryDialog.Purpose) -> String {
    switch purpose {
    case .freshLink: "New link"
    case .speedLimit: "Speed limit"
    }
  }

  static func hint(on dialog: EntryDialog) -> String {
    switch dialog.purpose {
    case .freshLink: "New link for " + name(dialog.scope)
    case .speedLimit: "Speed limit for " + name(dialog.scope)
    }
  }

  private static func name(_ scope: EntryDialog.Scope) -> String {
    switch scope {
    case .row(let row): "\"" + row.shownTitle.sanitizedForDisplay(limit: 60) + "\""
    case .marked(_, let count, _): count == 1 ? "the marked transfer" : "each of the \(count) "
      + "marked transfers"
    case .everything: "all transfers together"
    }
  }

  static func otherScopes(_ dialog: EntryDialog) -> String {
    let others = dialog.scopes.filter { $0 != dialog.scope }.map(name)
    return "Tab: for " + others.joined(separator: ", or ")
  }

  static let noRate = "Not a valid rate; write 500K, 1.5M or 1G, or nothing for no limit"

  /// The meaning of the line, or what is wrong with it.
  static func verdict(on dialog: EntryDialog) -> String {
    switch dialog.reading {
    case .missing: "Paste the link; Esc cancels"
    case .link(let link):
      link.login == nil ? "Enter uses it" : "Enter uses it and its login"
    case .linkProblem(let problem): problem.sentence(dialog.line.text)
    case .limit(nil): "Enter removes the limit; 500K or 1.5M sets one"
    case .limit(let rate?): "Enter limits it to " + ByteText.speed(rate)
    case .noRate: noRate
    }
  }

  static let yes = "y yes"
  static let no = "n no (Enter, Esc)"

  static func questionTitle(_ question: Question) -> String {
    switch question {
    case .reset: "Reset"
    case .remove, .removeMarked(_, _, withFiles: false): "Remove"
    case .removeWithFile, .removeMarked(_, _, withFiles: true): "Remove and delete"
    }
  }

  static func question(_ question: Question) -> [String] {
    switch question {
    case .reset(let finishedCount, let unfinishedCount):
      [
        "Delete all downloaded files and start over?",
        "Finished files to delete: \(finishedCount). "
          + "Files modified by other programs are kept and listed.",
        "Unfinished transfers to reset: \(unfinishedCount).",
      ]
    case .remove(let row):
      [
        "Remove \"\(row.shownTitle.sanitizedForDisplay(limit: 80))\" from the list?",
        row.state == .completed
          ? "Its file is kept."
          : "What was downloaded so far (\(ByteText.size(row.bytesReceived))) is discarded.",
      ]
    case .removeWithFile(let row):
      [
        "Remove \"\(row.shownTitle.sanitizedForDisplay(limit: 80))\" from the list "
          + "and delete its file?",
        row.path ?? "",
        "A file modified by another program is kept.",
      ].filter { !$0.isEmpty }
    case .removeMarked(let selection, let count, withFiles: false):
      [
        "Remove \(marked(selection, count)) from the list?",
        "Finished files are kept. Unfinished downloads are discarded.",
      ]
    case .removeMarked(let selection, let count, withFiles: true):
      [
        "Remove \(marked(selection, count)) from the list and delete their finished files?",
        "A file modified by another program is kept. Unfinished downloads are discarded.",
      ]
    }
  }

  private static func marked(_ selection: TransferSelection, _ count: Int) -> String {
    switch selection {
    case .ids: transfers(count)
    case .matching(_, let except):
      except.isEmpty
        ? "all transfers that match the filter (\(count) now)"
        : "all matches of the filter except the unmarked ones (at most \(count) now)"
    case .all: "all transfers"
    }
  }

  static let detailsTitle = "Details"
  static let loading = "Loading…"
  static let labelState = "State"
  static let labelProblem = "Problem"
  static let labelFreshStart = "Note"
  static let labelProgress = "Progress"
  static let labelSpeed = "Speed"
  static let labelLeft = "Time left"
  static let labelConnections = "Connections"
  static let labelPriority = "Priority"
  static let labelAdded = "Added"
  static let labelFinished = "Finished"
  static let labelRetries = "Retries"
  static let labelURL = "URL"
  static let labelCurrentURL = "Redirected to"
  static let labelFile = "File"
  static let labelPartialFile = "Partial file"
  static let labelChecksum = "Checksum"
  static let labelSession = "Session"
  static let headingHeld = "Received ranges"
  static let labelStatus = "Status"
  static let labelETag = "ETag"
  static let labelLastModified = "Last-Modified"

  static func priority(_ priority: TransferPriority) -> String {
    if priority == .low { return "low" }
    if priority == .normal { return "normal" }
    if priority == .high { return "high" }
    return "\(priority.value)"
  }

  static func heldRange(_ lower: String, _ upper: String) -> String {
    "from \(lower) to \(upper)"
  }

  static func more(_ count: Int) -> String { "and \(count) more" }

  static func linesShown(_ first: Int, _ last: Int, of count: Int) -> String {
    "lines \(first) to \(last) of \(count)"
  }

  static let helpTitle = "Keys"
  static let reportTitle = "Reset"
  static let noKey = "-"
  static let headingRemapping = "Changing keys"
  static let remappingNote =
    "The [keys] table of the configuration file binds actions to other keys, for example "
    + "pause = \"z\" or start = [\"s\", \"F5\"]."
  static let headingLeaving = "Leaving"
  static let leavingNote =
    "The transfers run in the service: they continue after the dashboard, the terminal or the "
      + "login session ends. Run kettle to see them again."
  static let markdownNote =
    "This page is generated from the dashboard's table of key bindings."

  static func title(of group: Binding.Group) -> String {
    switch group {
    case .transfer: "The marked transfers, or the one under the cursor"
    case .finding: "Marking, filtering, searching and sorting"
    case .all: "All transfers"
    case .moving: "Moving"
    case .reader: "Details and other screens"
    case .add: "Dialogs"
    case .question: "Questions"
    case .dashboard: "The dashboard"
    }
  }
}
