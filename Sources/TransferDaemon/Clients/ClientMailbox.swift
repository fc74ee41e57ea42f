import ControlProtocol
import KettleSystem
import TransferEngine
import TransferModel

/// What waits to be sent to one client, and what wakes those who send it.
final class ClientMailbox: Sendable {
  /// Which events the client asked for.
  enum Watching: Sendable, Hashable {
    case nothing
    case states
    case progress
  }

  /// How it is told of those that become completed.
  enum CompletedForm: Sendable, Hashable {
    case events
    /// By their ids, those of a while together.
    case gathered
  }

  private struct State: Sendable {
    var outbox = ClientOutbox()
    var watching = Watching.nothing
    /// Of which session; nil is all.
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
  }

  private let state = Mutex(State())
  /// Yields when there is something to send; ends when the client is to be dropped.
  let mail: AsyncStream<Void>
  private let mailSignal: AsyncStream<Void>.Continuation
  /// Yields when the rows of the viewport may be others; many changes are one signal.
  let viewportChanges: AsyncStream<Void>
  private let viewportSignal: AsyncStream<Void>.Continuation
  /// Yields when ids of the completed were gathered that wait to be sent.
  let gatherings: AsyncStream<Void>
  private let gatheringSignal: AsyncStream<Void>.Continuation

  init() {
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

  func greet(isWatchedByPerson: Bool) {
    state.withLock { $0.isWatchedByPerson = isWatchedByPerson }
  }

  /// - Parameters:
  ///   - session: the one to tell of; nil is all.
  ///   - states: tells only of what is in one of these or just was; nil is all.
  func watch(
    _ watching: Watching, of session: SessionID? = nil, in states: Set<TransferState>? = nil,
    completed: CompletedForm = .events
  ) {
    state.withLock { state in
      state.watching = watching
      state.watchedSession = session
      state.watchedStates = states
      state.completedForm = completed
    }
  }

  func look(at viewport: Viewport) {
    state.withLock { $0.viewport = viewport }
    viewportSignal.yield()
  }

  /// The rows or the totals are others, by something that is no event.
  func refreshViewport() {
    if viewport != nil { viewportSignal.yield() }
  }

  func tell(_ listed: ListedTransfers, at now: WallTime) {
    // Rows are made for who wants them.
    guard state.withLock({ $0.wants(listed) }) else { return refreshViewport() }
    for row in listed.rows { tell(TransferEvent(kind: .added, id: row.id, at: now, snapshot: row)) }
  }

  /// - Parameter before: the state in which the transfer was; nil when it is not known.
  func tell(_ event: TransferEvent, since before: TransferState? = nil) {
    let (isWanted, isGathered, hasViewport) = state.withLock { state in
      (state.wants(event, since: before), state.gathers(event), state.viewport != nil)
    }
    switch (isWanted, isGathered) {
    case (true, true): put(gatheringSignal) { $0.put(completed: IDRuns([event.id])) }
    case (true, false): put(mailSignal) { $0.put(event: event) }
    case (false, _): break
    }
    if hasViewport { viewportSignal.yield() }
  }

  /// What was gathered is to be sent.
  func sendGathered() { mailSignal.yield() }

  func send(reply line: [UInt8]) { put(mailSignal) { $0.put(reply: line) } }

  func send(window: RowWindow) { put(mailSignal) { $0.put(viewport: window) } }

  func next() -> ClientOutbox.Item? { state.withLock { $0.outbox.next() } }

  func close() {
    mailSignal.finish()
    viewportSignal.finish()
    gatheringSignal.finish()
  }

  private func put(
    _ signal: AsyncStream<Void>.Continuation,
    _ body: (inout ClientOutbox) -> ClientOutbox.PutResult
  ) {
    switch state.withLock({ body(&$0.outbox) }) {
    case .kept: signal.yield()
    case .overflow: close()
    }
  }
}
