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
    case .freshLink: "A fresh link for " + name(dialog.scope)
    case .speedLimit: "The most bytes a second for " + name(dialog.scope)
    }
  }

  private static func name(_ scope: EntryDialog.Scope) -> String {
    switch scope {
    case .row(let row): "\"" + row.shownTitle.sanitizedForDisplay(limit: 60) + "\""
    case .marked(_, let count, _): count == 1 ? "the marked one" : "each of the \(count) marked"
    case .everything: "everything together"
    }
  }

  static func otherScopes(_ dialog: EntryDialog) -> String {
    let others = dialog.scopes.filter { $0 != dialog.scope }.map(name)
    return "Tab: for " + others.joined(separator: ", or ")
  }

  static let noRate = "That is no rate; write 500K, 1.5M or 1G, or nothing for no limit"

  /// The meaning of the line, or what is wrong with it.
  static func verdict(on dialog: EntryDialog) -> String {
    switch dialog.reading {
    case .missing: "Paste the link; Esc leaves everything as it is"
    case .link(let link):
      link.login == nil ? "Enter goes on with it" : "Enter goes on with it and its login"
    case .linkProblem(let problem): problem.sentence(dialog.line.text)
    case .limit(nil): "Enter takes the limit away; 500K or 1.5M sets one"
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
        "Delete what was downloaded and begin again?",
        "Finished files that are deleted: \(finishedCount). "
          + "A file that others changed is kept and named.",
        "Unfinished transfers that go back to nothing: \(unfinishedCount).",
      ]
    case .remove(let row):
      [
        "Take \"\(row.shownTitle.sanitizedForDisplay(limit: 80))\" off the list?",
        row.state == .completed
          ? "Its file stays where it is."
          : "What was fetched so far (\(ByteText.size(row.bytesReceived))) is thrown away.",
      ]
    case .removeWithFile(let row):
      [
        "Take \"\(row.shownTitle.sanitizedForDisplay(limit: 80))\" off the list "
          + "and delete its file?",
        row.path ?? "",
        "A file that others changed is kept.",
      ].filter { !$0.isEmpty }
    case .removeMarked(let selection, let count, withFiles: false):
      [
        "Take \(marked(selection, count)) off the list?",
        "Finished files stay where they are. What was fetched of the unfinished is thrown away.",
      ]
    case .removeMarked(let selection, let count, withFiles: true):
      [
        "Take \(marked(selection, count)) off the list and delete their finished files?",
        "A file that others changed is kept. What was fetched of the unfinished is thrown away.",
      ]
    }
  }

  private static func marked(_ selection: TransferSelection, _ count: Int) -> String {
    switch selection {
    case .ids: transfers(count)
    case .matching(_, let except):
      except.isEmpty
        ? "all that the filter shows (\(count) now)"
        : "all that the filter shows but the unmarked (at most \(count) now)"
    case .all: "all transfers"
    }
  }

  static let detailsTitle = "Details"
  static let loading = "Asking the service…"
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
  static let headingHeld = "What is there"
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
  static let headingRemapping = "Other keys"
  static let remappingNote =
    "The table [keys] of the configuration gives an action other keys by its name, for example "
    + "pause = \"z\" or start = [\"s\", \"F5\"]."
  static let headingLeaving = "Leaving"
  static let leavingNote =
    "The transfers belong to the service: they go on when the dashboard, the terminal or the "
    + "login is gone. kettle shows them again."
  static let markdownNote =
    "This page is made from the table of bindings that the dashboard itself uses."

  static func title(of group: Binding.Group) -> String {
    switch group {
    case .transfer: "The marked transfers, else the one under the cursor"
    case .finding: "Marks, filter, search and order"
    case .all: "All transfers"
    case .moving: "Moving"
    case .reader: "Details and other screens"
    case .add: "Dialogs"
    case .question: "Questions"
    case .dashboard: "The dashboard"
    }
  }
}
