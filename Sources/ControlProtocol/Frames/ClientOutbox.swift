import TransferModel

/// What waits to be sent to one client, so that a client that does not read costs the service a
/// bounded amount of memory and nothing else.
///
/// Replies and events leave in the order in which they came. The window of rows is a slot: a newer
/// one takes the place of the unsent one. Progress of a transfer is added up as long as it waits,
/// and ids of the completed are gathered as long as nothing comes behind them.
/// A client that lets more gather than the limits allow is to be dropped: an event that is left
/// out would make it believe something wrong.
package struct ClientOutbox: Sendable {
  package struct Limits: Hashable, Sendable {
    package var eventCountMax: Int
    /// Of replies and, roughly, of events. One reply by itself may be larger.
    package var byteCountMax: Int

    package init(eventCountMax: Int = 10_000, byteCountMax: Int = 8 * 1024 * 1024) {
      self.eventCountMax = eventCountMax
      self.byteCountMax = byteCountMax
    }
  }

  /// Answers to `put`.
  package enum PutResult: Hashable, Sendable {
    case kept
    /// The client reads too slowly: drop it. Everything that waited is gone.
    case overflow
  }

  /// What to send next.
  package enum Item: Hashable, Sendable {
    case reply([UInt8])
    case notification(ControlNotification)
  }

  private enum State {
    case open(Waiting)
    case overflowed
  }

  private let limits: Limits
  private var state = State.open(Waiting())

  package init(limits: Limits = Limits()) { self.limits = limits }

  package var isEmpty: Bool {
    switch state {
    case .open(let waiting): waiting.isEmpty
    case .overflowed: true
    }
  }

  package mutating func put(reply line: [UInt8]) -> PutResult {
    put { waiting, limits in
      let isAlone = waiting.byteCount == 0
      waiting.add(reply: line)
      return isAlone || waiting.byteCount <= limits.byteCountMax
    }
  }

  package mutating func put(viewport window: RowWindow) -> PutResult {
    put { waiting, _ in
      waiting.setViewport(window)
      return true
    }
  }

  package mutating func put(event: TransferEvent) -> PutResult {
    put { waiting, limits in
      waiting.add(event)
      return waiting.eventCount <= limits.eventCountMax
        && waiting.byteCount <= limits.byteCountMax
    }
  }

  /// Told with those that wait to be told so, when nothing else came since.
  package mutating func put(completed runs: IDRuns) -> PutResult {
    put { waiting, limits in
      waiting.add(completed: runs)
      return waiting.byteCount <= limits.byteCountMax
    }
  }

  package mutating func next() -> Item? {
    take { $0.removeFirst() }
  }

  private mutating func put(_ change: (inout Waiting, Limits) -> Bool) -> PutResult {
    let limits = limits
    let isWithinLimits = take { change(&$0, limits) }
    switch isWithinLimits {
    case true?: return .kept
    case false?:
      state = .overflowed
      return .overflow
    case nil: return .overflow
    }
  }

  /// Lends what waits without a second owner, which would copy the queue at each change; nil
  /// after an overflow.
  private mutating func take<Result>(_ body: (inout Waiting) -> Result?) -> Result? {
    guard case .open(var waiting) = state else { return nil }
    state = .overflowed
    defer { state = .open(waiting) }
    return body(&waiting)
  }
}
