import KettleModel

/// The part of the queue to read from the store.
package struct QueueRead: Sendable, Hashable {
  package enum Place: Sendable, Hashable {
    case at(Origin)
    /// All hosts but these.
    case elsewhere(than: Set<Origin>)
  }

  package var place: Place
  package var countMax: Int
  /// The user's queues whose transfers are passed over.
  package var leftOut: Set<QueueName> = []

  package init(_ place: Place, countMax: Int) {
    self.place = place
    self.countMax = countMax
  }

  package static func at(_ origin: Origin, countMax: Int) -> QueueRead {
    QueueRead(.at(origin), countMax: countMax)
  }

  package static func elsewhere(than origins: Set<Origin>, countMax: Int) -> QueueRead {
    QueueRead(.elsewhere(than: origins), countMax: countMax)
  }
}
