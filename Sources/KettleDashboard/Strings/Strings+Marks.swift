/// Marks, and controls over many transfers.
extension Strings {
  static let allAreMarked = "all are already marked"
  static let nothingIsMarked = "nothing is marked; {mark} marks a row"
  static let linkIsForOne = "a link applies to one transfer; {unmark-all} clears the marks"
  static let markedRowOutOfSight = "the marked row is not loaded; move to it first"

  static func marked(_ count: Int) -> String { "\(count) marked" }

  /// - Parameter reason: Why none of them can; nil when they have different reasons.
  static func noneOfMarked(_ count: Int, because reason: String?) -> String {
    let none = "not possible for any of the \(count) marked"
    return reason.map { none + ": " + $0 } ?? none
  }
}
