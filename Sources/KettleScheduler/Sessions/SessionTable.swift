import KettleModel

/// All sessions of programs, and their tasks as far as launches depend on them. Each input returns
/// the resulting actions.
package struct SessionTable: Sendable {
  package private(set) var sessions: [SessionID: SessionMachine] = [:]
  private var tasks: [TransferID: TrackedTask] = [:]
  private var tallies: [SessionID: TaskTally] = [:]
  private var lastLaunch: UInt64 = 0

  package init() {}

  package enum Attachment: Hashable, Sendable {
    /// Must be in the store before the program is notified.
    case attached([SessionAction])
    case inUse(processID: Int64)
  }

  package enum Removal: Hashable, Sendable {
    case removed
    case inUse(processID: Int64)
    case unknown
  }

  /// Restores the sessions from the store, after their tasks were observed.
  package mutating func recover(_ records: [SessionRecord], at now: Moment) {
    for record in records {
      sessions[record.id] = SessionMachine(recovered: record, tally(of: record.id), at: now)
    }
  }

  // MARK: Tasks

  package func tally(of session: SessionID) -> TaskTally { tallies[session] ?? TaskTally() }

  /// nil for a transfer that is not a task or was removed.
  package func session(of id: TransferID) -> SessionID? { tasks[id]?.session }

  /// Observes a new or changed transfer.
  package mutating func observe(_ snapshot: TransferSnapshot) -> [SessionAction] {
    guard let task = TrackedTask(snapshot) else {
      // A task that became the user's own transfer.
      return removed(snapshot.id)
    }
    let before = tasks[snapshot.id]
    if before == task { return [] }
    var actions: [SessionAction] = []
    if let before, before.session != task.session {
      actions = removed(snapshot.id)
    } else if let before {
      tallies[before.session]?.remove(snapshot.id, before)
    }
    tasks[snapshot.id] = task
    tallies[task.session, default: TaskTally()].add(snapshot.id, task)
    let isSetGoing = before.map { task.isStarted(since: $0) } ?? true
    return actions
      + change(task.session) { machine in
        machine.taskChanged(snapshot.id, to: task.standing)
        if isSetGoing { machine.arm() }
      }
  }

  package mutating func removed(_ id: TransferID) -> [SessionAction] {
    guard let task = tasks.removeValue(forKey: id) else { return [] }
    tallies[task.session]?.remove(id, task)
    if tallies[task.session]?.isEmpty == true { tallies[task.session] = nil }
    return change(task.session) { $0.taskChanged(id, to: nil) }
  }

  // MARK: Programs

  /// Binds a connection to a session, which is created if it does not exist.
  package mutating func attach(
    _ holder: SessionHolder, to id: SessionID, _ options: SessionOptions, at now: Moment
  ) -> Attachment {
    if let other = sessions[id]?.holder, other.connection != holder.connection {
      return .inUse(processID: other.processID)
    }
    var machine =
      sessions[id]
      ?? SessionMachine(new: SessionRecord(id: id, options: options, createdAt: now.wall))
    machine.attach(holder, options, at: now)
    let actions = decide(for: &machine)
    return .attached(actions + [.keep(machine.record)])
  }

  /// A connection ended.
  package mutating func detach(_ connection: UInt64, at now: Moment) -> [SessionAction] {
    sessions(heldBy: connection).flatMap { detach(connection, from: $0, at: now) }
  }

  /// Detaches a connection from one of its sessions.
  package mutating func detach(
    _ connection: UInt64, from id: SessionID, at now: Moment
  ) -> [SessionAction] {
    isHeld(id, by: connection) ? change(id) { $0.detach(at: now) } : []
  }

  /// The sessions whose program uses this connection.
  package func sessions(heldBy connection: UInt64) -> [SessionID] {
    sessions.filter { $0.value.holder?.connection == connection }.keys
      .sorted { $0.rawValue < $1.rawValue }
  }

  /// Whether a connection belongs to the session's program.
  package func isHeld(_ id: SessionID, by connection: UInt64) -> Bool {
    sessions[id]?.holder?.connection == connection
  }

  /// The launched program has accepted all events.
  package mutating func finishEvents(of id: SessionID) -> [SessionAction] {
    change(id) { $0.finishEvents() }
  }

  /// Forgets a session, unless another program is connected for it. Its own program may do so.
  package mutating func remove(_ id: SessionID, by connection: UInt64) -> Removal {
    guard let machine = sessions[id] else { return .unknown }
    if let holder = machine.holder, holder.connection != connection {
      return .inUse(processID: holder.processID)
    }
    sessions[id] = nil
    return .removed
  }

  // MARK: Launches

  package mutating func launchRecorded(
    of id: SessionID, _ launch: LaunchID, isKept: Bool, at now: Moment
  ) -> [SessionAction] {
    var actions: [SessionAction] = []
    let tally = tally(of: id)
    let others = change(id) {
      actions = $0.launchRecorded(launch, isKept: isKept, tally, at: now)
    }
    return actions + others
  }

  package mutating func launchStarted(
    of id: SessionID, _ launch: LaunchID, processID: Int64
  ) -> [SessionAction] {
    change(id) { $0.launchStarted(launch, processID: processID) }
  }

  package mutating func launchFailed(
    of id: SessionID, _ launch: LaunchID, errno name: String, at now: Moment
  ) -> [SessionAction] {
    change(id) { $0.launchFailed(launch, errno: name, at: now) }
  }

  package mutating func launchEnded(
    of id: SessionID, _ launch: LaunchID, how: String, at now: Moment
  ) -> [SessionAction] {
    change(id) { $0.launchEnded(launch, how: how, at: now) }
  }

  // MARK: Time

  package var nextWakeUp: MonotonicTime? { sessions.values.compactMap(\.nextWakeUp).min() }

  /// The sessions whose time has come.
  package func sessions(dueAt now: Moment) -> [SessionID] {
    sessions.filter { $0.value.nextWakeUp.map { $0 <= now.monotonic } ?? false }.keys
      .sorted { $0.rawValue < $1.rawValue }
  }

  package mutating func alarm(at now: Moment) -> [SessionAction] {
    sessions(dueAt: now).flatMap { id in change(id) { $0.alarm(at: now) } }
  }

  // MARK: The door

  /// Changes a session. A changed record is stored.
  private mutating func change(
    _ id: SessionID, _ body: (inout SessionMachine) -> Void
  ) -> [SessionAction] {
    guard var machine = sessions[id] else { return [] }
    let before = machine.record
    body(&machine)
    let actions = decide(for: &machine)
    return actions.isEmpty && machine.record != before ? [.keep(machine.record)] : actions
  }

  /// Lets a changed session decide, and stores it in the table.
  private mutating func decide(for machine: inout SessionMachine) -> [SessionAction] {
    lastLaunch += 1
    let id = machine.record.id
    let actions = machine.decide(tally(of: id), launch: LaunchID(rawValue: lastLaunch))
    sessions[id] = machine
    return actions
  }
}

