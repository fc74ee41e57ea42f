import KettleModel

/// The dialogs with one line, and the questions.
extension Strings {
  static func title(of purpose: EntryDialog.Purpose) -> String {
    switch purpose {
    case .freshLink: "New link"
    case .login: "Login"
    case .speedLimit: "Speed limit"
    }
  }

  static func hint(on dialog: EntryDialog) -> String {
    switch dialog.purpose {
    case .freshLink: "New link for " + name(dialog.scope)
    case .login: "User and password for " + name(dialog.scope) + ", as user:password"
    case .speedLimit: "Speed limit for " + name(dialog.scope)
    }
  }

  private static func name(_ scope: EntryDialog.Scope) -> String {
    switch scope {
    case .row(let row): "\"" + row.shownTitle.sanitizedForDisplay(limit: 60) + "\""
    case .marked(_, let count, _):
      count == 1 ? "the marked transfer" : "each of the \(count) marked transfers"
    case .host(let row):
      "every transfer from " + String(row.host).sanitizedForDisplay(limit: 60)
    case .everything: "all transfers together"
    }
  }

  static func otherScopes(_ dialog: EntryDialog) -> String {
    let others = dialog.scopes.filter { $0 != dialog.scope }.map(name)
    return "Tab: for " + others.joined(separator: ", or ")
  }

  static let invalidRate = "Not a valid rate; write 500K, 1.5M or 1G, or nothing for no limit"

  /// The meaning of the line, or what is wrong with it.
  static func verdict(on dialog: EntryDialog) -> String {
    switch dialog.reading {
    case .missing:
      dialog.purpose == .login
        ? "Type user:password; Esc cancels" : "Paste the link; Esc cancels"
    case .login(let link):
      "Enter logs in to \(link.url.host) as " + quotedUser(link.login)
    case .link(let link):
      link.login == nil ? "Enter uses it" : "Enter uses it and its login"
    case .linkProblem(let problem): problem.sentence(dialog.line.text)
    case .limit(nil): "Enter removes the limit; 500K or 1.5M sets one"
    case .limit(let rate?): "Enter limits it to " + ByteText.speed(rate)
    case .invalidRate: invalidRate
    }
  }

  private static func quotedUser(_ login: Login?) -> String {
    "\"" + (login?.user ?? "").sanitizedForDisplay(limit: 40) + "\""
  }

  static let yes = "y yes"
  static let no = "n no (Enter, Esc)"

  static func questionTitle(_ question: Question) -> String {
    switch question {
    case .reset: "Reset"
    case .emptyBin: "Empty the bin"
    case .remove, .removeMarked(_, _, withFiles: false): "Remove"
    case .removeWithFile, .removeMarked(_, _, withFiles: true): "Remove with file"
    }
  }

  static func question(_ question: Question) -> [String] {
    switch question {
    case .reset(let finishedCount, let unfinishedCount):
      [
        "Move all downloaded files to the bin and start over?",
        "Finished files to move: \(finishedCount). "
          + "Files modified by other programs are kept and listed.",
        "Unfinished transfers to reset: \(unfinishedCount).",
      ]
    case .emptyBin(let byteCount):
      [
        "Delete \(ByteText.size(byteCount)) in the bin?",
        "This cannot be undone. Otherwise the bytes are deleted after ten minutes.",
      ]
    case .remove(let row):
      [
        "Remove \"\(row.shownTitle.sanitizedForDisplay(limit: 80))\" from the list?",
        row.state == .completed
          ? "Its file is kept."
          : "What was downloaded so far (\(ByteText.size(row.bytesReceived))) goes to the bin.",
      ]
    case .removeWithFile(let row):
      [
        "Remove \"\(row.shownTitle.sanitizedForDisplay(limit: 80))\" and its file?",
        row.path ?? "",
        "The file goes to the bin. If another program modified it, it is kept.",
      ].filter { !$0.isEmpty }
    case .removeMarked(let selection, let count, withFiles: false):
      [
        "Remove \(marked(selection, count)) from the list?",
        "Finished files are kept. Unfinished downloads go to the bin.",
      ]
    case .removeMarked(let selection, let count, withFiles: true):
      [
        "Remove \(marked(selection, count)) and their files?",
        "Their files go to the bin. Files modified by other programs are kept.",
      ]
    }
  }

  private static func marked(_ selection: TransferSelection, _ count: Int) -> String {
    switch selection {
    case .ids: transfers(count)
    case .matching(_, let except):
      except.isEmpty
        ? "all transfers that match the filter (\(count) now)"
        : "all matches except the unmarked ones (at most \(count) now)"
    case .all: "all transfers"
    }
  }
}
