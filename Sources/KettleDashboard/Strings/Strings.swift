import KettleModel

/// Every text that the dashboard shows, by area.
package enum Strings {
  static let product = "Kettle"
  static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The word for a state everywhere that people read it. JSON has the name of the state.
  package static func countWord(_ state: TransferState) -> String {
    switch state {
    case .idle: "idle"
    case .scheduled: "scheduled"
    case .queued: "queued"
    case .running: "running"
    case .waiting: "waiting"
    case .paused: "paused"
    case .verifying: "verifying"
    case .completed: "done"
    case .failed: "failed"
    }
  }

  /// The text with a capital letter at the beginning.
  static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

  package static func transfers(_ count: Int) -> String {
    count == 1 ? "1 transfer" : CountText.text(count) + " transfers"
  }

  package static func downloads(_ count: Int, _ kind: String = "") -> String {
    CountText.text(count) + " " + kind + (count == 1 ? "download" : "downloads")
  }

  package static func files(_ count: Int) -> String {
    count == 1 ? "1 file" : CountText.text(count) + " files"
  }

  /// From the longest form to the shortest.
  static func tooSmall(columns: Int, rows: Int) -> [[String]] {
    let need = "\(columns)x\(rows)"
    return [
      ["Too small for Kettle:", "it needs \(need)"], ["Too small:", "needs \(need)"],
      ["Too small, needs \(need)"], ["needs \(need)"], ["needs", need], [need],
    ]
  }
}

/// Problems with the configuration.
extension Strings {
  static func sentence(on problem: KeyMappingProblem, path: String) -> String {
    let action = problem.action.sanitizedForDisplay(limit: 60)
    let location = "on line \(problem.line) of \"" + path.sanitizedForDisplay(limit: 4096) + "\""
    let start = "The keys of \"\(action)\" \(location) are ignored: "
    return switch problem.what {
    case .unknownAction:
      "Unknown action \"\(action)\" \(location); the help screen lists all actions"
    case .unknownKey(let name):
      start + "there is no key \"" + name.sanitizedForDisplay(limit: 30) + "\""
    case .letterInText(let key): start + "\(key.name) types text there"
    case .bound(let key, let other): start + "\(key.name) is already bound to \"\(other)\""
    case .needsKey: start + "it needs at least one key"
    }
  }

  static func sentence(on problem: ThemeProblem, path: String) -> String {
    func quoted(_ text: String, limit: Int = 4096) -> String {
      "\"" + text.sanitizedForDisplay(limit: limit) + "\""
    }
    let location = "on line \(problem.line) of " + quoted(path)
    switch problem.what {
    case .unknownColor(let name):
      let names = ThemeColor.allCases.map(\.rawValue).joined(separator: ", ")
      return "Unknown color \(quoted(name, limit: 60)) \(location); the colors are \(names)"
    case .unknownTheme(let name, let file):
      return "Unknown theme \(quoted(name, limit: 60)) \(location); \(quoted(file)) does not "
        + "exist, and the built-in themes are \(BuiltInTheme.names)"
    case .unknownBase(let name):
      return "Unknown theme \(quoted(name, limit: 60)) \(location); "
        + "the built-in themes are \(BuiltInTheme.names)"
    }
  }

  /// Returns the text of the message line: the first problem, and where the rest can be read when
  /// there are more or the line is too short.
  static func problems(_ sentences: [String], helpKey: String?, width: Int) -> String? {
    guard let first = sentences.first else { return nil }
    if sentences.count == 1, first.count <= width { return first }
    let all = helpKey.map { "; \($0) shows all" } ?? ""
    let count = sentences.count == 1 ? "1 problem" : "\(sentences.count) problems"
    return count + all + ": " + first
  }

  static let headingService = "Service notices"
  static let headingConfiguration = "Configuration problems"
}

extension KeyMappingProblem {
  /// What is wrong, and where.
  package func sentence(path: String) -> String { Strings.sentence(on: self, path: path) }
}

/// Messages about the terminal, and notifications shown through it.
extension Strings {
  static func pasteRefused(_ countMax: Int) -> String {
    "More than \(countMax) characters were pasted, so the paste was ignored; save the URLs to a "
      + "file and use kettle add -i FILE"
  }

  package static let copyTooLong =
    "The text is too long for a terminal's clipboard and was not copied; mark fewer transfers"
  package static let copyHasControls =
    "The text has a control character in it and was not copied; use kettle list --json"
  package static let noClipboard =
    "This terminal has no clipboard; select the text with the mouse to copy it"

  static func allEnded(failedCount: Int) -> String {
    failedCount > 0
      ? "All transfers have ended; \(transfers(failedCount)) failed"
      : "All transfers are done"
  }

  static func newlyFailed(_ count: Int) -> String { transfers(count) + " failed" }
}
