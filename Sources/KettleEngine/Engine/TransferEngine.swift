import KettleModel
import KettleScheduler
import Logging

/// Performs the scheduler's actions through the ports. It is the only owner of the scheduler.
///
/// What happens reaches it in order on its own queue: through the inbox, and as requests of the
/// service. Only this file changes the scheduler: `start`, `apply`, `ask`, `decide` and `shutDown`.
/// `perform` runs its actions.
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
    /// After how long a finished file is compared again; nil means never.
    package var verifiesEveryMilliseconds: Int64?
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
    package var objects: any ObjectStore
    package var clock: any EngineClock
    package var work: WorkSource
    package typealias TransportMaker =
      @Sendable (@escaping @Sendable (TransportEvent) -> Void) throws(TransferFailure)
      -> any Transport

    /// Makes the transport with the function that receives its events. Called once.
    package var makeTransport: TransportMaker

    package init(
      journal: any TransferJournal, archive: any TransferArchive, files: any FileStorage,
      objects: any ObjectStore = NoObjectStore(), clock: any EngineClock,
      work: WorkSource = .threads,
      makeTransport: @escaping TransportMaker
    ) {
      self.journal = journal
      self.archive = archive
      self.files = files
      self.objects = objects
      self.clock = clock
      self.work = work
      self.makeTransport = makeTransport
    }
  }

  /// The contents of the store that other parts of the service continue with.
  package struct Recovered: Sendable {
    package var sessions: [SessionRecord]
    /// The hooks that were not over.
    package var hooks: UnfinishedHooks
  }

  /// Only the settings for single hosts change.
  var configuration: Configuration
  let files: FileWork
  let clock: any EngineClock
  let work: WorkSource
  let transport: any Transport
  let journal: JournalWriter
  let store: StoreReader
  let logger: Logger
  var observer: EventReporter

  private(set) var scheduler: TransferScheduler
  /// The number of the last run of a hook.
  var lastHookRun: Int64 = 0
  var attempts: [AttemptID: LiveAttempt] = [:]
  var live = LiveTransfers()
  var reading = Reading()
  var measurements = HostMeasurements()
  var judgement = SpeedJudgement()
  var outlooks: Outlooks
  var pace = TurnPace()
  var waiters = Waiters()
  var lists = ListPassage()
  var verifications = Verifications()
  var collections = LiveCollections()

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
    self.logger = logger
    self.observer = EventReporter(observer)
    files = FileWork(ports.files, ports.objects, on: ports.work)
    store = StoreReader(ports.archive, "kettle.reading", on: ports.work)
    outlooks = Outlooks(ports.archive, on: ports.work)
    clock = ports.clock
    work = ports.work
    scheduler = TransferScheduler(
      limits: configuration.limits, retryPolicy: configuration.retryPolicy)
    executor = QueueExecutor("kettle.engine", on: ports.work)
    let inbox = EngineInbox(on: executor.queue)
    self.inbox = inbox
    journal = JournalWriter(
      ports.journal, on: ports.work,
      report: { error in
        logger.error("The store cannot be written", metadata: ["error": "\(error)"])
      })
    transport = try ports.makeTransport { _ = inbox.put(.transport($0)) }
  }

  /// Loads the store's contents and continues with them.
  @discardableResult
  package func start() throws -> Recovered {
    let contents = try journal.load()
    removeUnrecorded()
    let now = clock.now()
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
    collections.note(contents.members.keys)
    observer(
      .recovered(
        contents.dormant, members: contents.members, clearedUpTo: contents.clearedUpTo))
    for id in scheduler.machines.keys.sorted() {
      if let snapshot = snapshot(of: id) { observer(.added(snapshot)) }
    }
    observer.report(scheduler.queueNames)
    follow(configuration.limitSchedule)
    run(output, at: now)
    logger.info("The engine is ready", metadata: ["awake": "\(contents.records.count)"])
    return Recovered(sessions: contents.sessions, hooks: contents.hooks)
  }

  /// Removes partial files that no record names, left by a kill between their creation and their
  /// record. Their transfers create new ones.
  private func removeUnrecorded() {
    let left = files.storage.leftUnrecorded
    // Nothing is removed unless the recorded files are known.
    guard !left.isEmpty,
      let records = try? store.archive.records(Set(left.compactMap(\.id)).sorted())
    else { return }
    let known = records.flatMap { record in
      [record.resumeData?.partialIdentity, record.resumeData?.setAside].compactMap { $0 }
    }
    for file in left {
      if !known.contains(file.identity) { files.storage.removePartialFile(file.identity) }
    }
    files.storage.forgetUnrecorded(left.map(\.identity))
  }

  /// Ends running transfers within `deadlineMilliseconds`, with every byte kept, and writes the
  /// store.
  package func shutDown(deadlineMilliseconds: Int = 1500) async {
    let now = clock.now()
    run(scheduler.shutDown(at: now), at: now)
    live.stopWork { _, _ in false }
    let deadlineQueue = work.makeQueue("kettle.deadlines")
    if scheduler.hasRunning {
      deadlineQueue.enqueue(afterMilliseconds: deadlineMilliseconds) { [weak self, work] in
        Task(executorPreference: work.tasks) { await self?.releaseIdle() }
      }
      await waiters.awaitIdle().value()
    }
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      deadlineQueue.enqueue { [transport] in
        transport.shutDown()
        done.resume()
      }
    }
    let written = Completion<Void>()
    submit([]) { _ in written.finish() }
    deadlineQueue.enqueue(afterMilliseconds: 500) { written.finish() }
    await written.value()
    endInput()
    // The end of transfers that did not come to rest in time is never reported. A client that waits
    // for it must not delay the service's exit.
    waiters.releaseRested { _ in false }
  }

  /// Ends the inbox, and finishes the turns that it would have reported.
  func endInput() {
    inbox.end()
    finishTurns()
    clock.wake(at: nil) {}
  }

  private func releaseIdle() { waiters.releaseIdle() }

  nonisolated func post(_ input: EngineInput) { _ = inbox.put(input) }

  /// Lets everything that waits for the engine come first.
  func turn() async {
    await withCheckedContinuation { continuation in
      executor.queue.enqueue { continuation.resume() }
    }
  }

  // MARK: The door

  /// Changes the scheduler, which no other file can. The caller performs the output with `run`, if
  /// there is one.
  func decide<Decision>(_ body: (inout TransferScheduler) throws -> Decision) rethrows -> Decision {
    try body(&scheduler)
  }

  /// Reports an event to the scheduler and performs its output.
  ///
  /// - Parameter changes: are committed together with those of the output.
  func apply(_ event: TransferScheduler.Event, with changes: [JournalChange] = []) {
    apply { scheduler, now in
      var output = scheduler.handle(event, jitter: work.jitter(), at: now)
      output.changes += changes
      return output
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
    live.stopWork { scheduler.machines[$0]?.isVerifying($1) == true }
    waiters.releaseRested { scheduler.machines[$0]?.isAtRest == false }
    deleteExpired()
    if !scheduler.hasRunning { waiters.releaseIdle() }
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
    files.placing.begin { [weak self] placed in
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
      pace.cancelTick()
    } else {
      pace.planTick(runningCount: live.withBody.count, at: now.monotonic)
    }
    let deadlines = [pace.tickAt, nextWakeUp(at: now)].compactMap { $0 }
    clock.wake(at: deadlines.min()) { [weak self] in self?.post(.alarm) }
  }

  /// Returns when the scheduler must be woken; nil when time changes nothing.
  func nextWakeUp(at now: Moment) -> MonotonicTime? {
    scheduler.nextWakeUp(at: now).map { wanted in
      pace.wakeUp(wanted: wanted, runningCount: live.withBody.count)
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
