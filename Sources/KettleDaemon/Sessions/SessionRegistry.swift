import KettleControl
import Glibc
import Logging
import KettleSystem
import KettleScheduler
import KettleEngine
import KettleModel

/// The sessions of programs: hears from the engine and from the connections, lets `SessionTable`
/// decide, and does what it says, in its order.
///
/// Nothing here waits for a program. What the table wants done goes through one queue, so that a
/// launch is on record before the program is started, and the last record is the one that stays.
final class SessionRegistry: Sendable {
  /// What the service can be asked about sessions; the engine, except in tests.
  struct Ports: Sendable {
    /// Keeps changes; when it returns they survive a power cut.
    var keep: @Sendable ([JournalChange]) async throws(EngineError) -> Void
    var setPolicy: @Sendable (SessionID, SessionPolicy) async -> Void
    var launch:
      @Sendable (
        LaunchCommand, SessionID, @escaping @Sendable (ProgramLauncher.News) -> Void
      ) -> Void
  }

  private struct State {
    var table = SessionTable()
    /// Sessions whose transfers are just going; who wants to attach waits for the end of it.
    var leaving: [SessionID: [CheckedContinuation<Void, Never>]] = [:]
    var phase = Phase.running
    var alarm: MonotonicTime?
  }

  private enum Phase {
    case running
    /// The service ends: connections that go are no reason to launch anybody.
    case ended
  }

  private typealias Outcome = Result<Void, EngineError>

  private enum Attaching: Sendable {
    case inUse(Int64)
    case kept(Outcome)
  }

  /// What is to be done, and who waits for it.
  private enum Job: Sendable {
    case actions([SessionAction])
    case attachment([SessionAction], CheckedContinuation<Attaching, Never>)
    case removal(SessionID, CheckedContinuation<Outcome, Never>)
    /// How the transfers of a session are treated changed with who is connected.
    case policy(SessionID)
    /// The next alarm is at another time.
    case alarm
  }

  private let state = Mutex(State())
  private let clock: any EngineClock
  private let ports: Ports
  private let logger: Logger
  private let jobs: AsyncStream<Job>
  private let jobList: AsyncStream<Job>.Continuation

  /// - Parameter clock: one of its own, because it has one alarm.
  init(clock: any EngineClock, ports: Ports, logger: Logger) {
    self.clock = clock
    self.ports = ports
    self.logger = logger
    (jobs, jobList) = AsyncStream.makeStream()
  }

  /// Does what is to be done until the service ends.
  func run() async {
    for await job in jobs {
      switch job {
      case .actions(let actions): _ = await perform(actions)
      case .attachment(let actions, let waiting):
        waiting.resume(returning: .kept(await perform(actions)))
      case .removal(let session, let waiting):
        waiting.resume(returning: await kept(.removeSession(session)))
      case .policy(let session): await setPolicy(of: session)
      case .alarm: setAlarm()
      }
    }
  }

  /// From now on nobody is launched; `run` returns when what was decided is done.
  func end() {
    state.withLock { state in
      state.phase = .ended
      jobList.finish()
    }
    clock.wake(at: nil) {}
  }

  // MARK: What the engine tells

  func observe(_ event: EngineEvent) {
    switch event {
    case .added(let row), .changed(let row): change { table, _ in table.observe(row) }
    case .recovered, .listed, .woken, .slept, .progress, .cleared, .limited: break
    case .removed(let row): change { table, _ in table.removed(row.id) }
    }
  }

  /// Takes over what the store had, once the engine has told of all transfers.
  func recover(_ records: [SessionRecord]) async {
    change { table, now in
      table.recover(records, at: now)
      return []
    }
    for record in records { await setPolicy(of: record.id) }
  }

  // MARK: What programs ask

  /// Binds a connection to its session; when it returns the session is in the store.
  func attach(
    _ client: ConnectedClient, _ params: AttachSession.Params
  ) async throws(ControlError) {
    await departure(of: params.session)
    let holder = SessionHolder(
      connection: client.id.rawValue, processID: client.processID,
      processSession: Self.processSession(of: client.processID))
    let now = clock.now()
    let outcome = await withCheckedContinuation { continuation in
      state.withLock { state in
        switch state.phase {
        case .ended: continuation.resume(returning: Attaching.kept(.failure(.stopping)))
        case .running:
          switch state.table.attach(holder, to: params.session, params.options, at: now) {
          case .inUse(let processID): continuation.resume(returning: .inUse(processID))
          case .attached(let actions): jobList.yield(.attachment(actions, continuation))
          }
          noteAlarm(&state)
        }
      }
    }
    switch outcome {
    case .inUse(let processID): throw ControlError(.sessionInUse, String(processID))
    case .kept(.failure(let error)):
      change { table, now in table.detach(holder.connection, from: params.session, at: now) }
      throw ControlError(error)
    case .kept(.success): await setPolicy(of: params.session)
    }
  }

