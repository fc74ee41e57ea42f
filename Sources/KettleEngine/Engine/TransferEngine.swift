import Dispatch
import KettleModel
import KettleScheduler
import Logging

/// Performs the scheduler's actions through the ports. It is the only owner of the scheduler.
///
/// What happens reaches it in order on its own queue: through the inbox, and as requests of the
/// service. `apply`, `ask` and `decide` are the only ways to change the scheduler, and `perform` runs
/// its actions.
package actor TransferEngine {
  package struct Configuration: Sendable {
    /// The directory for files whose transfer names none. Absolute.
    package var documentsDirectory: String
    /// The directory for files of tasks that name none, until their program takes them. Absolute;
    /// nil is the documents directory.
    package var heldDirectory: String?
    package var limits = TransferQueue.Limits()
    /// How much is kept in memory that the store has as well.
    package var hold = ResidentLimits()
    /// The conditions that hold until `conditionsChanged` is called.
    package var metConditions = Set(TransferCondition.allCases)
    package var retryPolicy = RetryPolicy()
    package var timeouts = AttemptTimeouts()
    /// The limit for all transfers together over the week.
    package var limitSchedule = LimitSchedule()
    /// The settings of the user's queues.
    package var queues: [QueueName: NamedQueues.Settings] = [:]
    /// The conditions that the user's own transfers need.
    package var conditionsOfUser: Set<TransferCondition> = []
    /// The configuration file whose settings are unknown, so that nothing may be sent; nil if they
    /// are known.
    package var unreadConfiguration: String?
    /// The local time zone, by which schedules go.
    package var zone = LocalZone.utc
    /// When received bytes are recorded.
    package var checkpoints = CheckpointPace.Limits()
    /// The largest body that flows before its partial file exists and is recorded.
    package var lateFileByteCountMax: Int64 = 0
    /// The proxy on the way to each origin, by its host and port; nil without proxies.
    package var proxy: (@Sendable (Origin) -> String?)?
    /// A file that may supply logins, in the format of netrc(5); nil for none.
    package var netrcPath: String?
    /// Whether it does for a transfer that does not choose.
    package var usesNetrc = true
    /// Which hooks are run.
    package var hooks = HookRules()
    /// The user's settings for single hosts.
    package var hosts = HostSettings()
    /// The user's rules for downloads, in their order, and what downloads get without a choice.
    package var rules: [TransferRule] = []
    package var defaults = TransferDefaults()
    /// Reads a file with headers for a host. Blocks.
    package var readHeaders: @Sendable (_ path: String) -> Result<[HeaderField], TransferFailure> =
      { .failure(TransferFailure(.headersFileUnusable, on: $0)) }

    package init(documentsDirectory: String) { self.documentsDirectory = documentsDirectory }

    /// Uses the timeouts and the number of attempts for every transfer that does not choose.
    package mutating func adapt(to options: TransferOptions) {
      timeouts.adapt(to: options, patienceDoublings: 0)
      retryPolicy = retryPolicy.adapted(to: options)
    }
  }

  package struct Ports: Sendable {
    package var journal: any TransferJournal
    package var archive: any TransferArchive
    package var files: any FileStorage
    package var clock: any EngineClock
    package typealias TransportMaker =
      @Sendable (@escaping @Sendable (TransportEvent) -> Void) throws(TransferFailure)
      -> any Transport

    /// Makes the transport with the function that receives its events. Called once.
    package var makeTransport: TransportMaker

    package init(
      journal: any TransferJournal, archive: any TransferArchive, files: any FileStorage,
      clock: any EngineClock, makeTransport: @escaping TransportMaker
    ) {
      self.journal = journal
      self.archive = archive
      self.files = files
      self.clock = clock
      self.makeTransport = makeTransport
    }
  }

  let configuration: Configuration
  let files: any FileStorage
  let clock: any EngineClock
  let transport: any Transport
  let journal: JournalWriter
  let archive: any TransferArchive
  let logger: Logger
  let observer: @Sendable (EngineEvent) -> Void
  /// Names and opens files. Finished files are deleted alone: a transfer that is reset and started
  /// again must find its name free. All other operations on one transfer are sequential anyway.
  let namePool = WorkerPool("kettle.files", width: 16)
  let discarding: FileDiscarding
  /// Digests of files that are not being written; these take long.
  let digestPool = WorkerPool("kettle.digests", width: 2)
  let placing: FilePlacing
  private let deadlineQueue = DispatchQueue(label: "kettle.deadlines")
  /// Reads from the store.
  let readQueue = DispatchQueue(label: "kettle.reading")
  /// Makes outlooks, which would delay the engine.
  let outlookQueue = DispatchQueue(label: "kettle.outlook")

  private(set) var scheduler: TransferScheduler
  /// The user's settings for single hosts.
  var hostSettings: HostSettings
  /// Attempts that wait for headers from a file.
  var awaitingHeaders: [AttemptID: AttemptRequest] = [:]
  /// The sessions that the store had at the start.
  package private(set) var recoveredSessions: [SessionRecord] = []
  /// The hooks that were not over at the start.
  package private(set) var recoveredHooks = UnfinishedHooks()
  var lastHookRun: Int64 = 0
  var attempts: [AttemptID: LiveAttempt] = [:]
  var bodies: [TransferID: LiveBody] = [:]
  var digests: [TransferID: LiveDigest] = [:]
  var unpackings: [TransferID: LiveUnpacking] = [:]
  /// How much free space was not enough to unpack a file.
  var tooFewFreeBytes: [TransferID: Int64] = [:]
  var live: [TransferID: LiveTransfer] = [:]
  var reading = Reading()
  var measurements = HostMeasurements()
  var judgement = SpeedJudgement()
  var outlooks = Outlooks()
  /// The limit for all transfers together that the transport and the observer know.
  var announcedLimit = TotalLimit.Effective()
  /// The queues that were reported last.
  var announcedQueues: [QueueName] = [.standard]
  /// How often the set of transfers that only the store has has grown.
  var evictionCount = 0
  /// The number of changes of each transfer on their way to the store.
  var unkept: [TransferID: Int] = [:]
  /// Transfers whose request has sent more than was reported.
  var sending: Set<TransferID> = []
  var pace = TurnPace()
  var nextTick: MonotonicTime?
  var restWaiters: [RestWaiter] = []
  /// The lists that get their ids, and those that the store has and that are let in.
  var deciding = Passage()
  var admitting = Passage()
  var idleWaiters: [Completion<Void>] = []

  /// What the turns since the last `finishTurns` left to do; nil when there were none.
  private var unsubmitted: Submission?
  private let executor: QueueExecutor
  let inbox: EngineInbox

  /// The engine does not share the threads of the tasks: it decides for all of them, and is woken
  /// often.
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// - Parameter observer: receives every event, on the engine; must not block.
  package init(
    configuration: Configuration, ports: Ports, logger: Logger,
    observer: @escaping @Sendable (EngineEvent) -> Void
  ) throws(TransferFailure) {
    self.configuration = configuration
    hostSettings = configuration.hosts
    self.logger = logger
    self.observer = observer
    files = ports.files
    placing = FilePlacing(ports.files, on: namePool)
    discarding = FileDiscarding(ports.files)
    archive = ports.archive
    clock = ports.clock
    scheduler = TransferScheduler(
      limits: configuration.limits, retryPolicy: configuration.retryPolicy)
    executor = QueueExecutor("kettle.engine")
    let inbox = EngineInbox(on: executor.queue)
    self.inbox = inbox
    journal = JournalWriter(
      ports.journal,
      report: { error in
        logger.error("The store cannot be written", metadata: ["error": "\(error)"])
      })
    transport = try ports.makeTransport { _ = inbox.put(.transport($0)) }
  }

  /// Loads the store's contents and continues with them.
  package func start() throws {
    let contents = try journal.load()
    removeUnrecorded()
    let now = clock.now()
    recoveredSessions = contents.sessions
    recoveredHooks = contents.hooks
    lastHookRun = contents.hooks.lastID
    scheduler = TransferScheduler(
      limits: configuration.limits, retryPolicy: configuration.retryPolicy,
      lastID: contents.lastID, lastTaskIdentifiers: contents.lastTaskIdentifiers,
      metConditions: configuration.metConditions, servedHosts: contents.servedHosts,
      rememberedHosts: contents.rememberedHosts, zone: configuration.zone)
    scheduler.residentLimits = configuration.hold
    _ = scheduler.setQueues(configuration.queues, at: now)
    _ = scheduler.setConditionsOfUser(configuration.conditionsOfUser, at: now)
    _ = scheduler.holdBack(forConfiguration: configuration.unreadConfiguration, at: now)
    scheduler.setProxies(configuration.proxy)
    scheduler.setHooks(configuration.hooks)
    setRules(configuration.rules, configuration.defaults)
    inbox.open { [weak self] inputs in
      self?.assumeIsolated { engine in for input in inputs { engine.receive(input) } }
    } drained: { [weak self] in
      self?.assumeIsolated { $0.finishTurns() }
    }
    let others = TransferScheduler.OtherTransfers(
      tally: contents.dormant, positions: contents.positions,
      lastFinishNumber: contents.lastFinishNumber)
    let output = scheduler.recover(
      contents.records, others: others, clearedUpTo: contents.clearedUpTo,
      bin: contents.binActions, at: now)
    observer(.recovered(contents.dormant, clearedUpTo: contents.clearedUpTo))
    for id in scheduler.machines.keys.sorted() {
      if let snapshot = snapshot(of: id) { observer(.added(snapshot)) }
    }
    announceQueues()
    follow(configuration.limitSchedule)
    run(output, at: now)
    logger.info("The engine is ready", metadata: ["awake": "\(contents.records.count)"])
  }

  /// Removes partial files that no record names, left by a kill between their creation and their
  /// record. Their transfers create new ones.
  private func removeUnrecorded() {
    let left = files.leftUnrecorded
    // Nothing is removed unless the recorded files are known.
    guard !left.isEmpty,
      let records = try? archive.records(Set(left.compactMap(\.id)).sorted())
    else { return }
    let known = records.flatMap { record in
      [record.resumeData?.partialIdentity, record.resumeData?.setAside].compactMap { $0 }
    }
    for file in left {
      if !known.contains(file.identity) { files.removePartialFile(file.identity) }
    }
    files.forgetUnrecorded(left.map(\.identity))
  }

  /// Ends running transfers within `deadlineMilliseconds`, with every byte kept, and writes the
  /// store.
  package func shutDown(deadlineMilliseconds: Int = 1500) async {
    let now = clock.now()
    run(scheduler.shutDown(at: now), at: now)
    stopAllUnpackings()
    if scheduler.hasRunning {
      let deadline = DispatchTime.now() + .milliseconds(deadlineMilliseconds)
      deadlineQueue.asyncAfter(deadline: deadline) { [weak self] in
        Task(executorPreference: WorkerPool.tasks) { await self?.releaseIdleWaiters() }
      }
      let idle = Completion<Void>()
      idleWaiters.append(idle)
      await idle.value()
    }
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      deadlineQueue.async { [transport] in
        transport.shutDown()
        done.resume()
      }
    }
    let written = Completion<Void>()
    submit([]) { _ in written.finish() }
    deadlineQueue.asyncAfter(deadline: .now() + .milliseconds(500)) { written.finish() }
    await written.value()
    endInput()
    // The end of transfers that did not come to rest in time is never reported. A client that waits
    // for it must not delay the service's exit.
    for waiter in restWaiters { waiter.done.finish() }
    restWaiters = []
  }

  /// Ends the inbox, and finishes the turns that it would have reported.
  func endInput() {
    inbox.end()
    finishTurns()
    clock.wake(at: nil) {}
  }

  func releaseIdleWaiters() {
    for waiter in idleWaiters { waiter.finish() }
    idleWaiters = []
  }

  nonisolated func post(_ input: EngineInput) { _ = inbox.put(input) }

  /// Lets everything that waits for the engine come first.
  func turn() async {
    await withCheckedContinuation { continuation in
      executor.queue.async { continuation.resume() }
    }
  }

  // MARK: The door

  /// Changes the scheduler, which no other file can. The caller performs the output with `run`, if
  /// there is one.
  func decide<Decision>(_ body: (inout TransferScheduler) throws -> Decision) rethrows -> Decision {
    try body(&scheduler)
  }

  /// Reports an event to the scheduler and performs its output.
  func apply(_ event: TransferScheduler.Event) {
    apply { scheduler, now in
      scheduler.handle(event, jitter: Double.random(in: 0...1), at: now)
    }
  }

  /// Passes a request without an answer to the scheduler and performs its output.
  func apply(_ body: (inout TransferScheduler, Moment) -> SchedulerOutput) {
    let now = clock.now()
    run(body(&scheduler, now), at: now)
  }

  /// Passes a request to the scheduler and performs its output. Returns the answer when the store
  /// has the changes.
  func ask<Answer>(
    _ body: (inout TransferScheduler, Moment) -> (Answer, SchedulerOutput)
  ) async -> Answer {
    let now = clock.now()
    let (answer, output) = body(&scheduler, now)
    await runDurably(output, at: now).value()
    return answer
  }

  /// Performs the output of the scheduler. Actions that must wait for the store return through the
  /// inbox.
  ///
  /// - Parameter durable: finished when the store has the changes.
  func run(_ output: SchedulerOutput, at now: Moment, durable: Completion<Void>? = nil) {
    var output = output
    recordHooks(in: &output, at: now)
    if let limit = output.totalLimit { adopt(limit) }
    for action in output.now { perform(action, at: now) }
    if let request = output.queueRead { readNextTransfers(request) }
    let announcedLater = announce(output, at: now)
    var submission = Submission(changes: output.changes)
    if output.changes.isEmpty && durable == nil {
      for action in output.afterCommit { perform(action, at: now) }
      for id in announcedLater { announceChange(of: id) }
    } else {
      noteUnkept(output.changes)
      submission.afterCommit = output.afterCommit
      submission.announced = announcedLater
      submission.durable = durable.map { [$0] } ?? []
    }
    finishLater(submission)
    stopAbandonedUnpackings()
    releaseRestWaiters()
    deleteExpired()
    if !scheduler.hasRunning { releaseIdleWaiters() }
  }

  /// Leaves the rest of a turn to `finishTurns`, which is called when all input that has arrived is
  /// handled: its changes are then one submission to the store.
  private func finishLater(_ submission: Submission) {
    if unsubmitted != nil {
      unsubmitted?.append(submission)
    } else {
      unsubmitted = submission
      if !inbox.put(.turnsTaken) { finishTurns() }
    }
  }

  /// Submits the changes of the turns to the store, begins to place files, and sets the alarm.
  func finishTurns() {
    if let submission = unsubmitted, !submission.isEmpty {
      journal.submit(submission.changes) { [inbox] _ in
        _ = inbox.put(
          .committed(
            submission.afterCommit, announce: submission.announced, kept: submission.changes))
        for durable in submission.durable { durable.finish() }
      }
    }
    unsubmitted = nil
    placing.begin { [weak self] placed in
      for event in placed { self?.post(.event(event)) }
    }
    setAlarm(at: clock.now())
  }

  /// Submits changes after those of all turns so far. `finish` is called on the journal's queue
  /// when they are durable, or, with `reportFailure`, when they cannot be written.
  func submit(
    _ changes: [JournalChange], _ persistence: JournalWriter.Persistence = .keepTrying,
    finish: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    finishTurns()
    journal.submit(changes, persistence, finish: finish)
  }

  /// What turns leave to do when all input that has arrived is handled.
  private struct Submission {
    var changes: [JournalChange] = []
    var afterCommit: [TransferAction] = []
    var announced: [TransferID] = []
    var durable: [Completion<Void>] = []

    var isEmpty: Bool {
      changes.isEmpty && afterCommit.isEmpty && announced.isEmpty && durable.isEmpty
    }

    mutating func append(_ other: Submission) {
      changes += other.changes
      afterCommit += other.afterCommit
      announced += other.announced
      durable += other.durable
    }
  }

  func setAlarm(at now: Moment) {
    if attempts.isEmpty {
      nextTick = nil
    } else if nextTick == nil {
      nextTick = pace.nextTick(runningCount: bodies.count, at: now.monotonic)
    }
    let deadlines = [nextTick, nextWakeUp(at: now)].compactMap { $0 }
    clock.wake(at: deadlines.min()) { [weak self] in self?.post(.alarm) }
  }

  /// Returns when the scheduler must be woken; nil when time changes nothing.
  func nextWakeUp(at now: Moment) -> MonotonicTime? {
    scheduler.nextWakeUp(at: now).map { pace.wakeUp(wanted: $0, runningCount: bodies.count) }
  }

  /// Notifies the observer, but of a finished transfer only once the store has it, so that no
  /// program is notified twice. Returns the transfers to report later.
  private func announce(_ output: SchedulerOutput, at now: Moment) -> [TransferID] {
    announceRemoved(output.removed)
    var later: [TransferID] = []
    for (id, connectionsMax) in output.learnedLimits {
      live[id, default: begun(id)]
        .note(.limitLearned(connectionsMax: connectionsMax), at: now.wall)
    }
    for id in Set(output.changed) {
      guard let machine = scheduler.machines[id] else { continue }
      live[id, default: begun(id)].note(machine.record, at: now.wall)
      switch machine.telling {
      case .now: announceChange(of: id)
      case .whenDurable: later.append(id)
      case .whenAtRest: break
      }
    }
    return later
  }

  /// The initial live state of a transfer to which nothing has happened yet.
  func begun(_ id: TransferID) -> LiveTransfer {
    LiveTransfer(addedAt: scheduler.machines[id]?.createdAt)
  }

  func announceRemoved(_ removed: [TransferRecord]) {
    for record in removed {
      observer(.removed(rows.row(of: record)))
      live[record.id] = nil
      digests[record.id] = nil
      tooFewFreeBytes[record.id] = nil
    }
  }

  func announceChange(of id: TransferID) {
    if let snapshot = snapshot(of: id) { observer(.changed(snapshot)) }
  }
}

extension TransferMachine {
  fileprivate enum Telling {
    case now, whenDurable
    /// Its new state is final only then, and reports itself.
    case whenAtRest
  }

  fileprivate var telling: Telling {
    switch visibleState {
    case .completed: .whenDurable
    case .failed where record.task != nil: isAtRest ? .whenDurable : .whenAtRest
    case .idle, .scheduled, .queued, .running, .waiting, .paused, .verifying, .failed: .now
    }
  }
}

extension TransferEngine.Configuration {
  /// Makes the rows of records.
  package func rows(clearedUpTo: Int64?) -> RowMaker {
    RowMaker(
      documentsDirectory: documentsDirectory, heldDirectory: heldDirectory,
      clearedUpTo: clearedUpTo)
  }
}
