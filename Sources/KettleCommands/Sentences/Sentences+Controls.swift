import KettleControl
import KettleDashboard
import KettleModel

/// Sentences about completed controls.
extension Sentences {
  static let listEmpty =
    "The list is empty; add a transfer with \"kettle add URL\""
  static let nothingToWaitFor = "Nothing to wait for: no transfer is unfinished"
  static let nothingChanged = "Nothing changed"

  static func did(_ verb: ControlVerb, _ id: TransferID) -> String {
    "\(id) \(past(verb))"
  }

  /// A removal that left the file.
  static func kept(_ file: ControlTransfers.KeptFile) -> String {
    let path = quoted(file.path, limit: 4096)
    if ObjectPrefix.isMeant(by: file.path) {
      return "The object \(path) stays, because nothing could bring it back; "
        + "delete it yourself if it is to go"
    }
    return "The file \(path) stays, because it is not as Kettle wrote it or "
      + "cannot be moved; delete it yourself if it is to go"
  }

  static func did(
    _ verb: ControlVerb, count: Int, _ bin: BinBytes?, clock: any CommandClock
  ) -> String {
    let did = Strings.transfers(count) + " " + past(verb)
    if let bin { return did + "; " + of(bin, after: verb, clock) }
    guard verb.discards, count > 0 else { return did }
    return did + "; \"kettle undo\" brings \(count == 1 ? "it" : "them") back for ten minutes"
  }

  /// What a control put into the bin, or took back.
  static func of(_ bin: BinBytes, after verb: ControlVerb, _ clock: any CommandClock) -> String {
    let size = ByteText.size(bin.byteCount)
    guard let until = bin.until.map({ time($0, clock) }) else {
      return "continues from \(size) that the bin had kept"
    }
    let kept = bin.byteCount > 0 ? "\(size) kept until \(until)" : "kept until \(until)"
    return switch verb {
    case .startFresh: "the old bytes, \(size), are in the bin until \(until)"
    case .stop: kept + "; \"kettle start\" continues, \"kettle undo\" brings everything back"
    case .start, .pause, .accept, .remember, .verify, .repair, .remove, .removeWithFile: kept
    }
  }

  private static func past(_ verb: ControlVerb) -> String {
    switch verb {
    case .start: "started"
    case .startFresh: "started from the beginning"
    case .pause: "paused"
    case .stop: "stopped"
    case .accept: "accepted"
    case .remember: "remembered for its host"
    case .verify: "being compared"
    case .repair: "being repaired"
    case .remove: "removed"
    case .removeWithFile: "removed with its file"
    }
  }

  /// A control found nothing to do.
  static func isDone(_ id: TransferID) -> String {
    "Transfer \(id) is done already; \"kettle get --again\" with its URL fetches another copy"
  }

  static func limited(_ id: TransferID, _ bytesPerSecond: Int64?) -> String {
    bytesPerSecond.map { "\(id): at most \(ByteText.limit($0))" }
      ?? "\(id): no limit of its own"
  }

  static func limitedAll(_ bytesPerSecond: Int64?) -> String {
    bytesPerSecond.map { "All downloads together: at most \(ByteText.limit($0))" }
      ?? "All downloads together: no limit"
  }

  static func limitRefused(_ refusal: ControlRefusal) -> String {
    switch refusal.why {
    case .completed:
      "Transfer \(refusal.id) is done, so there is nothing to limit"
    case .unknown, .notStarted, .nothingToDecide, .noFinishedFile, .busy: of(refusal)
    }
  }

  static func started(_ details: TransferDetails) -> String {
    let row = details.snapshot
    // More may have arrived since the start.
    let byteCount = details.resumedFromByteCount ?? row.bytesReceived
    if row.state == .completed { return "\(row.id) is done" }
    if row.collection?.memberCount != nil { return "\(row.id) fetches the files that are missing" }
    if details.awaitsAnswer == true, byteCount > 0 {
      return "\(row.id) has \(ByteText.size(byteCount)) and asks the server for the rest"
    }
    if byteCount > 0 { return "\(row.id) resumes from \(ByteText.size(byteCount))" }
    return "\(row.id) starts from the beginning" + (row.freshStart.map { because($0) } ?? "")
  }

