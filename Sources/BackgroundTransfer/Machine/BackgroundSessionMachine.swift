import KettleControl
import KettleModel

/// Decides which requests a session sends, which delegate calls it makes, and when.
///
/// `handle` is the only entry point: it accepts an input and returns the actions to perform, in
/// order. It has no clock, no socket and no object of the program.
struct BackgroundSessionMachine: Sendable {
  enum Link: Sendable {
    /// Connecting to the service, for the first time or again.
    case connecting
    case attached
    /// Connecting was given up. The next request of the program tries again.
    case disconnected
  }

  enum Ending: Sendable {
    case none
    /// The program invalidated the session, which ends after its tasks. Tasks that become known
    /// later may be cancelled, too.
    case afterTasks(cancelled: Bool)
    /// Asking the service to forget the session.
    case dropping
    /// The last call is under way.
    case reporting
    case done
  }

  /// Whether the program was launched for the session and still has to receive the end of events.
  enum Launch: Sendable {
    case none
    /// The program is learning that it was launched; all other calls wait.
    case held
    case owed, reported
  }

  /// Whether the program receives delegate calls.
  enum Program: Sendable {
    case running
    /// It is ending normally.
    case leaving
  }

  /// What the program has of an abandoned task.
  enum Abandonment: Sendable {
    case gaveNothing, gaveToken
  }

  var link = Link.connecting
  var ending = Ending.none
  var launch: Launch
  var program = Program.running
  var wasAttached = false
  var lastNumber: Int64 = 0
  /// For tasks that the service never sees.
  var lastUnsendableNumber: Int64 = 0
  var tasks: [Int64: TaskRecord] = [:]
  /// The unfinished tasks that the program itself performs.
  var localTasks: Set<Int64> = []
  /// Created tasks that are not added yet, in rising order. Some may be over already.
  var unadded: [Int64] = []
  /// Tasks reported to the program as lost that the service may still have.
  var abandoned: [Int64: Abandonment] = [:]
  var unacknowledged: UnacknowledgedRequests
  var calls = CallQueue()
  private var actions: [BackgroundSessionAction] = []

  /// - Parameters:
  ///   - nonce: Unique to each run of the program.
  ///   - isLaunched: Whether the service launched the program for this session.
  init(nonce: String, isLaunched: Bool) {
    unacknowledged = UnacknowledgedRequests(nonce: nonce)
    launch = isLaunched ? .owed : .none
  }

  /// The serial number of the newest request.
  var lastSerial: Int64 { unacknowledged.lastSerial }

  /// Whether the service has acknowledged every request up to this serial number.
  func isAcknowledged(through serial: Int64) -> Bool {
    unacknowledged.isAcknowledged(through: serial)
  }

  /// Whether the program is ending normally.
  var isLeaving: Bool {
    switch program {
    case .running: false
    case .leaving: true
    }
  }

  /// Whether requests wait for `BackgroundSessionInput.readyToSend`.
  var hasRequestsToSend: Bool { link.isAttached && !unacknowledged.isAllSent }

  /// How many requests the service has not acknowledged; new tasks count one each.
  var unacknowledgedCount: Int { unacknowledged.count }

  /// The resumed tasks that the service has not recorded yet.
  var unrecordedTasks: Set<Int64> {
    Set(tasks.values.filter(\.isUnrecorded).map(\.number))
  }

  /// Those of formerly unrecorded tasks that the service still has not recorded.
  func lostTasks(of unrecorded: Set<Int64>) -> Set<Int64> {
    unrecorded.filter { tasks[$0].map { $0.id == nil } ?? false }
  }

  var isAttached: Bool { link.isAttached }

  /// Whether tasks can be numbered.
  var canNumber: Bool { wasAttached }

  /// Whether the session accepts new tasks.
  var isOpen: Bool {
    switch ending {
    case .none: true
    case .afterTasks, .dropping, .reporting, .done: false
    }
  }

  /// Returns the number of the next task.
  mutating func reserveNumber() -> Int64 {
    lastNumber += 1
    return lastNumber
  }

  /// Returns the number of a task that the service will never have.
  mutating func reserveUnsendableNumber() -> Int64 {
    lastUnsendableNumber -= 1
    return lastUnsendableNumber
  }

  mutating func handle(_ input: BackgroundSessionInput) -> [BackgroundSessionAction] {
    apply(input)
    checkEvents()
    checkEnding()
    askToSend(after: input)
    callNext()
    defer { actions = [] }
    return actions
  }

