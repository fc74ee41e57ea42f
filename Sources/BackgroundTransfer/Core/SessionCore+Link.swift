import Dispatch
import Foundation
import Glibc
import KettleControl
import KettleModel
import KettleSystem

/// The session as seen by the thread that talks to the service.
extension SessionCore {
  /// The current options; a server trust challenge may have changed them.
  var options: SessionOptions {
    let values = configuration.snapshot
    let (serverTrust, hasDelayMethod) = state.withLock { ($0.serverTrust, $0.hasDelayMethod) }
    return SessionOptions(
      launch: values.launch.command(isStartedByPerson: isatty(STDIN_FILENO) == 1),
      sendsLaunchEvents: values.sessionSendsLaunchEvents,
      connectionsPerHostMax: max(1, values.httpMaximumConnectionsPerHost),
      asksServerTrust: serverTrust != .never,
      asksServerTrustWhenAway: serverTrust == .detects ? false : nil,
      asksBeforeBeginningWhenAway: hasDelayMethod)
  }

  /// The serial number of the newest request, or nil when none waits to be sent, and whether the
  /// program is ending.
  var requestsToSend: (lastSerial: Int64?, isUrgent: Bool) {
    state.withLock { state in
      let machine = state.machine
      return (machine.hasRequestsToSend ? machine.lastSerial : nil, machine.isLeaving)
    }
  }

  func dequeueOutgoing() -> [(serial: Int64, request: ServiceRequest)] {
    feed(.readyToSend)
    return state.withLock { state in
      defer { state.outgoing = [] }
      return state.outgoing
    }
  }

  func attached(_ reply: AttachSession.Result) {
    let awaited = reply.tasks.filter {
      ProgramData(kept: $0.spec.task?.programData)?.isAwaited ?? false
    }
    var waiters: [@Sendable () -> Void] = []
    feed { state in
      waiters = state.attachWaiters
      state.attachWaiters = []
      state.unreachable = nil
      return .attached(reply, awaited: Set(awaited.map(\.snapshot.taskIdentifier)))
    }
    for waiter in waiters { waiter() }
  }

  func connectionLost() {
    feed { state in
      state.outgoing = []
      return .connectionLost
    }
  }

  func gaveUp(_ failure: SessionFailure) {
    var waiters: [@Sendable () -> Void] = []
    feed { state in
      waiters = state.attachWaiters
      state.attachWaiters = []
      switch failure {
      case .inUse, .emptyIdentifier: state.failure = failure
      // Delegates often report only the code of an error.
      case .noService(let sentence) where state.unreachable == nil && !state.machine.canNumber:
        waiters.append { StandardError.write("BackgroundTransfer: \(sentence)") }
      case .noService: break
      }
      state.unreachable = (failure, .now + .seconds(10))
      return .gaveUp(failure)
    }
    for waiter in waiters { waiter() }
  }

  /// Whether the service has attached the session at least once.
  var wasAttached: Bool { state.withLock { $0.machine.canNumber } }

  /// What the session needs from its connection now.
  enum Want: Sendable {
    case connection
    /// No connection, until the program makes a request.
    case nothing
    case end
  }

  var want: Want {
    state.withLock { state in
      if state.machine.isDone || state.failure != nil { return .end }
      return state.machine.wantsConnection ? .connection : .nothing
    }
  }
}

extension URLSessionConfiguration.Launch {
  /// What to send to the service; nil launches nothing.
  func command(isStartedByPerson: Bool) -> LaunchCommand? {
    switch self {
    case .noLaunch: nil
    case .automatic where isStartedByPerson: nil
    case .automatic, .ownProgram:
      LaunchCommand(
        executablePath: ServiceExecutable.ownPath,
        arguments: Array(CommandLine.arguments.dropFirst()),
        directory: FileManager.default.currentDirectoryPath)
    case .command(let command):
      LaunchCommand(
        executablePath: command.executable.path, arguments: command.arguments,
        directory: command.directory?.path)
    }
  }
}