/// Limits how often a program may be launched. Each launch doubles the pause before the next, so a
/// program that creates a new task at every start and exits does not keep the machine busy.
struct LaunchPace: Sendable, Hashable {
  private var count = 0
  private var lastLaunchAt: MonotonicTime?
  /// The leader of the launched program's process session.
  private var processID: Int64?

  static let pauseMillisecondsMin: Int64 = 1000
  static let pauseMillisecondsMax: Int64 = 600_000
  /// After this long without a launch, the next one has no pause.
  static let forgettingMilliseconds: Int64 = 3_600_000
  /// A program that connects this soon after a launch does not count as started by the user: a
  /// launched one that goes into the background leaves its process session.
  static let arrivalMilliseconds: Int64 = 5000

  /// The earliest time of the next launch; nil when there was none.
  var nextLaunchAt: MonotonicTime? {
    guard count > 0 else { return nil }
    // Ten doublings exceed the longest pause.
    let pause = Self.pauseMillisecondsMin << min(count - 1, 10)
    return lastLaunchAt?.advanced(byMilliseconds: min(pause, Self.pauseMillisecondsMax))
  }

  mutating func launched(at now: MonotonicTime) {
    if let lastLaunchAt, now.milliseconds(since: lastLaunchAt) >= Self.forgettingMilliseconds {
      count = 0
    }
    count = min(count + 1, Int(UInt8.max))
    lastLaunchAt = now
    processID = nil
  }

  mutating func started(processID: Int64) { self.processID = processID }

  /// Records that a program connected. If the user started it, the next launch has no pause.
  mutating func connected(_ holder: SessionHolder, at now: MonotonicTime) {
    if let processID, holder.processSession == processID { return }
    if let lastLaunchAt, now.milliseconds(since: lastLaunchAt) < Self.arrivalMilliseconds { return }
    self = LaunchPace()
  }
}