  private static func because(_ reason: FreshStartReason) -> String {
    switch reason {
    case .resourceChanged: ", because the file on the server has changed"
    case .rangeIgnored: ", because the server sends whole files only"
    case .noValidator: ", because the server does not identify the version of the file"
    case .partialFileChanged: ", because the partial file was modified"
    case .otherSources: ", because a mirror had a file of another size than the other sources"
    case .contradictoryReplies: ", because the server's responses contradicted each other"
    case .otherBeginning: ", because the file that had the name is not its beginning"
    case .asked: ""
    }
  }

  static func of(_ error: UnknownTransfers) -> [String] {
    error.ids.map { of(ControlRefusal(id: $0, why: .unknown)) }
  }

  static func reset(_ result: ResetTransfers.Result) -> [String] {
    let deleted = result.deletedPaths.map { "moved \(quoted($0, limit: 4096)) to the bin" }
    let kept = result.keptPaths.map {
      "kept \(quoted($0, limit: 4096)), which was modified after Kettle wrote it"
    }
    return deleted + kept + [
      "All transfers are idle again; \(Strings.files(result.deletedPaths.count)) in the bin, "
        + "\(CountText.text(result.keptPaths.count)) kept; "
        + "\"kettle undo\" brings everything back for ten minutes"
    ]
  }

  static let resetQuestion =
    "Move every unmodified file that Kettle downloaded to the bin, and reset all transfers to idle?"

  static func removeAllQuestion(withFiles: Bool) -> String {
    withFiles
      ? "Remove all transfers from the list and move their files to the bin?"
      : "Remove all transfers from the list and move their partial files to the bin?"
  }
}

extension ControlVerb {
  fileprivate var discards: Bool {
    switch self {
    case .stop, .remove, .removeWithFile: true
    case .start, .startFresh, .pause, .accept, .remember, .verify, .repair: false
    }
  }
}

/// Sentences about what can be undone.
extension Sentences {
  static let binEmpty = "Nothing to undo"

  static func nothingToUndo(_ number: Int64?) -> String {
    guard let number else { return binEmpty }
    return "There is no action \(number) to undo; \"kettle bin\" lists what can be undone"
  }

  static func cannotUndo(_ id: TransferID) -> String {
    "Transfer \(id) was started again; stop it, then undo with the number from \"kettle bin\""
  }

  /// A control changed nothing that is still as it left it.
  static func nothingUndone(_ kind: BinAction.Kind, changedCount: Int) -> String {
    kind == .limitAll
      ? "The limit was changed since, so it stays"
      : "\(Strings.downloads(changedCount)) changed since, so nothing was undone"
  }

  /// What an undo restored.
  static func undone(
    _ kind: BinAction.Kind, at time: WallTime?, count: Int, changedCount: Int,
    _ clock: any CommandClock
  ) -> String {
    let since = time.map { " (from \(Sentences.time($0, clock)))" } ?? ""
    return Strings.undone(kind, count: count) + since
      + (changedCount > 0 ? "; \(changedCount) changed since and stay" : "")
  }

  /// One line about an action: its number, what it did, and until when it can be undone.
  static func of(_ action: BinSnapshot, _ clock: any CommandClock) -> String {
    "\(action.number)  \(Sentences.time(action.at, clock))  \(Strings.what(action))  until "
      + Sentences.time(action.expiresAt, clock)
  }

  static func emptyBinQuestion(_ actions: [BinSnapshot]) -> String {
    "Delete \(ByteText.size(byteCount(of: actions))) in the bin, so that nothing can be undone?"
  }

  static func binEmptied(_ actions: [BinSnapshot]) -> String {
    "The bin is empty; \(ByteText.size(byteCount(of: actions))) deleted"
  }

  private static func byteCount(of actions: [BinSnapshot]) -> Int64 {
    actions.reduce(0) { $0.addingReportingOverflow($1.byteCount).partialValue }
  }
}
