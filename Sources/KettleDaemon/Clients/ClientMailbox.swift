import KettleControl
import KettleEngine
import KettleModel
import KettleSystem
import struct Synchronization.Atomic

/// The outgoing items of one client, and the signals for the tasks that send them.
final class ClientMailbox: Sendable {
  /// Which events the client subscribed to.
  enum Watching: Sendable, Hashable {
    case nothing
    case states
    case progress
  }

  /// How the client is notified of completed transfers.
  enum CompletedForm: Sendable, Hashable {
    case events
    /// As ids, several at a time.
    case gathered
  }

  /// Items that are being sent to a client.
  struct Sending: Sendable {
    /// Smaller the longer they have been in transit.
    var since: UInt64
    /// Includes the items queued behind them.
    var usedByteCount: Int
    /// How many of those bytes can be dropped so that the client requests them again.
    var droppableByteCount: Int
  }

  private struct State: Sendable {
    var outbox: ClientOutbox
    /// The items that the client has not read yet.
    var sendingSince: UInt64?
    /// The part of `outbox` that is already accounted for in `mailboxes`.
    var accountedByteCount = 0
    /// Finished when enough replies have been read.
    var replyRoom: Completion<Void>?
    /// Finished when the window has been read.
    var windowRead: Completion<Void>?
    var isClosed = false

    var watching = Watching.nothing
    /// nil for all.
    var watchedSession: SessionID?
    /// nil for all.
    var watchedStates: Set<TransferState>?
    var completedForm = CompletedForm.events
    var viewport: Viewport?
    var isWatchedByPerson = false
    /// Whether its list is the queue of a fleet: no event of the engine is for it.
    var isOfFleet = false

    func wants(_ event: TransferEvent, since before: TransferState?) -> Bool {
      if let watchedSession, watchedSession != event.snapshot.session { return false }
      if let watchedStates, event.kind != .removed, !watchedStates.contains(event.snapshot.state) {
        guard let before, watchedStates.contains(before) else { return false }
      }
      return event.kind == .progress ? watching == .progress : watching != .nothing
    }

    func wants(_ listed: ListedTransfers) -> Bool {
      if let watchedSession, !listed.includes(watchedSession) { return false }
      if let watchedStates, watchedStates.isDisjoint(with: listed.counts.keys) { return false }
      return watching != .nothing
    }

    func gathers(_ event: TransferEvent) -> Bool {
      switch (completedForm, event.kind) {
      case (.gathered, .stateChanged): event.snapshot.state == .completed
      case (.events, _), (.gathered, .added), (.gathered, .progress), (.gathered, .removed): false
      }
    }

    /// Returns the waiters whose items have been read since.
    mutating func takeWaiters() -> [Completion<Void>] {
      var waiters: [Completion<Void>] = []
      if isClosed || outbox.hasRoomForReplies, let replyRoom {
        waiters.append(replyRoom)
        self.replyRoom = nil
      }
      if isClosed || !outbox.hasWindow, let windowRead {
        waiters.append(windowRead)
        self.windowRead = nil
      }
      return waiters
    }
  }

  /// Yields when there is something to send; ends when the client has left or is dropped.
  let mail: AsyncStream<Void>
  private let mailSignal: AsyncStream<Void>.Continuation
  /// Yields when the rows of the viewport may have changed; many changes are coalesced into one
  /// signal.
  let viewportChanges: AsyncStream<Void>
  private let viewportSignal: AsyncStream<Void>.Continuation
  /// Yields when gathered ids of completed transfers are waiting to be sent.
  let gatherings: AsyncStream<Void>
  private let gatheringSignal: AsyncStream<Void>.Continuation

  private let state: Mutex<State>
  private let mailboxes: Mailboxes
  /// Whether events are accepted; when false, an event costs nothing.
  private let takesEvents = Atomic(false)
  /// Whether a change of the rows is signalled.
  private let takesChanges = Atomic(false)

