#if Fleet
import KettleEngine
import KettleFleet
import KettleModel
import KettleSystem
import Logging

/// One membership of this machine, from the start of the service or a join until its end. A thread
/// of its own asks the table, because each question blocks.
final class FleetRun: Sendable {
  private struct State {
    var events: [FleetEvent] = []
    var phase = Phase.running
    var standing: FleetStanding
  }

  private enum Phase {
    case running
    case ended
  }

  let settings: FleetSettings
  let work: LocalFleetWork
  private let table: any FleetConnection
  private let clock: any EngineClock
  private let logger: Logger
  private let freeBytes: @Sendable () -> Int64?
  private let state: Mutex<State>
  private let hasLeft: @Sendable (FleetRun) -> Void
  private let sharing: FleetSharing?

  /// - Parameters:
  ///   - freeBytes: the free bytes below the first root. Blocks.
  ///   - hasLeft: called when the host has left its fleet.
  init(
    _ settings: FleetSettings, table: any FleetConnection, engine: TransferEngine,
    publisher: FleetPublisher, clock: any EngineClock, logger: Logger,
    sharing: FleetSharing? = nil,
    freeBytes: @escaping @Sendable () -> Int64?, hasLeft: @escaping @Sendable (FleetRun) -> Void
  ) {
    self.settings = settings
    self.table = table
    self.clock = clock
    self.logger = logger
    self.freeBytes = freeBytes
    self.hasLeft = hasLeft
    self.sharing = sharing
    state = Mutex(State(standing: FleetStanding(settings: settings)))
    let inbox = Inbox()
    work = LocalFleetWork(
      engine: engine, publisher: publisher, settings: settings, sharing: sharing,
      report: { inbox.run?.put($0) })
    inbox.set(self)
  }

  /// Connects `work` to the run that owns it.
  private final class Inbox: Sendable {
    private struct Weak { weak var run: FleetRun? }
    private let owner = Mutex(Weak())

    var run: FleetRun? { owner.withLock { $0.run } }

    func set(_ run: FleetRun) { owner.withLock { $0.run = run } }
  }

  var standing: FleetStanding { state.withLock { $0.standing } }

  func put(_ event: FleetEvent) {
    state.withLock { $0.events.append(event) }
    table.wake()
  }

  /// Starts with the transfers that an earlier start of the service has left.
  func start(with recovered: [RecoveredTransfer]) throws(SystemError) {
    put(.recovered(recovered))
    Task(executorPreference: WorkerPool.tasks) { [work] in await work.run() }
    try SystemThread(receiving: .none) { [self] in run() }.detach()
  }

  /// Ends without leaving the fleet: the next start of the service goes on, if that is before the
  /// leases end.
  func end() {
    state.withLock { $0.phase = .ended }
    work.end()
    sharing?.end()
    table.wake()
  }

  // MARK: The thread

  private func run() {
    var member = FleetMember(settings, version: "kettle", at: clock.now().monotonic)
    while state.withLock({ $0.phase == .running }), !member.hasLeft {
      for event in takeEvents() { handle(event, by: &member) }
      let now = clock.now()
      if let call = member.nextCall(at: now.monotonic) {
        let answer = call.perform(on: table)
        if case .join(.success(let membership)) = answer {
          work.begin(membership, reach: table.isLocal ? .machine : .network)
        }
        handle(.answered(answer, sentAt: now.monotonic), by: &member)
        if case .beat = call { readOrigins() }
      } else {
        wait(for: &member, since: now)
      }
    }
    if member.hasLeft { hasLeft(self) }
  }

  private func takeEvents() -> [FleetEvent] {
    state.withLock { state in
      defer { state.events = [] }
      return state.events
    }
  }

  private func wait(for member: inout FleetMember, since now: Moment) {
    let wakeUp = member.nextWakeUp(at: now.monotonic)
    let pause = wakeUp.map { max(1, $0.milliseconds(since: now.monotonic)) } ?? 60_000
    let isAnnounced = table.isWorkAnnounced(withinMilliseconds: pause)
    handle(isAnnounced ? .workQueued : .wakeUp, by: &member)
    // What a beat reports is read shortly before it.
    handle(.observed(work.observation(freeBytes: freeBytes())), by: &member)
  }

  private func handle(_ event: FleetEvent, by member: inout FleetMember) {
    let before = member.problem
    let actions = member.handle(event, at: clock.now().monotonic)
    sharing?.follow(member.shareSecret)
    work.perform(actions)
    if member.problem != before { log(member.problem) }
    let (problem, count, isDraining) = (member.problem, member.claims.count, member.isDraining)
    let now = clock.now().wall
    state.withLock { state in
      state.standing.problem = problem?.words
      state.standing.silentSince = problem == nil ? nil : state.standing.silentSince ?? now
      state.standing.claimedCount = count
      state.standing.isDraining = isDraining
    }
  }

  private func log(_ problem: FleetError?) {
    if let problem {
      logger.error("The fleet does not answer", metadata: ["error": "\(problem.words)"])
    } else {
      logger.info("The fleet answers")
    }
  }

  private func readOrigins() {
    let now = clock.now()
    Task(executorPreference: WorkerPool.tasks) { [work] in await work.readOrigins(at: now) }
  }
}
#endif
