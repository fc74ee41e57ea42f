extension HookRun {
  /// What the hook is called: its event, or `--then`.
  package var title: String {
    switch source {
    case .settings: "Hook \(event.rawValue)"
    case .transfer: "Hook --then"
    }
  }

  /// How it stands, without a time: `Hook completed: "notify-me" exited with 1`.
  package var sentence: String { "\(title): \(happened)" }

  /// The same without the title: `"notify-me" exited with 1`. For a failure, the last line that the
  /// program printed follows in parentheses.
  package var happened: String {
    let program = "\"" + command.programName.sanitizedForDisplay(limit: 100) + "\""
    switch standing {
    case .pending: return "\(program) waits for its turn"
    case .running: return "\(program) is running"
    case .ended(let end):
      let words = "\(program) \(end.outcome.words)"
      guard !end.outcome.isSuccess, let line = end.lastLine, !line.isEmpty else { return words }
      return words + " (" + line.sanitizedForDisplay(limit: HookEnd.lineLengthMax) + ")"
    }
  }

  /// When it came to stand so.
  package var since: WallTime {
    switch standing {
    case .pending: dueAt
    case .running(let since): since
    case .ended(let end): end.at
    }
  }
}

extension HookEnd {
  /// Of `lastLine`, in characters.
  package static let lineLengthMax = 200
}

extension HookOutcome {
  fileprivate var words: String {
    switch self {
    case .exited(let code): "exited with \(code)"
    case .killed(let signal): "was ended by signal \(signal)"
    case .timedOut(let seconds):
      "was ended because it ran longer than \(seconds) \(seconds == 1 ? "second" : "seconds")"
    case .notStarted(errno: "ENOENT"): "was not found"
    case .notStarted(errno: "EACCES"): "may not be executed"
    case .notStarted(let name): "could not be started (\(name.sanitizedForDisplay(limit: 40)))"
    case .interrupted: "was still running when the service ended, so its outcome is unknown"
    }
  }
}
