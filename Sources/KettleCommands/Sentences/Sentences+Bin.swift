import KettleDashboard
import KettleModel

/// Sentences about what can be undone.
extension Sentences {
  static let binEmpty = "The bin is empty: there is nothing to undo"

  static func nothingToUndo(_ number: Int64?) -> String {
    guard let number else { return binEmpty }
    return "There is no action \(number) in the bin; \"kettle bin\" lists what can be undone"
  }

  static func cannotUndo(_ id: TransferID) -> String {
    "Transfer \(id) was started again; stop it, then undo with the number from \"kettle bin\""
  }

  /// What an undo restored.
  static func undone(
    _ kind: BinAction.Kind, at time: WallTime?, count: Int, _ clock: any CommandClock
  ) -> String {
    let transfers = "\(count) \(count == 1 ? "transfer" : "transfers")"
    let since = time.map { " of \(Sentences.time($0, clock))" } ?? ""
    return switch kind {
    case .stop: "Undid the stop\(since): \(transfers) as before"
    case .remove, .removeWithFile: "Undid the removal\(since): \(transfers) on the list again"
    case .reset: "Undid the reset\(since): \(transfers) as before"
    case .clear: "Undid the clearing\(since): \(transfers) in view again"
    }
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
