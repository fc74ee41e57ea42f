import KettleControl
import KettleSystem
import struct Synchronization.Atomic
import KettleEngine
import KettleModel

/// What waits to be sent to one client, and what wakes the tasks that send it.
final class ClientMailbox: Sendable {
  /// Which events the client asked for.
  enum Watching: Sendable, Hashable {
    case nothing
    case states
    case progress
  }

  /// How the client learns of transfers that become completed.
  enum CompletedForm: Sendable, Hashable {
    case events
    /// By their ids, those of a while together.
    case gathered
  }

  /// An item on its way to a client.
  struct Sending: Sendable {
    /// Smaller the longer it is on its way.
    var since: UInt64
    /// With what waits behind it.
    var heldByteCount: Int
    /// How much of that the client can be made to ask for again.
    var spareByteCount: Int
  }

  private struct State: Sendable {
    var outbox: ClientOutbox
    /// The item that the client has not taken yet.
    var sendingSince: UInt64?
    /// What of `outbox` was told to the other mailboxes.
    var accountedByteCount = 0
    /// Finished when the replies have been taken.
    var room: Completion<Void>?
    /// Finished when the window has been taken.
    var windowTaken: Completion<Void>?
    var isClosed = false

    var watching = Watching.nothing
    /// nil is all.
    var watchedSession: SessionID?
    /// nil is all.
    var watchedStates: Set<TransferState>?
    var completedForm = CompletedForm.events
    var viewport: Viewport?
    var isWatchedByPerson = false

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

    /// Returns what waits for items that have been taken since.
    mutating func takeWaiters() -> [Completion<Void>] {
      var waiters: [Completion<Void>] = []
      if isClosed || outbox.hasRoomForReplies, let room {
        waiters.append(room)
        self.room = nil
      }
      if isClosed || !outbox.hasWindow, let windowTaken {
        waiters.append(windowTaken)
        self.windowTaken = nil
      }
      return waiters
    }
  }

  /// Yields when there is something to send; ends when the client has left or is to be dropped.
  let mail: AsyncStream<Void>
  private let mailSignal: AsyncStream<Void>.Continuation
  /// Yields when the rows of the viewport may have changed; many changes are one signal.
  let viewportChanges: AsyncStream<Void>
  private let viewportSignal: AsyncStream<Void>.Continuation
  /// Yields when ids of completed transfers were gathered that wait to be sent.
  let gatherings: AsyncStream<Void>
  private let gatheringSignal: AsyncStream<Void>.Continuation

  private let state: Mutex<State>
  private let mailboxes: Mailboxes
  /// Whether events are to be put in: false costs an event nothing.
  private let takesEvents = Atomic(false)
  /// Whether a change of the rows is to be signalled.
  private let takesChanges = Atomic(false)

