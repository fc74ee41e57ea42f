import KettleModel

/// The part of the line that is wanted.
package enum LineRequest: Sendable, Hashable {
  case at(Origin, countMax: Int)
  /// Of all hosts but these.
  case elsewhere(than: Set<Origin>, countMax: Int)

  package var countMax: Int {
    switch self {
    case .at(_, let countMax), .elsewhere(_, let countMax): countMax
    }
  }
}
