import Glibc
import KettleConfiguration
import KettleEngine
import KettleModel
import KettleScheduler
import KettleSystem
import Logging

/// The hooks: passes what is due to `HookQueue`, which decides, and performs the resulting actions
/// in order.
///
/// Nothing here waits for a program. A run is recorded as started before its program is.
final class HookRegistry: Sendable {
  /// The service's functions that hooks use.
  struct Ports: Sendable {
    /// Returns a run that is not over; nil if the store does not have it.
    var find: @Sendable (HookRunID) async throws -> (run: HookRun, occasion: HookOccasion)?
    /// Commits changes; when it returns they survive a power cut.
    var commit: @Sendable ([JournalChange]) async throws(EngineError) -> Void
    /// Commits changes as soon as the store can be written. Does not wait for it.
    var submit: @Sendable ([JournalChange]) async -> Void
    var start:
      @Sendable (HookRun, HookOccasion, @escaping @Sendable (HookLauncher.End) -> Void)
        -> Result<Program, HookLauncher.NotStarted>
    /// Called with each run whose program was started, or could not be.
    var report: @Sendable (HookRun) -> Void
    /// Called with each run that is over, and at the start with those that failed before.
    var ended: @Sendable (HookRun) -> Void
  }

  /// A program that was started.
  struct Program: Sendable {
    /// Sends a signal to it and to what it has started.
    var signal: @Sendable (Int32) -> Void
  }

  /// A run from the record of its start to the record of its end.
  private struct Live: Sendable {
    var run: HookRun
    var occasion: HookOccasion?
    var program: Program?
  }

  private enum Phase: Sendable {
    case running
    /// The service is shutting down: nothing more is started.
    case ended
  }

  private struct State {
    var queue: HookQueue
    var live: [HookRunID: Live] = [:]
    var phase = Phase.running
    var alarm: MonotonicTime?
  }

  private enum Job: Sendable {
    case actions([HookQueue.Action])
    /// The time of the next alarm changed.
    case alarm
  }

  private let state: Mutex<State>
  private let clock: any EngineClock
  private let ports: Ports
  private let logger: Logger
  private let jobs: AsyncStream<Job>
  private let jobList: AsyncStream<Job>.Continuation

  /// - Parameter clock: a clock of its own, because a clock has only one alarm.
  init(
    _ limits: HookQueue.Limits, clock: any EngineClock, ports: Ports, logger: Logger
  ) {
    state = Mutex(State(queue: HookQueue(limits)))
    self.clock = clock
    self.ports = ports
    self.logger = logger
    (jobs, jobList) = AsyncStream.makeStream()
  }

  /// Performs queued jobs until the service shuts down.
  func run() async {
    for await job in jobs {
      switch job {
      case .actions(let actions): await perform(actions)
      case .alarm: setAlarm()
      }
    }
  }

  /// Prevents further starts; `run` returns when the remaining jobs are done. Programs that run go
  /// on.
  func end() {
    state.withLock { state in
      state.phase = .ended
      state.queue.close()
      jobList.finish()
    }
    clock.wake(at: nil) {}
  }

  // MARK: Input

  func observe(_ event: EngineEvent) {
    switch event {
    case .hooksDue(let ids): change { queue, _ in queue.add(ids) }
    case .recovered, .added, .listed, .changed, .progress, .removed, .loaded, .evicted, .cleared,
      .uncovered, .limited, .queues:
      break
    }
  }

  /// Takes what the previous service left.
  func recover(_ hooks: UnfinishedHooks) {
    state.withLock { state in
      for run in hooks.started { state.live[run.id] = Live(run: run) }
    }
    for run in hooks.failed { ports.ended(run) }
    change { queue, _ in
      queue.recover(pending: hooks.pending, started: hooks.started.map(\.id))
    }
  }

  /// Changes the limits for programs that are started from now on.
  func setLimits(_ limits: HookQueue.Limits) {
    change { queue, _ in queue.setLimits(limits) }
  }

  /// Changes the queue and adds the resulting actions to the jobs in one step, so that two inputs
  /// cannot be reordered.
  private func change(_ body: (inout HookQueue, MonotonicTime) -> [HookQueue.Action]) {
    let now = clock.now().monotonic
    state.withLock { state in
      switch state.phase {
      case .running:
        let actions = body(&state.queue, now)
        if !actions.isEmpty { jobList.yield(.actions(actions)) }
        updateAlarm(&state)
      case .ended: break
      }
    }
  }

