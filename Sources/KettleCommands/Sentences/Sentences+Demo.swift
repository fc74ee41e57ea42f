import KettleDashboard
import KettleModel

extension Sentences {
  static func of(_ problem: DemoProblem) -> String {
    switch problem {
    case .foreignHome(let path):
      "\(quoted(path)) is not a private directory of yours, so the demo does not touch it; "
        + "remove it, or set TMPDIR to another directory"
    case .homeUnusable(let path, let detail):
      "The demo directory \(quoted(path)) cannot be used (\(detail)); set TMPDIR to a writable "
        + "directory"
    case .catalogueUnusable(let path):
      "The demo service did not list its files in \(quoted(path)); "
        + "delete that directory and try again"
    case .serviceStillRuns(let path):
      "The demo service did not stop, so its directory \(quoted(path)) was not deleted; run "
        + "\"kettle demo\" and leave it again"
    }
  }

  /// The summary after a demo has ended and was deleted.
  static func demoSummary(_ rows: [TransferSnapshot], home: String) -> [String] {
    let completed = rows.filter { $0.state == .completed }
    let byteCount = completed.reduce(Int64(0)) { $0.addingReportingOverflow($1.bytesReceived).0 }
    return [
      "The demo downloaded \(completed.count) of \(rows.count) files "
        + "(\(ByteText.size(byteCount))) from a server inside Kettle to \(quoted(home))",
      "Its service has stopped and the directory was deleted; none of your files was touched",
      "Now download something of your own: kettle get URL, or kettle for the dashboard",
    ]
  }
}