  /// Tells the engine what the options of a session come to now.
  private func setPolicy(of session: SessionID) async {
    let machine = state.withLock { $0.table.sessions[session] }
    guard let machine else { return }
    await ports.setPolicy(
      session, SessionPolicy(machine.record.options, isConnected: machine.holder != nil))
  }

  /// A connection ended.
  func leave(_ client: ClientID) {
    let held = state.withLock { $0.table.sessions(heldBy: client.rawValue) }
    change { table, now in table.detach(client.rawValue, at: now) }
    state.withLock { state in
      guard state.phase == .running else { return }
      for session in held { jobList.yield(.policy(session)) }
    }
  }

  func finishEvents(of session: SessionID, by client: ClientID) throws(ControlError) {
    try requireProgram(client, of: session)
    change { table, _ in table.finishEvents(of: session) }
  }

  /// Refuses what only the program of a session may ask.
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

  /// Refuses when one of the tasks is of a session that is another program's. Answers which of the
  /// ids are tasks.
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

  // MARK: Sessions that go

  /// Forgets a session whose program is not connected, once `removing` has dealt with its
  /// transfers.
  func remove(
    _ session: SessionID, by client: ClientID,
    _ removing: @Sendable () async -> [TransferID]
  ) async throws(ControlError) -> [TransferID] {
    await departure(of: session)
    let removal = state.withLock { state in
      let removal = state.table.remove(session, by: client.rawValue)
      if removal == .removed { state.leaving[session] = [] }
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
    let waiting = state.withLock { $0.leaving.removeValue(forKey: session) } ?? []
    for one in waiting { one.resume() }
    if case .failure(let error) = outcome { throw ControlError(error) }
    return ids
  }

  /// Returns when the session is not just going.
  private func departure(of session: SessionID) async {
    while state.withLock({ $0.leaving[session] != nil }) {
      await withCheckedContinuation { continuation in
        state.withLock { state in
          if state.leaving[session] == nil {
            continuation.resume()
          } else {
            state.leaving[session]?.append(continuation)
          }
        }
      }
    }
  }

  // MARK: What is shown

  var summaries: [SessionSummary] {
    let now = clock.now().wall
    return state.withLock { state in
      state.table.sessions.values.sorted { $0.record.id.rawValue < $1.record.id.rawValue }
        .map { SessionSummary($0, state.table.tally(of: $0.record.id), at: now) }
    }
  }

  // MARK: The door

  /// Lets the table change and puts what it wants done into the queue, in one step: two inputs
  /// must not change places on the way.
  private func change(_ body: (inout SessionTable, Moment) -> [SessionAction]) {
    let now = clock.now()
    state.withLock { state in
      switch state.phase {
      case .running:
        let actions = body(&state.table, now)
        if !actions.isEmpty { jobList.yield(.actions(actions)) }
        noteAlarm(&state)
      case .ended: break
      }
    }
  }

  private func noteAlarm(_ state: inout State) {
    let deadline = state.table.nextWakeUp
    guard deadline != state.alarm else { return }
    state.alarm = deadline
    jobList.yield(.alarm)
  }

  /// Only the queue sets it, so that the last one set is the last one wanted.
  private func setAlarm() {
    let deadline = state.withLock { $0.alarm }
    clock.wake(at: deadline) { [weak self] in
      self?.change { table, now in table.alarm(at: now) }
    }
  }

  // MARK: What the table wants done

  private func kept(_ change: JournalChange) async -> Outcome {
    do throws(EngineError) {
      return .success(try await ports.keep([change]))
    } catch {
      logger.error("A session cannot be kept", metadata: ["error": "\(error)"])
      return .failure(error)
    }
  }

  /// Answers with the first failure, and does the rest all the same.
  private func perform(_ actions: [SessionAction]) async -> Outcome {
    var outcome = Outcome.success(())
    for action in actions {
      switch action {
      case .keep(let record):
        if case .failure(let error) = await kept(.putSession(record)) { outcome = .failure(error) }
      case .keepBeforeLaunch(let record, let launch):
        let isKept = (try? await kept(.putSession(record)).get()) != nil
        change { table, now in
          table.launchRecorded(of: record.id, launch, isKept: isKept, at: now)
        }
      case .launch(let session, let launch, let command): self.launch(command, session, launch)
      }
    }
    return outcome
  }

  private func launch(_ command: LaunchCommand, _ session: SessionID, _ launch: LaunchID) {
    let metadata: Logger.Metadata = ["session": "\(session.rawValue)"]
    ports.launch(command, session) { [weak self, logger] news in
      switch news {
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
      case .ended(let how):
        logger.info("A launched program has ended: \(how)", metadata: metadata)
        self?.change { table, now in
          table.launchEnded(of: session, launch, how: how, at: now)
        }
      }
    }
  }

  /// nil when the process is gone.
  private static func processSession(of processID: Int64) -> Int64? {
    let session = getsid(pid_t(truncatingIfNeeded: processID))
    return session > 0 ? Int64(session) : nil
  }
}
