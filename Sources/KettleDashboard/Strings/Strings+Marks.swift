/// Marks, and controls over many transfers.
extension Strings {
  static let allAreMarked = "all are marked already"
  static let nothingIsMarked = "nothing is marked; {mark} marks a row"
  static let linkIsForOne = "a link is for one transfer; {unmark-all} takes the marks away"
  static let markedRowOutOfSight = "the marked row is not in sight; go to it first"

  static func marked(_ count: Int) -> String { "\(count) marked" }

  /// - Parameter reason: Why none of them can; nil when they have different reasons.
  static func noneOfMarked(_ count: Int, because reason: String?) -> String {
    let none = "none of the \(count) marked can"
    return reason.map { none + ": " + $0 } ?? none
  }
}
