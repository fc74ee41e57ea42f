import KettleModel

/// The queue of messages to one client. A client that does not read costs the service a bounded
/// amount of memory and no work.
///
/// Replies and events leave in the order of their arrival. The window of rows is a slot: a newer
/// one replaces the unsent one. The unsent progress of a transfer is added up, and the ids of
/// completed transfers are gathered while no other message follows them.
///
/// Events are bounded. A client that falls further behind receives `resynchronise` in place of all
/// waiting events and of those that arrive until it reads that notice. A client that did not
/// request this must be dropped, because its view would be wrong. Replies are bounded by the
/// sender, which handles no further request unless `hasRoomForReplies`.
package struct ClientOutbox: Sendable {
  package struct Limits: Hashable, Sendable {
    package var eventCountMax: Int
    /// The approximate limit for events.
    package var eventByteCountMax: Int
    /// Above this limit no further request is handled. A single reply may be larger.
    package var replyByteCountMax: Int

    package init(
      eventCountMax: Int = 20_000, eventByteCountMax: Int = 16 << 20,
      replyByteCountMax: Int = 64 << 10
    ) {
      self.eventCountMax = eventCountMax
      self.eventByteCountMax = eventByteCountMax
      self.replyByteCountMax = replyByteCountMax
    }
  }

  /// The treatment of a client for which too many events wait.
  package enum Lag: Hashable, Sendable {
    case resynchronises
    case isDropped
  }

  /// The result of `put`.
  package enum PutResult: Hashable, Sendable {
    case kept
    /// The event is left out; the client will receive `resynchronise`.
    case leftOut
    /// The client reads too slowly: drop it. Everything that waited is discarded.
    case overflow
  }

  /// The next message to send.
  package enum Item: Sendable {
    case reply([UInt8])
    /// `bytesWritten` replaces the event's own value.
    case event(any OutboxEvent, bytesWritten: Int64?)
    /// Any notification but an event.
    case notification(ControlNotification)

    /// Returns nil for a reply.
    package var notification: ControlNotification? {
      switch self {
      case .reply: return nil
      case .event(let shared, let bytesWritten):
        var event = shared.event
        event.bytesWritten = bytesWritten
        return .event(event)
      case .notification(let notification): return notification
      }
    }
  }

  private enum State {
    case open(Waiting)
    /// Events are left out until the client reads the notice of the gap.
    case behind(Waiting)
    case overflowed
  }

  /// The treatment when too many events wait. Set when the client subscribes to events.
  package var lag: Lag
  private let limits: Limits
  private var state = State.open(Waiting())
  /// The size of the item that was taken last.
  private var sending = Size()

  package init(limits: Limits = Limits(), lag: Lag = .isDropped) {
    self.limits = limits
    self.lag = lag
  }

  package var isEmpty: Bool { waiting?.isEmpty ?? true }

  /// Whether events are being left out.
  package var isBehind: Bool {
    switch state {
    case .behind: true
    case .open, .overflowed: false
    }
  }

  /// Whether the client must be dropped.
  package var isOverflowed: Bool { waiting == nil }

  /// The approximate memory used for the client. What is being sent counts twice: as a line, and in
  /// the buffer of the socket.
  package var heldByteCount: Int {
    guard let waiting else { return 0 }
    return waiting.size.byteCount + 2 * sending.byteCount
  }

  /// Whether another request may be handled.
  package var hasRoomForReplies: Bool {
    guard let waiting else { return false }
    return waiting.size.replyByteCount + sending.replyByteCount <= limits.replyByteCountMax
  }

  /// Whether a window waits or is being sent.
  package var hasWindow: Bool {
    guard let waiting else { return false }
    return waiting.size.viewportByteCount + sending.viewportByteCount > 0
  }

  package mutating func put(reply line: [UInt8]) -> PutResult {
    take { $0.add(reply: line) } == nil ? .overflow : .kept
  }

  package mutating func put(viewport window: RowWindow) -> PutResult {
    take { $0.setViewport(window) } == nil ? .overflow : .kept
  }

  package mutating func put(event: any OutboxEvent) -> PutResult { putEvent { $0.add(event) } }

  /// Gathers the ids with those that wait, unless another message arrived since.
  package mutating func put(completed runs: IDRuns) -> PutResult {
    putEvent { $0.add(completed: runs) }
  }

  /// Records a gap before the next events: `resynchronise` replaces the waiting ones.
  package mutating func putGap() {
    if !isBehind { _ = take { $0.leaveOutEvents() } }
  }

  /// Returns the next item to send; the previous one has been sent.
  package mutating func next() -> Item? {
    sending = Size()
    guard let (item, size) = take({ $0.removeFirst() }) ?? nil else { return nil }
    sending = size
    if case .notification(.resynchronise) = item, case .behind(let waiting) = state {
      state = .open(waiting)
    }
    return item
  }

  /// How much memory `giveUpEvents` would free.
  package var spareByteCount: Int {
    guard case .resynchronises = lag else { return 0 }
    return waiting?.size.eventByteCount ?? 0
  }

  /// Leaves out events from here on, or drops a client that did not request `resynchronise`.
  package mutating func giveUpEvents() -> PutResult {
    switch (state, lag) {
    case (.open(var waiting), .resynchronises):
      waiting.leaveOutEvents()
      state = .behind(waiting)
      return .leftOut
    case (.behind, .resynchronises): return .leftOut
    case (.open, .isDropped), (.behind, .isDropped), (.overflowed, _): return giveUp()
    }
  }

  /// Discards everything: the client must be dropped.
  package mutating func giveUp() -> PutResult {
    state = .overflowed
    return .overflow
  }

  private mutating func putEvent(_ add: (inout Waiting) -> Void) -> PutResult {
    if isBehind { return .leftOut }
    let limits = limits
    let isWithinLimits = take { waiting in
      add(&waiting)
      return waiting.eventCount <= limits.eventCountMax
        && waiting.size.eventByteCount <= limits.eventByteCountMax
    }
    switch isWithinLimits {
    case true?: return .kept
    case false?: return giveUpEvents()
    case nil: return .overflow
    }
  }

  private var waiting: Waiting? {
    switch state {
    case .open(let waiting), .behind(let waiting): waiting
    case .overflowed: nil
    }
  }

  /// Passes the queue to `body` without a second reference, which would copy it at each change.
  /// Returns nil after an overflow.
  private mutating func take<Result>(_ body: (inout Waiting) -> Result) -> Result? {
    switch state {
    case .open(var waiting):
      state = .overflowed
      defer { state = .open(waiting) }
      return body(&waiting)
    case .behind(var waiting):
      state = .overflowed
      defer { state = .behind(waiting) }
      return body(&waiting)
    case .overflowed: return nil
    }
  }
}