/// Requests that the program's objects make to their session.
extension SessionCore {
  func resume(_ number: Int64) {
    feed { state in
      if let handle = state.tasks[number]?.handle,
        handle.values.withLock({ $0.kept == nil })
      {
        // Nothing of this task reaches the service; the failure is reported when the task is
        // resumed.
        return .refuse(number, .tooMuchUserInfo)
      }
      return nil
    }
    feed(.resume(number))
  }

  func suspend(_ number: Int64) { feed(.suspend(number)) }

  func cancel(_ number: Int64) { feed(.cancel(number, keepsBytes: false)) }

  func cancel(_ number: Int64, producingResumeData handler: @escaping @Sendable (Data?) -> Void) {
    feed { state in
      state.resumeDataHandlers[number, default: []].append(handler)
      return .cancel(number, keepsBytes: true)
    }
  }

  func update(_ number: Int64, _ change: (inout UpdateTask.Params) -> Void) {
    // The machine replaces this id with the service's.
    var params = UpdateTask.Params(id: TransferID(rawValue: 0))
    change(&params)
    feed(.update(number, params))
  }

  func invalidate(cancellingTasks: Bool) {
    feed(.invalidate(cancellingTasks: cancellingTasks))
    if cancellingTasks { local.withLock { $0 }?.cancelTasks() }
  }

  /// The unfinished tasks, sorted by number.
  var liveTasks: [URLSessionTask] {
    let local = local.withLock { $0 }?.bridge.tasks ?? []
    let tasks = state.withLock { $0.tasks.all.filter { $0.state != .completed } }
    return (local + tasks).sorted { $0.taskIdentifier < $1.taskIdentifier }
  }

  /// Runs `body` once the tasks of earlier runs are known: immediately if they are, or if the
  /// service is unreachable. After a while, an unreachable service is tried again.
  func whenAttached(_ body: @escaping @Sendable () -> Void) {
    var isNow = false
    feed { state in
      isNow = state.machine.canNumber || state.failure != nil
      if let unreachable = state.unreachable, unreachable.retryAt > .now { isNow = true }
      guard !isNow else { return nil }
      state.attachWaiters.append(body)
      return .connectionNeeded
    }
    if isNow { body() }
  }

  /// Blocks the calling thread until task numbers are available, that is, until the service
  /// replies, for at most ten seconds. The connection's thread receives the reply without the help
  /// of any other thread or queue.
  func waitUntilAttached() {
    let semaphore = DispatchSemaphore(value: 0)
    whenAttached { semaphore.signal() }
    _ = semaphore.wait(timeout: .now() + 10)
  }

  /// Records all tasks, and runs `body` when the service has acknowledged every request made so
  /// far; immediately if it already has.
  func whenFlushed(_ body: @escaping @Sendable () -> Void) {
    feed(.record)
    whenAcknowledged(body)
  }

  private func whenAcknowledged(_ body: @escaping @Sendable () -> Void) {
    let isNow = state.withLock { state in
      let serial = state.machine.lastSerial
      guard !state.machine.isAcknowledged(through: serial) else { return true }
      state.flushWaiters.append((serial, body))
      return false
    }
    if isNow { body() }
  }

  /// The longest time for which the end of the program waits for the next acknowledgement.
  static let silenceMax = DispatchTimeInterval.seconds(10)

  /// Ends the delegate calls and blocks the calling thread until the service has acknowledged every
  /// request, or until it has acknowledged nothing for `silenceMax`. The program is ending.
  ///
  /// - Returns: How many resumed tasks the service did not record.
  func leave() -> Int {
    feed(.leave)
    let unrecorded = state.withLock { $0.machine.unrecordedTasks }
    let semaphore = DispatchSemaphore(value: 0)
    whenAcknowledged { semaphore.signal() }
    wake.wake()
    var pending = state.withLock { $0.machine.unacknowledgedCount }
    while semaphore.wait(timeout: .now() + Self.silenceMax) == .timedOut {
      let left = state.withLock { $0.machine.unacknowledgedCount }
      if left >= pending { break }
      pending = left
    }
    return state.withLock { $0.machine.lostTasks(of: unrecorded) }.count
  }
}
