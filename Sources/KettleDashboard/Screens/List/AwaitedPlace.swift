import KettleModel

/// A queued transfer that the user has moved, until its new place is known.
struct AwaitedPlace: Hashable, Sendable {
  private let id: TransferID
  private let placeBefore: Int
  private let until: MonotonicTime

  /// Returns nil for a transfer that has no place in the queue.
  init?(_ row: TransferSnapshot, at now: MonotonicTime) {
    guard let place = row.heldBack?.rank else { return nil }
    id = row.id
    placeBefore = place
    until = now.advanced(byMilliseconds: 3000)
  }

  /// A later change has another cause.
  func isOver(at now: MonotonicTime) -> Bool { until <= now }

  func newPlace(in window: ListWindow) -> Int? {
    let place = window.rows.first { $0.id == id }?.heldBack?.rank
    return place == placeBefore ? nil : place
  }
}