  private mutating func apply(_ input: BackgroundSessionInput) {
    switch input {
    case .create(let number, let spec, let isAwaited):
      tasks[number] = TaskRecord(number: number, spec: spec, isAwaited: isAwaited)
      unadded.append(number)
      show(number)
    case .createUnsendable(let number, let failure, let isAwaited):
      tasks[number] = TaskRecord(
        number: number, spec: nil, isAwaited: isAwaited, phase: .unsendable(failure))
      show(number)
    case .localTaskCreated(let number): localTasks.insert(number)
    case .localTaskEnded(let number): localTasks.remove(number)
    case .connectionNeeded: wakeLink()
    case .refuse(let number, let refusal): refuse(number, refusal)
    case .resume(let number): resume(number)
    case .suspend(let number): suspend(number)
    case .cancel(let number, let keepsBytes): cancel(number, keepsBytes: keepsBytes)
    case .update(let number, let params): update(number, params)
    case .answer(let number, let challenge, let answer):
      request(.answer(challenge, answer), task: number)
    case .claimed(let number): claim(number)
    case .invalidate(let cancellingTasks): invalidate(cancellingTasks: cancellingTasks)
    case .options(let options): request(.options(options), task: nil)
    case .holdEvents: if case .owed = launch { launch = .held }
    case .releaseEvents: if case .held = launch { launch = .owed }
    case .finishEvents: request(.finishEvents, task: nil)
    case .returned: callReturned()
    case .record:
      add(through: .max)
      wakeLink()
    case .leave: leave()
    case .readyToSend: sendWhatCanBeSent()
    case .attached(let reply, let awaited): attached(reply, awaited: awaited)
    case .event(let event): receive(event)
    case .answered(let serial, let reply): answered(serial, reply)
    case .connectionLost: connectionLost()
    case .gaveUp(let failure): gaveUp(failure)
    }
  }

  private mutating func callNext() {
    switch (program, launch) {
    case (.leaving, _), (.running, .held): break
    case (.running, .none), (.running, .owed), (.running, .reported):
      if let call = calls.next() { emit(.call(call)) }
    }
  }

  // MARK: Shared by all inputs

  mutating func emit(_ action: BackgroundSessionAction) { actions.append(action) }

  mutating func request(_ intent: Intent, task: Int64?) {
    unacknowledged.append(intent, task: task)
    wakeLink()
  }

  mutating func show(_ number: Int64) {
    guard let record = tasks[number] else { return }
    emit(.show(number, record.view(isServiceThere: link.isAttached)))
  }

  /// Forgets a task whose calls are all made and that the service does not know.
  mutating func forget(_ number: Int64) {
    tasks[number] = nil
    emit(.forget(number))
  }

  mutating func wakeLink() {
    guard case .disconnected = link else { return }
    link = .connecting
    emit(.connect)
  }

  /// Asks the connection for `readyToSend`, unless it was the input: what is left then waits for an
  /// answer of the service.
  private mutating func askToSend(after input: BackgroundSessionInput) {
    if case .readyToSend = input { return }
    if hasRequestsToSend { emit(.requestsWaiting) }
  }

  private mutating func sendWhatCanBeSent() {
    guard link.isAttached else { return }
    let tasks = tasks
    let due = unacknowledged.dequeueSendable(
      id: { tasks[$0]?.id }, spec: { tasks[$0]?.specToAdd })
    for (serial, request) in due {
      if case .add(let params) = request { markSent(params.transfers) }
      emit(.send(serial: serial, request))
    }
  }

  private mutating func markSent(_ specs: [TransferSpec]) {
    for case let number? in specs.map(\.task?.taskIdentifier) {
      if case .unsent? = tasks[number]?.phase { tasks[number]?.phase = .live(.none) }
    }
  }
}

extension BackgroundSessionMachine.Link {
  var isAttached: Bool {
    switch self {
    case .attached: true
    case .connecting, .disconnected: false
    }
  }
}

extension BackgroundSessionMachine {
  /// Whether a connection to the service is needed.
  var wantsConnection: Bool {
    switch link {
    case .connecting, .attached: true
    case .disconnected: false
    }
  }

  /// Whether the last call was made.
  var isDone: Bool {
    switch ending {
    case .done: true
    case .none, .afterTasks, .dropping, .reporting: false
    }
  }
}
