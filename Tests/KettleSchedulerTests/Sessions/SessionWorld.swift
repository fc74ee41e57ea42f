import KettleModel
import KettleScheduler

/// A table of sessions with a clock and a store, for one session called "app".
struct SessionWorld {
  static let app = SessionID(rawValue: "app")
  static let command = LaunchCommand(executablePath: "/opt/app")

  var table = SessionTable()
  var now = Moment(
    monotonic: MonotonicTime(milliseconds: 1000), wall: WallTime(millisecondsSince1970: 5000))
  /// The stored session record.
  var record: SessionRecord?
  /// Launches in order.
  var launches: [LaunchID] = []

  /// Performs all actions except launches, which are only recorded.
  mutating func perform(_ actions: [SessionAction], isKept: Bool = true) {
    for action in actions {
      switch action {
      case .keep(let record): self.record = record
      case .keepBeforeLaunch(let record, let id):
        if isKept { self.record = record }
        perform(table.launchRecorded(of: record.id, id, isKept: isKept, at: now))
      case .launch(_, let id, _): launches.append(id)
      }
    }
  }

  mutating func pass(_ milliseconds: Int64) {
    now = Moment(
      monotonic: now.monotonic.advanced(byMilliseconds: milliseconds),
      wall: now.wall.advanced(byMilliseconds: milliseconds))
    perform(table.alarm(at: now))
  }

  mutating func attach(
    _ connection: UInt64 = 1, processID: Int64 = 100, processSession: Int64? = 100,
    options: SessionOptions = SessionOptions(launch: command)
  ) {
    let holder = SessionHolder(
      connection: connection, processID: processID, processSession: processSession)
    guard case .attached(let actions) = table.attach(holder, to: Self.app, options, at: now)
    else { return }
    perform(actions)
  }

  mutating func detach(_ connection: UInt64 = 1) { perform(table.detach(connection, at: now)) }

  mutating func task(
    _ id: Int64, _ state: TransferState, asking: Int? = nil, aside: Bool = false
  ) {
    perform(table.observe(snapshot(id, state, asking: asking, aside: aside)))
  }

  mutating func acknowledge(_ id: Int64) { perform(table.removed(TransferID(rawValue: id))) }

  /// Restarts the service from the store.
  mutating func restart(_ tasks: [TransferSnapshot]) {
    table = SessionTable()
    for task in tasks { perform(table.observe(task)) }
    table.recover(record.map { [$0] } ?? [], at: now)
  }

  func snapshot(
    _ id: Int64, _ state: TransferState, asking: Int? = nil, aside: Bool = false
  ) -> TransferSnapshot {
    var status = TaskStatus()
    if let asking {
      status.challenge = ServerChallenge(
        kind: .basic, origin: "https://example.org:443", failureCount: asking)
      status.answeredChallengeCount = asking
    }
    if aside { status.resumeToken = ResumeToken(id: TransferID(rawValue: id), secret: "s") }
    return TransferSnapshot(
      id: TransferID(rawValue: id), session: Self.app, taskIdentifier: id, title: "t",
      url: "https://example.org/", state: state, reason: asking == nil ? nil : .needsLogin,
      createdAt: WallTime(millisecondsSince1970: 0),
      finishedAt: state == .completed || state == .failed ? now.wall : nil, task: status)
  }

  var program: SessionMachine.Program? { table.sessions[Self.app]?.program }
  var trouble: LaunchTrouble.Problem? { table.sessions[Self.app]?.trouble?.problem }
}
