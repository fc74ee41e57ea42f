import KettleModel

/// The queue of messages to one client. A client that does not read costs the service a bounded
/// amount of memory and no work.
///
/// Replies and events leave in the order of their arrival. A reply that lists what the following
/// events change reserves its place when the list is read (`reserveReply`), so that each event is
/// either in the list or behind it. The window of rows is a slot: a newer
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

  /// What happens to a client whose event queue overflows.
  package enum Lag: Hashable, Sendable {
    case resynchronises
    case isDropped
  }

  /// The result of `enqueue`.
  package enum EnqueueResult: Hashable, Sendable {
    case queued
    /// The event is omitted; the client will receive `resynchronise`.
    case omitted
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
    /// Events are omitted until the client reads the gap notice.
    case behind(Waiting)
    case overflowed
  }

  /// The treatment when too many events wait. Set when the client subscribes to events.
  package var lag: Lag
  private let limits: Limits
  private var state = State.open(Waiting())
  /// The size of the items that were taken last.
  private var sending = Size()

  package init(limits: Limits = Limits(), lag: Lag = .isDropped) {
    self.limits = limits
    self.lag = lag
  }

  package var isEmpty: Bool { waiting?.isEmpty ?? true }

  /// Whether events are being omitted.
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
  package var usedByteCount: Int {
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

  package mutating func enqueue(reply line: [UInt8]) -> EnqueueResult {
    withWaiting { $0.add(reply: line) } == nil ? .overflow : .queued
  }

  /// Reserves the place of the next reply. What arrives from here on is sent after it.
  package mutating func reserveReply() -> EnqueueResult {
    withWaiting { $0.reserveReply() } == nil ? .overflow : .queued
  }

  package mutating func enqueue(viewport window: RowWindow) -> EnqueueResult {
    withWaiting { $0.setViewport(window) } == nil ? .overflow : .queued
  }

  package mutating func enqueue(event: any OutboxEvent) -> EnqueueResult {
    enqueueEvent { $0.add(event) }
  }

  /// Gathers the ids with those that wait, unless another message arrived since.
  package mutating func enqueue(completed runs: IDRuns) -> EnqueueResult {
    enqueueEvent { $0.add(completed: runs) }
  }

  /// Records a gap before the next events: `resynchronise` replaces the waiting ones.
  package mutating func enqueueGap() {
    if !isBehind { _ = withWaiting { $0.omitEvents() } }
  }

  /// Returns the next item to send; what was taken before has been sent.
  package mutating func next() -> Item? { next(byteCountMax: 0).first }

  /// Returns the next items to send; the previous ones have been sent.
  ///
  /// Takes items until their size reaches `byteCountMax`, and at least one if any waits.
  package mutating func next(byteCountMax: Int) -> [Item] {
    sending = Size()
    var items: [Item] = []
    while items.isEmpty || sending.byteCount < byteCountMax,
      let (item, size) = withWaiting({ $0.removeFirst() }) ?? nil
    {
      sending += size
      items.append(item)
      if case .notification(.resynchronise) = item, case .behind(let waiting) = state {
        state = .open(waiting)
      }
    }
    return items
  }

  /// How much memory `omitEvents` would free.
  package var droppableByteCount: Int {
    guard case .resynchronises = lag else { return 0 }
    return waiting?.size.eventByteCount ?? 0
  }

  /// Omits events from here on, or drops a client that did not request `resynchronise`.
  package mutating func omitEvents() -> EnqueueResult {
    switch (state, lag) {
    case (.open(var waiting), .resynchronises):
      waiting.omitEvents()
      state = .behind(waiting)
      return .omitted
    case (.behind, .resynchronises): return .omitted
    case (.open, .isDropped), (.behind, .isDropped), (.overflowed, _): return discardAll()
    }
  }

  /// Discards everything: the client must be dropped.
  package mutating func discardAll() -> EnqueueResult {
    state = .overflowed
    return .overflow
  }

  private mutating func enqueueEvent(_ add: (inout Waiting) -> Void) -> EnqueueResult {
    if isBehind { return .omitted }
    let limits = limits
    let isWithinLimits = withWaiting { waiting in
      add(&waiting)
      return waiting.eventCount <= limits.eventCountMax
        && waiting.size.eventByteCount <= limits.eventByteCountMax
    }
    switch isWithinLimits {
    case true?: return .queued
    case false?: return omitEvents()
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
  private mutating func withWaiting<Result>(_ body: (inout Waiting) -> Result) -> Result? {
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

/// An event in an outbox. All clients share one object, so an event costs each of them a reference.
package protocol OutboxEvent: Sendable {
  var event: TransferEvent { get }
  var outline: EventOutline { get }
}

/// The facts that an outbox needs about an event, without copying it.
package struct EventOutline: Hashable, Sendable {
  package let id: TransferID
  package let kind: TransferEvent.Kind
  package let bytesWritten: Int64?
  /// The approximate size of its line.
  package let byteCount: Int

  package init(_ event: TransferEvent) {
    id = event.id
    kind = event.kind
    bytesWritten = event.bytesWritten
    byteCount = event.snapshot.estimatedByteCount
  }
}

extension TransferEvent: OutboxEvent {
  package var event: TransferEvent { self }
  package var outline: EventOutline { EventOutline(self) }
}

extension TransferSnapshot {
  /// The names and numbers as JSON are less than 640 bytes; the rest is text.
  var estimatedByteCount: Int {
    [title, subtitle, url, path, error?.subject, error?.detail].reduce(640) {
      $0 + ($1?.utf8.count ?? 0)
    }
  }
}

extension RowWindow {
  /// The approximate size of its line.
  var estimatedByteCount: Int { rows.reduce(1024) { $0 + $1.estimatedByteCount } }
}
