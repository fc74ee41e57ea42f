import KettleDashboard
import KettleModel

extension Sentences {
  static func of(_ problem: DemoProblem) -> String {
    switch problem {
    case .foreignHome(let path):
      "\(quoted(path)) is not a private directory of yours, so the demo does not touch it; "
        + "remove it, or set TMPDIR to another directory"
    case .homeUnusable(let path, let detail):
      "The demo's home \(quoted(path)) cannot be used (\(detail)); set TMPDIR to a directory "
        + "that you can write to"
    case .catalogueUnusable(let path):
      "The demo's service did not say what it serves in \(quoted(path)); "
        + "delete that directory and try again"
    case .serviceStillRuns(let path):
      "The demo's service did not end, so its home \(quoted(path)) is still there; "
        + "run \"kettle demo\" and leave it once more"
    }
  }

  /// The summary after a demo has ended and was deleted.
  static func demoWas(_ rows: [TransferSnapshot], home: String) -> [String] {
    let completed = rows.filter { $0.state == .completed }
    let byteCount = completed.reduce(Int64(0)) { $0.addingReportingOverflow($1.bytesReceived).0 }
    return [
      "That was the demo: \(completed.count) of \(rows.count) files fetched "
        + "(\(ByteText.size(byteCount))), from a server inside Kettle into \(quoted(home))",
      "Its service has stopped and that directory is deleted; nothing of yours was touched",
      "Now fetch something of your own: kettle get URL, or kettle for the dashboard",
    ]
  }
}