  private func updateAlarm(_ state: inout State) {
    let deadline = state.queue.nextWakeUp
    guard deadline != state.alarm else { return }
    state.alarm = deadline
    jobList.yield(.alarm)
  }

  /// Called only from the jobs, so that the last alarm set is the last one requested.
  private func setAlarm() {
    let deadline = state.withLock { $0.alarm }
    clock.wake(at: deadline) { [weak self] in
      self?.change { queue, now in queue.timePassed(at: now) }
    }
  }

  // MARK: Actions

  /// Performs actions, and at once those that follow from them: a run that is recorded as started
  /// is started, even if the service is ending.
  private func perform(_ actions: [HookQueue.Action]) async {
    var rest = actions[...]
    while let action = rest.popFirst() {
      switch action {
      case .recordStart(let id): rest += await recordStart(of: id)
      case .start(let id): rest += start(id)
      case .terminate(let id): signal(SIGTERM, id)
      case .kill(let id): signal(SIGKILL, id)
      case .recordEnd(let id, let outcome, let lastLine):
        await recordEnd(of: id, outcome, lastLine: lastLine)
      }
    }
  }

  /// Changes the queue for an action that was performed.
  private func followUp(
    _ body: (inout HookQueue, MonotonicTime) -> [HookQueue.Action]
  ) -> [HookQueue.Action] {
    let now = clock.now().monotonic
    return state.withLock { state in
      defer { if state.phase == .running { updateAlarm(&state) } }
      return body(&state.queue, now)
    }
  }

  private func recordStart(of id: HookRunID) async -> [HookQueue.Action] {
    guard state.withLock({ $0.phase == .running }) else { return [] }
    do {
      guard let found = try await ports.find(id) else {
        await ports.submit([.hook(.remove(id))])
        return followUp { queue, _ in queue.isGone(id) }
      }
      var run = found.run
      run.standing = .running(since: clock.now().wall)
      try await ports.commit([.hook(.update(run))])
      state.withLock { $0.live[id] = Live(run: run, occasion: found.occasion) }
      return followUp { queue, now in queue.recorded(id, isKept: true, at: now) }
    } catch {
      logger.error(
        "A hook cannot be started yet", metadata: ["hook": "\(id.rawValue)", "error": "\(error)"])
      return followUp { queue, now in queue.recorded(id, isKept: false, at: now) }
    }
  }

  private func start(_ id: HookRunID) -> [HookQueue.Action] {
    guard let live = state.withLock({ $0.live[id] }), let occasion = live.occasion else {
      return []
    }
    let started = ports.start(live.run, occasion) { [weak self] end in
      self?.ended(id, end)
    }
    switch started {
    case .success(let program):
      state.withLock { $0.live[id]?.program = program }
      logger.info("\(live.run.sentence)", metadata: Self.metadata(live.run))
      ports.report(live.run)
      return []
    case .failure(let failure):
      return followUp { queue, _ in queue.notStarted(id, errno: failure.errno) }
    }
  }

  private func ended(_ id: HookRunID, _ end: HookLauncher.End) {
    for line in end.lines {
      logger.info("A hook printed", metadata: ["hook": "\(id.rawValue)", "line": "\(line)"])
    }
    change { queue, _ in queue.ended(id, end.outcome, lastLine: end.lines.last) }
  }

  private func signal(_ number: Int32, _ id: HookRunID) {
    state.withLock { $0.live[id]?.program }?.signal(number)
  }

  private func recordEnd(
    of id: HookRunID, _ outcome: HookOutcome, lastLine: String?
  ) async {
    guard var run = state.withLock({ $0.live.removeValue(forKey: id) })?.run else { return }
    run.standing = .ended(HookEnd(outcome, at: clock.now().wall, lastLine: lastLine))
    ports.ended(run)
    logger.log(
      level: outcome.isSuccess ? .info : .warning, "\(run.sentence)", metadata: Self.metadata(run))
    if case .notStarted = outcome { ports.report(run) }
    await ports.submit([.hook(.update(run))])
  }

  private static func metadata(_ run: HookRun) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["hook": "\(run.id.rawValue)"]
    if let transfer = run.transfer { metadata["id"] = "\(transfer)" }
    return metadata
  }
}

/// Which hooks are run, and how.
struct HookSettings: Hashable, Sendable {
  var rules = HookRules()
  var limits = HookQueue.Limits()

  init(_ file: ServiceConfiguration.Hooks) {
    rules.commands = file.commands
    rules.appliesToRPC = file.appliesToRPC
    limits.runningMax = file.runningMax
    limits.timeLimitSeconds = file.timeLimitSeconds
  }
}
