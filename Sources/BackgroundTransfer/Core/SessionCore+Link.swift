import Foundation
import Glibc
import KettleControl
import KettleModel
import KettleSystem
import KettleTasks

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