  init(in mailboxes: Mailboxes, _ limits: ClientOutbox.Limits) {
    self.mailboxes = mailboxes
    state = Mutex(State(outbox: ClientOutbox(limits: limits)))
    (gatherings, gatheringSignal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    (mail, mailSignal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    (viewportChanges, viewportSignal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  var wantsProgress: Bool {
    state.withLock { $0.viewport != nil || $0.watching == .progress }
  }

  var viewport: Viewport? { state.withLock { $0.viewport } }

  /// Whether the client said that a person looks at it.
  var isWatchedByPerson: Bool { state.withLock { $0.isWatchedByPerson } }

  /// The item that the client has not taken yet; nil when there is none.
  var sending: Sending? {
    state.withLock { state in
      state.sendingSince.map {
        Sending(
          since: $0, heldByteCount: state.outbox.heldByteCount,
          spareByteCount: state.outbox.spareByteCount)
      }
    }
  }

  func greet(isWatchedByPerson: Bool) {
    state.withLock { $0.isWatchedByPerson = isWatchedByPerson }
  }

  // MARK: What the client wants

  /// - Parameters:
  ///   - session: the one whose events are sent; nil is all.
  ///   - states: sends only events of what is in one of these or just was; nil is all.
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
      takeEvents(state)
    }
  }

  func look(at viewport: Viewport) {
    state.withLock { $0.viewport = viewport }
    willReadRows()
    viewportSignal.yield()
  }

  private func takeEvents(_ state: borrowing State) {
    takesEvents.store(
      state.watching != .nothing && !state.outbox.isBehind && !state.isClosed, ordering: .relaxed)
  }

  // MARK: What the engine tells

  /// The rows are about to be read: the next change is signalled.
  func willReadRows() { takesChanges.store(true, ordering: .sequentiallyConsistent) }

  /// The rows or the totals have changed. It costs nothing when that was signalled already.
  func refreshViewport() {
    guard takesChanges.load(ordering: .relaxed),
      takesChanges.exchange(false, ordering: .sequentiallyConsistent)
    else { return }
    viewportSignal.yield()
  }

  /// Whether an event would be looked at.
  var isWatching: Bool { takesEvents.load(ordering: .relaxed) }

  func wants(_ listed: ListedTransfers) -> Bool {
    isWatching && state.withLock { $0.wants(listed) }
  }

  /// - Parameter before: the state in which the transfer was; nil when it is not known.
  func tell(_ shared: SharedEvent, since before: TransferState? = nil) {
    guard isWatching else { return }
    change { state in
      guard state.wants(shared.event, since: before) else { return nil }
      if state.gathers(shared.event) {
        return (state.outbox.put(completed: IDRuns([shared.event.id])), gatheringSignal)
      }
      return (state.outbox.put(event: shared), mailSignal)
    }
    mailboxes.relieve()
  }

  // MARK: What is sent

  /// What was gathered is to be sent.
  func sendGathered() { mailSignal.yield() }

  func send(reply line: [UInt8]) {
    change { ($0.outbox.put(reply: line), mailSignal) }
    mailboxes.relieve()
  }

  func send(window: RowWindow) {
    change { ($0.outbox.put(viewport: window), mailSignal) }
    mailboxes.relieve()
  }

  /// Takes the next item to send; the one before it has been taken by the client.
  func next() -> ClientOutbox.Item? {
    let (item, waiters) = state.withLock { state in
      let item = state.outbox.next()
      state.sendingSince = item.map { _ in mailboxes.countTaken() }
      takeEvents(state)
      account(&state)
      return (item, state.takeWaiters())
    }
    for waiter in waiters { waiter.finish() }
    return item
  }

  /// Waits until the client has taken enough replies for another request to be handled. Returns
  /// false when it has left.
  func room() async -> Bool {
    let waiter: Completion<Void>? = state.withLock { state in
      guard !state.isClosed, !state.outbox.hasRoomForReplies else { return nil }
      let waiter = state.room ?? Completion()
      state.room = waiter
      return waiter
    }
    await waiter?.value()
    return state.withLock { !$0.isClosed }
  }

  /// Whether the client has not taken the window that was sent last.
  var hasWindow: Bool { state.withLock { $0.outbox.hasWindow } }

  /// Waits until the client has taken the window that was sent last.
  func windowTaken() async {
    let waiter: Completion<Void>? = state.withLock { state in
      guard !state.isClosed, state.outbox.hasWindow else { return nil }
      let waiter = state.windowTaken ?? Completion()
      state.windowTaken = waiter
      return waiter
    }
    await waiter?.value()
  }

  /// Makes the client ask again, because too much waits for all clients together.
  func giveUpEvents() {
    change { ($0.outbox.giveUpEvents(), mailSignal) }
  }

  /// Drops the client, because too much waits for all clients together.
  func giveUp() {
    change { ($0.outbox.giveUp(), mailSignal) }
  }

  /// Whether the client is dropped because it reads too slowly.
  var isOverflowed: Bool { state.withLock { $0.outbox.isOverflowed } }

  /// What waits is still sent; nothing new comes.
  func close() {
    let waiters = state.withLock { state in
      state.isClosed = true
      takeEvents(state)
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.finish() }
    mailSignal.finish()
    viewportSignal.finish()
    gatheringSignal.finish()
  }

  /// What was put in, and the signal that wakes the task which sends it.
  private typealias Change = (ClientOutbox.PutResult, AsyncStream<Void>.Continuation)

  private func change(_ body: (inout State) -> Change?) {
    let done: Change? = state.withLock { state in
      guard let done = body(&state) else { return nil }
      takeEvents(state)
      account(&state)
      return done
    }
    switch done {
    case (.kept, let signal)?: signal.yield()
    case (.leftOut, _)?: mailSignal.yield()
    case (.overflow, _)?: return close()
    case nil: return
    }
  }

  private func account(_ state: inout State) {
    let byteCount = state.outbox.heldByteCount
    mailboxes.account(byteCount - state.accountedByteCount)
    state.accountedByteCount = byteCount
  }

  deinit { mailboxes.account(-state.withLock { $0.accountedByteCount }) }
}
