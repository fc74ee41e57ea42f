import Glibc
import KettleControl
import KettleEngine
import KettleModel
import KettleScheduler
import KettleSystem
import Logging

/// The sessions of programs: passes engine events and connections to `SessionTable`, which decides,
/// and performs the resulting actions in order.
///
/// Nothing here waits for a program. All actions go through one queue, so that a launch is recorded
/// before the program is started, and the last record is the final one.
final class SessionRegistry: Sendable {
  /// The service's functions that sessions use; the engine, except in tests.
  struct Ports: Sendable {
    /// Commits changes; when it returns they survive a power cut.
    var commit: @Sendable ([JournalChange]) async throws(EngineError) -> Void
    var setPolicy: @Sendable (SessionID, SessionPolicy) async -> Void
    var launch:
      @Sendable (
        LaunchCommand, SessionID, @escaping @Sendable (ProgramLauncher.Event) -> Void
      ) -> Void
  }

  private struct State {
    var table = SessionTable()
    /// Sessions that are being removed, with the tasks that wait to attach until the removal is
    /// finished.
    var removals: [SessionID: [CheckedContinuation<Void, Never>]] = [:]
    var phase = Phase.running
    var alarm: MonotonicTime?
  }

  private enum Phase {
    case running
    /// The service is shutting down: closed connections do not cause a launch.
    case ended
  }

  private typealias Outcome = Result<Void, EngineError>

  private enum AttachOutcome: Sendable {
    case inUse(processID: Int64)
    case recorded(Outcome)
  }

  /// Work in the queue, with the task that waits for it.
  private enum Job: Sendable {
    case actions([SessionAction])
    case attachment([SessionAction], CheckedContinuation<AttachOutcome, Never>)
    case removal(SessionID, CheckedContinuation<Outcome, Never>)
    /// The policy for a session's transfers changed because its program connected, disconnected, or
    /// was launched.
    case policy(SessionID)
    /// The time of the next alarm changed.
    case alarm
  }

  private let state = Mutex(State())
  private let clock: any EngineClock
  private let ports: Ports
  private let logger: Logger
  private let jobs: AsyncStream<Job>
  private let jobList: AsyncStream<Job>.Continuation

  /// - Parameter clock: a clock of its own, because a clock has only one alarm.
  init(clock: any EngineClock, ports: Ports, logger: Logger) {
    self.clock = clock
    self.ports = ports
    self.logger = logger
    (jobs, jobList) = AsyncStream.makeStream()
  }

  /// Performs queued jobs until the service shuts down.
  func run() async {
    for await job in jobs {
      switch job {
      case .actions(let actions): _ = await perform(actions)
      case .attachment(let actions, let waiting):
        waiting.resume(returning: .recorded(await perform(actions)))
      case .removal(let session, let waiting):
        waiting.resume(returning: await commit(.removeSession(session)))
      case .policy(let session): await setPolicy(of: session)
      case .alarm: setAlarm()
      }
    }
  }

  /// Prevents further launches; `run` returns when the remaining jobs are done.
  func end() {
    state.withLock { state in
      state.phase = .ended
      jobList.finish()
    }
    clock.wake(at: nil) {}
  }

  // MARK: Engine events

  func observe(_ event: EngineEvent) {
    switch event {
    case .added(let row), .changed(let row): change { table, _ in table.observe(row) }
    case .recovered, .listed, .loaded, .evicted, .progress, .cleared, .uncovered, .limited, .queues,
      .hooksDue:
      break
    case .removed(let row): change { table, _ in table.removed(row.id) }
    }
  }

  /// Loads the sessions from the store, after the engine has reported all transfers.
  func recover(_ records: [SessionRecord]) async {
    change { table, now in
      table.recover(records, at: now)
      return []
    }
    for record in records { await setPolicy(of: record.id) }
  }

  // MARK: Requests of programs

