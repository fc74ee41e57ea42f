import KettleModel

/// One program's session: which connection it has, and when its program is launched.
///
/// A launch is for news: finished tasks and pending challenges. Each news item launches the program
/// at most once, so a program that starts, accepts nothing and exits is left alone; one that causes
/// news at every start is launched less and less often (`LaunchPace`).
package struct SessionMachine: Sendable {
  package private(set) var record: SessionRecord
  package private(set) var program: Program
  /// The last launch failure; cleared when a launched program reports that it is done.
  package private(set) var trouble: LaunchTrouble?
  /// The news for which it was launched and that still exist, so it never outgrows the news.
  private var launchedFor: [TransferID: TaskStanding] = [:]
  private var pace = LaunchPace()

  /// How long a launched program has to report that it is done.
  package static let answerMilliseconds: Int64 = 30_000
  /// How long a program that was connected before the service restarted has to reconnect before
  /// another one is launched.
  package static let returnMilliseconds: Int64 = 3000
  static let postponementMilliseconds: Int64 = 60_000

  package enum Program: Hashable, Sendable {
    /// The service has just started. Exits: away, connected.
    case mayReturn(until: MonotonicTime)
    /// No program is connected. Exits: recording, connected.
    case away
    /// The launch is being recorded. Exits: expected, postponed, away, connected.
    case recording(LaunchID)
    /// No launch before this time: the store could not record the last one, or it was too recent.
    /// Exits: away, connected.
    case postponed(until: MonotonicTime)
    /// It was launched and is not connected. Exits: answering, connected, away,
    /// postponed.
    case expected(Launch)
    /// It was launched, is connected, and has not reported that it is done. Exits: connected,
    /// expected, away, postponed.
    case answering(SessionHolder, Launch)
    /// Exits: away, postponed.
    case connected(SessionHolder)
  }

  package struct Launch: Hashable, Sendable {
    package var id: LaunchID
    package var deadline: MonotonicTime
    package var process: Process

    package enum Process: Hashable, Sendable {
      case starting
      case running(processID: Int64)
      case ended(String)
    }
  }

  /// A session from the store. The news of its previous launch counts as delivered.
  init(recovered record: SessionRecord, _ tally: TaskTally, at now: Moment) {
    self.record = record
    program = .mayReturn(until: now.monotonic.advanced(byMilliseconds: Self.returnMilliseconds))
    switch record.launch {
    case .armed: launchedFor = [:]
    case .spent: launchedFor = tally.news
    }
  }

  init(new record: SessionRecord) {
    self.record = record
    program = .away
  }

  package var holder: SessionHolder? {
    switch program {
    case .connected(let holder), .answering(let holder, _): holder
    case .mayReturn, .away, .recording, .postponed, .expected: nil
    }
  }

  /// How the transfers of the session are treated now.
  package var policy: SessionPolicy {
    SessionPolicy(
      record.options, isConnected: holder != nil, isExpected: isReturning || isLaunchable)
  }

  /// Whether a program that was connected or launched may be about to connect.
  private var isReturning: Bool {
    switch program {
    case .mayReturn, .expected: true
    case .away, .recording, .postponed, .connected, .answering: false
    }
  }

  /// Whether a question to the program launches it. After a failed launch it does not.
  private var isLaunchable: Bool {
    record.options.launch != nil && record.options.sendsLaunchEvents && trouble == nil
  }

  var nextWakeUp: MonotonicTime? {
    switch program {
    case .mayReturn(let date), .postponed(let date): date
    case .expected(let launch), .answering(_, let launch): launch.deadline
    case .away, .recording, .connected: nil
    }
  }

  // MARK: Programs

  mutating func attach(_ holder: SessionHolder, _ options: SessionOptions, at now: Moment) {
    let askedBefore = record.options.asksServerTrustAlways
    let beginsUnasked = record.options.asksBeforeBeginningWhenAway
    record.options = options
    record.options.asksBeforeBeginningWhenAway =
      options.asksBeforeBeginningWhenAway ?? beginsUnasked
    if askedBefore, options.asksServerTrust { record.options.asksServerTrustWhenAway = nil }
    record.lastSeenAt = now.wall
    pace.connected(holder, at: now.monotonic)
    switch program {
    case .mayReturn, .away, .postponed: program = .connected(holder)
    case .recording:
      record.launch = .armed
      program = .connected(holder)
    case .expected(let launch): program = Self.answered(launch, by: holder)
    // The same connection again: others were refused.
    case .connected, .answering: break
    }
  }

  /// A program of another process session connected on its own; then nothing more is due.
  private static func answered(_ launch: Launch, by holder: SessionHolder) -> Program {
    switch launch.process {
    case .running(let processID) where holder.processSession != processID: .connected(holder)
    case .starting, .running, .ended: .answering(holder, launch)
    }
  }

  mutating func detach(at now: Moment) {
    record.lastSeenAt = now.wall
    switch program {
    case .connected: programLeft(at: now)
    case .answering(_, let launch):
      if case .ended(let how) = launch.process {
        fail(.ended(how), at: now)
        programLeft(at: now)
      } else {
        program = .expected(launch)
      }
    case .mayReturn, .away, .recording, .postponed, .expected: break
    }
  }

  /// No program is connected or expected any more.
  private mutating func programLeft(at now: Moment) {
    if let date = pace.nextLaunchAt, date > now.monotonic {
      program = .postponed(until: date)
    } else {
      program = .away
    }
  }

  mutating func finishEvents() {
    trouble = nil
    if case .answering(let holder, _) = program { program = .connected(holder) }
  }

  // MARK: Launches

  mutating func launchRecorded(
    _ id: LaunchID, isKept: Bool, _ tally: TaskTally, at now: Moment
  ) -> [SessionAction] {
    guard program == .recording(id) else { return [] }
    guard isKept, let command = record.options.launch else {
      record.launch = .armed
      program = .postponed(
        until: now.monotonic.advanced(byMilliseconds: Self.postponementMilliseconds))
      return []
    }
    launchedFor = tally.news
    pace.launched(at: now.monotonic)
    program = .expected(
      Launch(
        id: id, deadline: now.monotonic.advanced(byMilliseconds: Self.answerMilliseconds),
        process: .starting))
    return [.launch(record.id, id, command)]
  }

  mutating func launchStarted(_ id: LaunchID, processID: Int64) {
    guard var launch, launch.id == id else { return }
    launch.process = .running(processID: processID)
    pace.started(processID: processID)
    if let holder {
      program = Self.answered(launch, by: holder)
    } else {
      program = .expected(launch)
    }
  }

  mutating func launchFailed(_ id: LaunchID, errno name: String, at now: Moment) {
    guard launch?.id == id else { return }
    switch program {
    case .expected:
      fail(.notRun(name), at: now)
      programLeft(at: now)
    // The connected program came on its own.
    case .answering(let holder, _): program = .connected(holder)
    case .mayReturn, .away, .recording, .postponed, .connected: break
    }
  }

  /// The process ended. What it started may still be connected, or may connect.
  mutating func launchEnded(_ id: LaunchID, how: String, at now: Moment) {
    guard var launch, launch.id == id else { return }
    switch program {
    case .expected:
      fail(.ended(how), at: now)
      programLeft(at: now)
    case .answering(let holder, _):
      launch.process = .ended(how)
      program = .answering(holder, launch)
    case .mayReturn, .away, .recording, .postponed, .connected: break
    }
  }

  mutating func alarm(at now: Moment) {
    guard let date = nextWakeUp, date <= now.monotonic else { return }
    switch program {
    case .mayReturn, .postponed: program = .away
    case .expected:
      fail(.silent, at: now)
      programLeft(at: now)
    case .answering(let holder, _):
      fail(.silent, at: now)
      program = .connected(holder)
    case .away, .recording, .connected: break
    }
  }

  private var launch: Launch? {
    switch program {
    case .expected(let launch), .answering(_, let launch): launch
    case .mayReturn, .away, .recording, .postponed, .connected: nil
    }
  }

  private mutating func fail(_ problem: LaunchTrouble.Problem, at now: Moment) {
    trouble = LaunchTrouble(problem: problem, at: now.wall)
  }

  // MARK: News

  /// A task was added or started.
  mutating func arm() { record.launch = .armed }

  /// A task changed or was removed.
  mutating func taskChanged(_ id: TransferID, to standing: TaskStanding?) {
    if let known = launchedFor[id], known != standing { launchedFor[id] = nil }
  }

  /// Decides what follows from all changes. The number identifies the launch, if there is one.
  mutating func decide(_ tally: TaskTally, launch number: LaunchID) -> [SessionAction] {
    let isDue =
      record.options.launch != nil && record.options.sendsLaunchEvents
      && tally.hasReason(beyond: launchedFor)
    switch program {
    case .away where isDue:
      record.launch = .spent
      program = .recording(number)
      trouble = nil
      return [.keepBeforeLaunch(record, number)]
    case .recording:
      if !isDue {
        record.launch = .armed
        program = .away
      }
    case .mayReturn, .away, .postponed, .expected, .connected, .answering:
      if launchedFor.isEmpty || tally.hasNews(beyond: launchedFor) { record.launch = .armed }
    }
    return []
  }
}

