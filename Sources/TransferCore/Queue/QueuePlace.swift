import TransferModel

/// Where a transfer stands in the list that people put in order. Smaller is further up.
package struct QueuePlace: Sendable, Hashable, Comparable {
  package var position: Int64
  package var id: TransferID

  package init(position: Int64, id: TransferID) {
    self.position = position
    self.id = id
  }

  package init(_ record: TransferRecord) {
    self.init(position: record.queuePosition, id: record.id)
  }

  package static func < (left: QueuePlace, right: QueuePlace) -> Bool {
    left.position == right.position ? left.id < right.id : left.position < right.position
  }
}

extension QueuePlace {
  /// Positions that leave room on both sides for more moves than anybody makes.
  private static let usablePositions: ClosedRange<Int64> = -(1 << 52)...(1 << 52)

  /// Gives every record a position of its own in the order that they have. Those of a healthy store
  /// are left alone; where damage made two alike, to change them with each other would do nothing.
  static func repair(_ records: [TransferRecord]) -> [TransferRecord] {
    let positions = Set(records.map(\.queuePosition))
    if positions.count == records.count, positions.allSatisfy(usablePositions.contains) {
      return records
    }
    var repaired = records
    let order = records.indices.sorted {
      QueuePlace(records[$0]) < QueuePlace(records[$1])
    }
    for (position, index) in order.enumerated() {
      repaired[index].queuePosition = Int64(position) + 1
    }
    return repaired
  }
}
