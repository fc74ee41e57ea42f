import KettleModel

/// The part of the queue to read from the store.
package enum QueueRead: Sendable, Hashable {
  case at(Origin, countMax: Int)
  /// All hosts but these.
  case elsewhere(than: Set<Origin>, countMax: Int)

  package var countMax: Int {
    switch self {
    case .at(_, let countMax), .elsewhere(_, let countMax): countMax
    }
  }
}
