import KettleModel

/// The texts about what can be undone.
extension Strings {
  static let binTitle = "Undo"
  static let binIsEmpty = "the bin is empty: there is nothing to undo"
  static let binEmptied = "the bin is empty; nothing can be undone"
  static let binNote = "Enter undoes the action. Its bytes are deleted at the time shown."

  /// When it was, what it did, and until when it can be undone.
  static func binLine(_ action: BinSnapshot, _ clock: ClockText, now: WallTime) -> String {
    "\(clock.long(action.at, now: now))  \(what(action))  until "
      + clock.long(action.expiresAt, now: now)
  }

  /// What an action did, to which transfers, and how many bytes it put into the bin.
  package static func what(_ action: BinSnapshot) -> String {
    let did =
      switch action.kind {
      case .stop: "stopped"
      case .remove: "removed"
      case .removeWithFile: "removed with its file"
      case .reset: "reset"
      case .clear: "cleared from view"
      }
    guard let title = action.title else { return did }
    let (others, _) = action.transferCount.subtractingReportingOverflow(1)
    let more = others > 0 ? " and \(others) more" : ""
    return "\(did) \"\(title.sanitizedForDisplay(limit: 300))\"\(more)"
      + (action.byteCount > 0 ? ", \(ByteText.size(action.byteCount))" : "")
  }
}
