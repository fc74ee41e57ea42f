import KettleModel

/// The rows that the service was asked to send.
struct RowSubscription: Hashable, Sendable {
  /// nil before the first request, and when it must be repeated.
  private(set) var viewport: Viewport?
  /// The service returns it with the rows: another tag means an earlier filter or order.
  private var tag = 0

  /// Returns whether rows belong to the current filter and order.
  func accepts(_ window: ListWindow) -> Bool { window.tag == nil || window.tag == tag }

  /// The next request is sent even if it asks for the same rows.
  mutating func forget() { viewport = nil }

  /// Returns the request for other rows; nothing when they are the same as before.
  mutating func request(_ wanted: Viewport) -> [ScreenRequest] {
    var wanted = wanted
    wanted.tag = tag
    if let known = viewport {
      var same = known
      // An anchor that is no longer needed is no reason for a new request.
      if wanted.anchor == nil { same.anchor = nil }
      guard wanted != same else { return [] }
      if wanted.filter != same.filter || wanted.sort != same.sort || wanted.folded != same.folded
        || wanted.anchor != same.anchor
      {
        tag &+= 1
        wanted.tag = tag
      }
    }
    viewport = wanted
    return [.service(.subscribe(wanted))]
  }
}

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
