import KettleControl
import KettleDashboard
import KettleModel

/// Sentences about completed controls.
extension Sentences {
  static let listEmpty =
    "There is nothing in the list; \"kettle add URL\" puts something there"
  static let nothingToWaitFor = "There is nothing to wait for: no transfer is unfinished"
  static let nothingChanged = "Nothing was changed"

  static func did(_ verb: TransferControlVerb, _ id: TransferID) -> String {
    "\(id) \(past(verb))"
  }

  static func did(_ verb: TransferControlVerb, count: Int) -> String {
    "\(count) \(count == 1 ? "transfer" : "transfers") \(past(verb))"
  }

  private static func past(_ verb: TransferControlVerb) -> String {
    switch verb {
    case .start: "started"
    case .pause: "paused"
    case .stop: "stopped"
    case .remove: "removed"
    case .removeWithFile: "removed with its file"
    }
  }

  static func limited(_ id: TransferID, _ bytesPerSecond: Int64?) -> String {
    bytesPerSecond.map { "\(id) is limited to \(ByteText.speed($0))" }
      ?? "\(id) has no limit of its own"
  }

  static func limitedAll(_ bytesPerSecond: Int64?) -> String {
    bytesPerSecond.map { "Everything together is limited to \(ByteText.speed($0))" }
      ?? "Everything together has no limit"
  }

  static func limitRefused(_ refusal: ControlTransfers.Refusal) -> String {
    switch refusal.why {
    case .completed:
      "Transfer \(refusal.id) is completed, so there is nothing to limit"
    case .unknown, .notStarted: of(refusal)
    }
  }

  static func started(_ row: TransferSnapshot) -> String {
    let held = ByteText.size(row.bytesReceived)
    if row.state == .completed { return "\(row.id) is completed" }
    if row.bytesReceived > 0 { return "\(row.id) goes on from \(held)" }
    return "\(row.id) starts from the beginning" + (row.freshStart.map { because($0) } ?? "")
  }

  private static func because(_ reason: FreshStartReason) -> String {
    switch reason {
    case .resourceChanged: ", because the server has another version"
    case .rangeIgnored: ", because the server sends only the whole file"
    case .noValidator: ", because the server gives nothing to tell versions apart by"
    case .partialFileChanged: ", because the partial file was changed"
    case .asked: ""
    }
  }

  static func of(_ error: UnknownTransfers) -> [String] {
    error.ids.map { of(ControlTransfers.Refusal(id: $0, why: .unknown)) }
  }

  static func reset(_ result: ResetTransfers.Result) -> [String] {
    let deleted = result.deletedPaths.map { "deleted \(quoted($0, limit: 4096))" }
    let kept = result.keptPaths.map {
      "kept \(quoted($0, limit: 4096)), which is no longer what Kettle wrote"
    }
    let count = result.deletedPaths.count
    return deleted + kept + [
      "All transfers are idle again; \(count) \(count == 1 ? "file" : "files") deleted, "
        + "\(result.keptPaths.count) kept"
    ]
  }

  static let resetQuestion =
    "Delete every file that Kettle fetched and is unchanged, and put all transfers back to idle?"

  static func removeAllQuestion(withFiles: Bool) -> String {
    withFiles
      ? "Take all transfers off the list and delete their files?"
      : "Take all transfers off the list, with their partial files?"
  }
}