/// An action of the session table. Actions are performed one after the other, in order.
package enum SessionAction: Hashable, Sendable {
  case keep(SessionRecord)
  /// The same; then `SessionTable.launchRecorded` reports whether it is durable.
  case keepBeforeLaunch(SessionRecord, LaunchID)
  /// Starts the program; `launchStarted` or `launchFailed` follows, and `launchEnded` at its end.
  case launch(SessionID, LaunchID, LaunchCommand)
}

/// Identifies one launch, so that reports of an earlier one are recognized.
package struct LaunchID: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The connection of a program to the service.
package struct SessionHolder: Hashable, Sendable {
  package var connection: UInt64
  package var processID: Int64
  /// Its process session (credentials(7)); nil when unknown. A launched program leads its own,
  /// which identifies it, even behind a script.
  package var processSession: Int64?

  package init(connection: UInt64, processID: Int64, processSession: Int64?) {
    self.connection = connection
    self.processID = processID
    self.processSession = processSession
  }
}

/// Why a launch failed.
package struct LaunchTrouble: Hashable, Sendable {
  package enum Problem: Hashable, Sendable {
    /// The name of the errno.
    case notRun(String)
    /// `exit 1` or `signal 11`
    case ended(String)
    case silent
  }

  package var problem: Problem
  package var at: WallTime

  package init(problem: Problem, at: WallTime) {
    self.problem = problem
    self.at = at
  }
}