  /// Binds a connection to its session. When it returns, the session is in the store.
  func attach(
    _ client: ConnectedClient, _ params: AttachSession.Params
  ) async throws(ControlError) {
    await waitForRemoval(of: params.session)
    let holder = SessionHolder(
      connection: client.id.rawValue, processID: client.processID,
      processSession: Self.processSession(of: client.processID))
    let now = clock.now()
    let outcome = await withCheckedContinuation { continuation in
      state.withLock { state in
        switch state.phase {
        case .ended: continuation.resume(returning: AttachOutcome.recorded(.failure(.stopping)))
        case .running:
          switch state.table.attach(holder, to: params.session, params.options, at: now) {
          case .inUse(let processID): continuation.resume(returning: .inUse(processID: processID))
          case .attached(let actions): jobList.yield(.attachment(actions, continuation))
          }
          updateAlarm(&state)
        }
      }
    }
    switch outcome {
    case .inUse(let processID): throw ControlError(.sessionInUse, String(processID))
    case .recorded(.failure(let error)):
      change { table, now in table.detach(holder.connection, from: params.session, at: now) }
      throw ControlError(error)
    case .recorded(.success): await setPolicy(of: params.session)
    }
  }

  /// Passes the current policy of a session to the engine.
  private func setPolicy(of session: SessionID) async {
    let machine = state.withLock { $0.table.sessions[session] }
    guard let machine else { return }
    await ports.setPolicy(session, machine.policy)
  }

  /// Called when a connection ends.
  func disconnect(_ client: ClientID) {
    let held = state.withLock { $0.table.sessions(heldBy: client.rawValue) }
    change { table, now in table.detach(client.rawValue, at: now) }
    state.withLock { state in
      guard state.phase == .running else { return }
      for session in held { jobList.yield(.policy(session)) }
    }
  }

  /// Passes on what a launch, its failure or the passing of time changed.
  private func policyMayHaveChanged(of sessions: [SessionID]) {
    state.withLock { state in
      guard state.phase == .running else { return }
      for session in sessions { jobList.yield(.policy(session)) }
    }
  }

  func finishEvents(of session: SessionID, by client: ClientID) throws(ControlError) {
    try requireProgram(client, of: session)
    change { table, _ in table.finishEvents(of: session) }
  }

  /// Throws unless the client is the program of the session.
  func requireProgram(_ client: ClientID, of session: SessionID) throws(ControlError) {
    let (isKnown, isHeld) = state.withLock { state in
      (
        state.table.sessions[session] != nil,
        state.table.isHeld(session, by: client.rawValue)
      )
    }
    guard isKnown else { throw ControlError(.unknownSession, session.rawValue) }
    guard isHeld else { throw ControlError(.notAttached, session.rawValue) }
  }

  /// Throws if one of the tasks belongs to a session of another program. Returns which of the ids
  /// are tasks.
  func requireProgram(
    _ client: ClientID, of ids: [TransferID]
  ) throws(ControlError) -> Set<TransferID> {
    var known: Set<TransferID> = []
    let sessions = state.withLock { state in ids.map { state.table.session(of: $0) } }
    for (id, session) in zip(ids, sessions) {
      guard let session else { continue }
      try requireProgram(client, of: session)
      known.insert(id)
    }
    return known
  }

  // MARK: Removal

  /// Removes a session whose program is not connected, after `removing` has dealt with its
  /// transfers.
  func remove(
    _ session: SessionID, by client: ClientID,
    _ removing: @Sendable () async -> [TransferID]
  ) async throws(ControlError) -> [TransferID] {
    await waitForRemoval(of: session)
    let removal = state.withLock { state in
      let removal = state.table.remove(session, by: client.rawValue)
      if removal == .removed { state.removals[session] = [] }
      return removal
    }
    switch removal {
    case .unknown: throw ControlError(.unknownSession, session.rawValue)
    case .inUse(let processID): throw ControlError(.sessionInUse, String(processID))
    case .removed: break
    }
    let ids = await removing()
    let outcome: Outcome = await withCheckedContinuation { continuation in
      state.withLock { state in
        switch state.phase {
        case .running: jobList.yield(.removal(session, continuation))
        case .ended: continuation.resume(returning: .failure(.stopping))
        }
      }
    }
    await ports.setPolicy(session, SessionPolicy())
    let waiting = state.withLock { $0.removals.removeValue(forKey: session) } ?? []
    for one in waiting { one.resume() }
    if case .failure(let error) = outcome { throw ControlError(error) }
    return ids
  }