  init(in mailboxes: Mailboxes, _ limits: ClientOutbox.Limits) {
    self.mailboxes = mailboxes
    state = Mutex(State(outbox: ClientOutbox(limits: limits)))
    (gatherings, gatheringSignal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    (mail, mailSignal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    (viewportChanges, viewportSignal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  var wantsProgress: Bool {
    state.withLock { !$0.isOfFleet && ($0.viewport != nil || $0.watching == .progress) }
  }

  var viewport: Viewport? { state.withLock { $0.viewport } }

  /// Whether the client declared that a person watches it.
  var isWatchedByPerson: Bool { state.withLock { $0.isWatchedByPerson } }

  /// The items that the client has not read yet; nil if there are none.
  var sending: Sending? {
    state.withLock { state in
      state.sendingSince.map {
        Sending(
          since: $0, usedByteCount: state.outbox.usedByteCount,
          droppableByteCount: state.outbox.droppableByteCount)
      }
    }
  }

  /// Whether the client's list is the queue of a fleet.
  var isOfFleet: Bool { state.withLock { $0.isOfFleet } }

  func greet(isWatchedByPerson: Bool, isOfFleet: Bool = false) {
    state.withLock { state in
      // The service still tells people about its own list.
      state.isWatchedByPerson = isWatchedByPerson && !isOfFleet
      state.isOfFleet = isOfFleet
      updateTakesEvents(state)
    }
  }

  // MARK: Subscriptions

  /// - Parameters:
  ///   - session: sends only events of this session; nil for all.
  ///   - states: sends only events of transfers that are or just were in one; nil for all.
  func watch(
    _ watching: Watching, of session: SessionID? = nil, in states: Set<TransferState>? = nil,
    completed: CompletedForm = .events, lag: ClientOutbox.Lag = .isDropped
  ) {
    state.withLock { state in
      state.watching = watching
      state.watchedSession = session
      state.watchedStates = states
      state.completedForm = completed
      state.outbox.lag = lag
      updateTakesEvents(state)
    }
  }

  func subscribe(to viewport: Viewport) {
    state.withLock { $0.viewport = viewport }
    willReadRows()
    viewportSignal.yield()
  }

  private func updateTakesEvents(_ state: borrowing State) {
    takesEvents.store(
      state.watching != .nothing && !state.isOfFleet && !state.outbox.isBehind && !state.isClosed,
      ordering: .relaxed)
  }

  // MARK: Engine events

  /// Called before the rows are read: the next change is signalled.
  func willReadRows() { takesChanges.store(true, ordering: .sequentiallyConsistent) }

  /// Called when the rows or the totals have changed. It costs nothing if that was already
  /// signalled.
  func refreshViewport() {
    guard takesChanges.load(ordering: .relaxed),
      takesChanges.exchange(false, ordering: .sequentiallyConsistent)
    else { return }
    viewportSignal.yield()
  }

  /// Whether events are considered at all.
  var isWatching: Bool { takesEvents.load(ordering: .relaxed) }

  func wants(_ listed: ListedTransfers) -> Bool {
    isWatching && state.withLock { $0.wants(listed) }
  }

  /// - Parameter before: the previous state of the transfer; nil if unknown.
  func deliver(_ shared: SharedEvent, since before: TransferState? = nil) {
    if isWatching { enqueue(shared, since: before) }
  }

  /// Enqueues an event of the list that the client watches, whether that is the engine's or the
  /// fleet's.
  func enqueue(_ shared: SharedEvent, since before: TransferState?) {
    change { state in
      guard state.wants(shared.event, since: before) else { return nil }
      if state.gathers(shared.event) {
        return (state.outbox.enqueue(completed: IDRuns([shared.event.id])), gatheringSignal)
      }
      return (state.outbox.enqueue(event: shared), mailSignal)
    }
    mailboxes.relieve()
  }

  // MARK: Sending

  /// Triggers the sending of gathered ids.
  func sendGathered() { mailSignal.yield() }

  /// Reserves the place of the next reply, which must follow. Events that arrive from here on are
  /// sent after it.
  func reserveReply() {
    change { ($0.outbox.reserveReply(), mailSignal) }
  }

  func send(reply line: [UInt8]) {
    change { ($0.outbox.enqueue(reply: line), mailSignal) }
    mailboxes.relieve()
  }

  func send(window: RowWindow) {
    change { ($0.outbox.enqueue(viewport: window), mailSignal) }
    mailboxes.relieve()
  }

  /// Returns the next items to send, as `ClientOutbox` does. The client has read the previous ones.
  func next(byteCountMax: Int) -> [ClientOutbox.Item] {
    let (items, waiters) = state.withLock { state in
      let items = state.outbox.next(byteCountMax: byteCountMax)
      state.sendingSince = items.isEmpty ? nil : mailboxes.nextReadNumber()
      updateTakesEvents(state)
      account(&state)
      return (items, state.takeWaiters())
    }
    for waiter in waiters { waiter.finish() }
    return items
  }

  /// Waits until the client has read enough replies for another request to be handled. Returns
  /// false if it has left.
  func waitForReplyRoom() async -> Bool {
    let waiter: Completion<Void>? = state.withLock { state in
      guard !state.isClosed, !state.outbox.hasRoomForReplies else { return nil }
      let waiter = state.replyRoom ?? Completion()
      state.replyRoom = waiter
      return waiter
    }
    await waiter?.value()
    return state.withLock { !$0.isClosed }
  }

  /// Whether the client has not read the last window yet.
  var hasWindow: Bool { state.withLock { $0.outbox.hasWindow } }

  /// Waits until the client has read the last window.
  func waitUntilWindowIsRead() async {
    let waiter: Completion<Void>? = state.withLock { state in
      guard !state.isClosed, state.outbox.hasWindow else { return nil }
      let waiter = state.windowRead ?? Completion()
      state.windowRead = waiter
      return waiter
    }
    await waiter?.value()
  }

  /// Drops events, so that the client requests again, because too much is waiting for all clients
  /// together.
  func omitEvents() {
    change { ($0.outbox.omitEvents(), mailSignal) }
  }

  /// Drops the client, because too much is waiting for all clients together.
  func discardAll() {
    change { ($0.outbox.discardAll(), mailSignal) }
  }

  /// Whether the client is dropped because it reads too slowly.
  var isOverflowed: Bool { state.withLock { $0.outbox.isOverflowed } }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Queued items are still sent; new ones are not accepted.
  func close() {
    let waiters = state.withLock { state in
      state.isClosed = true
      updateTakesEvents(state)
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.finish() }
    mailSignal.finish()
    viewportSignal.finish()
    gatheringSignal.finish()
  }

  /// The result of a change, and the signal that wakes the task that sends.
  private typealias Change = (ClientOutbox.EnqueueResult, AsyncStream<Void>.Continuation)

  private func change(_ body: (inout State) -> Change?) {
    let done: Change? = state.withLock { state in
      guard let done = body(&state) else { return nil }
      updateTakesEvents(state)
      account(&state)
      return done
    }
    switch done {
    case (.queued, let signal)?: signal.yield()
    case (.omitted, _)?: mailSignal.yield()
    case (.overflow, _)?: return close()
    case nil: return
    }
  }

  private func account(_ state: inout State) {
    let byteCount = state.outbox.usedByteCount
    mailboxes.account(byteCount - state.accountedByteCount)
    state.accountedByteCount = byteCount
  }

  deinit { mailboxes.account(-state.withLock { $0.accountedByteCount }) }
}
