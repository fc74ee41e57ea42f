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

/// A login that the user has given, until it is known whether the server accepts it.
struct AwaitedLogin: Hashable, Sendable {
  private enum Phase: Hashable, Sendable {
    /// What is shown may be from before.
    case sent(at: MonotonicTime)
    case tried
  }

  let id: TransferID
  private var phase: Phase

  init(of id: TransferID, at now: MonotonicTime) {
    self.id = id
    phase = .sent(at: now)
  }

  /// The row if it waits for a login again.
  mutating func refusal(in window: ListWindow?, at now: MonotonicTime) -> TransferSnapshot? {
    guard let row = window?.rows.first(where: { $0.id == id }) else { return nil }
    guard row.state == .waiting, row.reason == .needsLogin else {
      phase = .tried
      return nil
    }
    switch phase {
    case .sent(let sentAt): return now.milliseconds(since: sentAt) >= 1000 ? row : nil
    case .tried: return row
    }
  }

  /// Whether bytes have come, or the transfer has ended.
  func isOver(in window: ListWindow?) -> Bool {
    guard let row = window?.rows.first(where: { $0.id == id }) else { return true }
    return row.state.isFinished || row.bytesPerSecond > 0
  }
}

/// What the list says of a row once it is known.
extension ListScreen {
  mutating func announcePlace(
    in next: ListWindow, _ context: ScreenContext
  ) -> [ScreenRequest] {
    guard let awaited = awaitedPlace else { return [] }
    if awaited.isOver(at: context.now.monotonic) { awaitedPlace = nil }
    guard let place = awaitedPlace?.newPlace(in: next) else { return [] }
    awaitedPlace = nil
    return [.say(Strings.moved(to: place, of: context.totals.count(.queued)))]
  }

  /// Says that a login that was given is refused.
  mutating func announceRefusal(_ context: ScreenContext) -> [ScreenRequest] {
    let refused = awaitedLogin?.refusal(in: window, at: context.now.monotonic)
    if refused != nil || awaitedLogin?.isOver(in: window) == true { awaitedLogin = nil }
    return refused.map { [.say(context.keymap.filled(Strings.loginRefused($0)), .problem)] } ?? []
  }
}