  /// Returns when the session is not being removed.
  private func waitForRemoval(of session: SessionID) async {
    while state.withLock({ $0.removals[session] != nil }) {
      await withCheckedContinuation { continuation in
        state.withLock { state in
          if state.removals[session] == nil {
            continuation.resume()
          } else {
            state.removals[session]?.append(continuation)
          }
        }
      }
    }
  }

  // MARK: Summaries

  var summaries: [SessionSummary] {
    let now = clock.now().wall
    return state.withLock { state in
      state.table.sessions.values.sorted { $0.record.id.rawValue < $1.record.id.rawValue }
        .map { SessionSummary($0, state.table.tally(of: $0.record.id), at: now) }
    }
  }

  // MARK: Changes of the table

  /// Changes the table and queues the resulting actions in one step, so that two inputs cannot be
  /// reordered.
  private func change(_ body: (inout SessionTable, Moment) -> [SessionAction]) {
    let now = clock.now()
    state.withLock { state in
      switch state.phase {
      case .running:
        let actions = body(&state.table, now)
        if !actions.isEmpty { jobList.yield(.actions(actions)) }
        updateAlarm(&state)
      case .ended: break
      }
    }
  }

  private func updateAlarm(_ state: inout State) {
    let deadline = state.table.nextWakeUp
    guard deadline != state.alarm else { return }
    state.alarm = deadline
    jobList.yield(.alarm)
  }

  /// Called only from the queue, so that the last alarm set is the last one requested.
  private func setAlarm() {
    let deadline = state.withLock { $0.alarm }
    clock.wake(at: deadline) { [weak self] in
      guard let self else { return }
      var due: [SessionID] = []
      change { table, now in
        due = table.sessions(dueAt: now)
        return table.alarm(at: now)
      }
      policyMayHaveChanged(of: due)
    }
  }

  // MARK: Actions of the table

  private func commit(_ change: JournalChange) async -> Outcome {
    do throws(EngineError) {
      return .success(try await ports.commit([change]))
    } catch {
      logger.error("A session cannot be recorded", metadata: ["error": "\(error)"])
      return .failure(error)
    }
  }

  /// Performs all actions, even after a failure. Returns the first failure.
  private func perform(_ actions: [SessionAction]) async -> Outcome {
    var outcome = Outcome.success(())
    for action in actions {
      switch action {
      case .keep(let record):
        if case .failure(let error) = await commit(.putSession(record)) {
          outcome = .failure(error)
        }
      case .keepBeforeLaunch(let record, let launch):
        let isKept = (try? await commit(.putSession(record)).get()) != nil
        change { table, now in
          table.launchRecorded(of: record.id, launch, isKept: isKept, at: now)
        }
      case .launch(let session, let launch, let command):
        await setPolicy(of: session)
        self.launch(command, for: session, id: launch)
      }
    }
    return outcome
  }

  private func launch(_ command: LaunchCommand, for session: SessionID, id launch: LaunchID) {
    let metadata: Logger.Metadata = ["session": "\(session.rawValue)"]
    ports.launch(command, session) { [weak self, logger] event in
      switch event {
      case .started(let processID):
        logger.info("A program was launched", metadata: metadata)
        self?.change { table, _ in
          table.launchStarted(of: session, launch, processID: processID)
        }
      case .notRun(let name):
        logger.error("A program could not be launched", metadata: metadata)
        self?.change { table, now in
          table.launchFailed(of: session, launch, errno: name, at: now)
        }
        self?.policyMayHaveChanged(of: [session])
      case .ended(let how):
        logger.info(
          "A launched program ended",
          metadata: metadata.merging(["status": "\(how)"]) { $1 })
        self?.change { table, now in
          table.launchEnded(of: session, launch, how: how, at: now)
        }
        self?.policyMayHaveChanged(of: [session])
      }
    }
  }

  /// Returns nil when the process has exited.
  private static func processSession(of processID: Int64) -> Int64? {
    let session = getsid(pid_t(truncatingIfNeeded: processID))
    return session > 0 ? Int64(session) : nil
  }
}
