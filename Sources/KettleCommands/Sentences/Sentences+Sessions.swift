import KettleControl
import KettleDashboard
import KettleModel

/// Sentences about programs' sessions.
extension Sentences {
  static let noSessions = "There are no program sessions"

  /// Returns why a launch failed, or nil when there is nothing to report.
  static func launchNotice(of session: SessionSummary) -> String? {
    guard let notice = session.notice else { return nil }
    let program = quoted(session.launch?.executablePath ?? "", limit: 1024)
    let detail = notice.detail.map { " (\($0.sanitizedForDisplay(limit: 60)))" } ?? ""
    let subject = "The program \(program) of the session \(quoted(session.id.rawValue))"
    switch notice.problem {
    case .notRun:
      return "\(subject) could not be launched\(detail); "
        + "check that it exists and is executable"
    case .ended:
      return "\(subject) exited before it had collected everything\(detail); "
        + "its output is in the log of the service"
    case .silent:
      return "\(subject) was launched but did not report within 30 seconds that it is done; check "
        + "whether it hangs"
    }
  }

  /// One line per transfer; for a finished one, with the path of its file.
  static func adopted(_ session: SessionID, _ result: AdoptSession.Result) -> [String] {
    let ids = result.ids
    let transfers = Strings.transfers(ids.count)
    let paths = Dictionary(
      (result.finished ?? []).map { ($0.id, $0.path) }, uniquingKeysWith: { first, _ in first })
    return ["\(transfers) of the session \(quoted(session.rawValue)) \(be(ids.count)) now yours"]
      + ids.map { id in paths[id].map { "\(id) is at \(quoted($0, limit: 4096))" } ?? "\(id)" }
  }

  static func dropped(_ session: SessionID, _ ids: [TransferID]) -> String {
    "Dropped the session \(quoted(session.rawValue)) with \(Strings.transfers(ids.count))"
  }

  static func dropQuestion(_ session: SessionSummary) -> String {
    let tasks = session.counts.values.reduce(0) { $0.addingReportingOverflow($1).partialValue }
    let taken =
      session.unreportedCount == 0
      ? ""
      : ", including \(CountText.text(session.unreportedCount)) that its program has not collected"
    return
      "Drop the session \(quoted(session.id.rawValue)) with \(Strings.transfers(tasks))\(taken), "
      + "and delete their downloaded data?"
  }

  private static func be(_ number: Int) -> String { number == 1 ? "is" : "are" }

  // MARK: - Tasks in the list

  static let taskIsUncollected = "its program has not collected it yet"
  static let taskIsSetAside = "set aside; its program can resume it"
  static let taskIsChallenged = "its program must answer the server"
}
