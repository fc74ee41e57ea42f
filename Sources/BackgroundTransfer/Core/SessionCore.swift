import Dispatch
import Foundation
import KettleControl
import KettleModel
import KettleSystem

/// The state shared by the `URLSession` objects of one identifier.
///
/// `machine` decides. All input goes through `feed`, under one lock. Delegates and handlers are
/// called without the lock, delegates on the delegate queue only.
final class SessionCore: Sendable {
  /// A delegate of the program, of any type.
  // Unchecked because delegates need not be Sendable: as on Apple's systems, they are used only on
  // the delegate queue of the session, one call at a time, except for `didCreateTask`, which is
  // called where the program makes a task.
  struct Delegate: @unchecked Sendable {
    let object: any URLSessionDelegate
  }

  /// The delegate of a session that is over, for tasks resumed too late: they still end.
  // Unchecked because delegates need not be Sendable: it is read on the delegate queue only, and
  // stored under the lock of the core.
  struct Former: @unchecked Sendable {
    weak var delegate: (any URLSessionDelegate)?
    weak var session: URLSession?
  }

  struct State: Sendable {
    /// Whether the delegate is asked about certificates that the system already trusts.
    enum ServerTrust: Sendable {
      case asks, never
      /// Asked while the program is connected, until it is known whether the delegate has a method
      /// for it.
      case detects
    }

    var machine: BackgroundSessionMachine
    var tasks = TaskTable()
    /// Passed to the delegate; retained until the session is over, as on Apple's systems.
    var session: URLSession?
    var delegate: Delegate?
    var former = Former()
    /// Requests to send on the attached connection.
    var outgoing: [(serial: Int64, request: ServiceRequest)] = []
    /// Each runs once, when the tasks of the session are known or the service proves unreachable.
    var attachWaiters: [@Sendable () -> Void] = []
    /// Each runs once, when the requests up to its serial number are acknowledged.
    var flushWaiters: [(serial: Int64, body: @Sendable () -> Void)] = []
    var resumeDataHandlers: [Int64: [@Sendable (Data?) -> Void]] = [:]
    var outcomes = Outcomes()
    /// Why the session cannot exist; its new tasks fail with this error.
    var failure: SessionFailure?
    var serverTrust: ServerTrust
    /// Whether the delegate has a method for delayed requests; nil until it was called.
    var hasDelayMethod: Bool?
    /// Set when the service was unreachable; nothing waits for it before `retryAt`.
    var unreachable: (failure: SessionFailure, retryAt: ContinuousClock.Instant)?
  }

  let configuration: URLSessionConfiguration
  let queue: OperationQueue
  /// Performs the data tasks; nil until the first one.
  let local = Mutex<ForegroundSession?>(nil)
  /// Runs challenge methods of the delegate on the delegate queue.
  let executor: DelegateExecutor
  /// The queue below the default delegate queue, which does not retain it. A serial Dispatch queue
  /// gets a thread whenever it needs one, even while the program blocks the cooperative pool.
  private let serial = DispatchQueue(label: "org.kettle.URLSession.delegate")
  let sessionDescription = Mutex<String?>(nil)
  let duplicatePolicy = Mutex(DuplicatePolicy.separate)
  let state: Mutex<State>
  let wake = WakePipe()
  /// Shows the progress of the presented tasks; nil when there is no terminal for it.
  let gauge: TerminalGauge?

  var identifier: String { configuration.identifier ?? "" }
  var delegate: (any URLSessionDelegate)? { state.withLock { $0.delegate }?.object }

  /// The session's delegate for a call that the delegate of a task does not implement; nil if that
  /// is the session's delegate itself.
  func delegate(besides own: any URLSessionTaskDelegate) -> (any URLSessionTaskDelegate)? {
    let delegate = state.withLock { $0.delegate?.object ?? $0.former.delegate }
    return delegate === own ? nil : delegate as? any URLSessionTaskDelegate
  }

  init(
    configuration: URLSessionConfiguration, delegate: Delegate?, queue: OperationQueue?
  ) {
    self.configuration = configuration
    let queue = queue ?? Self.makeQueue(on: serial)
    self.queue = queue
    executor = DelegateExecutor(queue: queue)
    gauge = configuration.showsProgressInTerminal ? .ofProgram : nil
    let identifier = configuration.identifier ?? ""
    state = Mutex(
      State(
        machine: BackgroundSessionMachine(
          nonce: UUID().uuidString, isLaunched: LaunchEvents.shared.consumeLaunch(for: identifier)),
        delegate: delegate,
        serverTrust: configuration.asksServerTrust.map { $0 ? .asks : .never }
          ?? (delegate == nil ? .never : .detects)))
  }

  /// Whether the last delegate call was made, or the session cannot exist.
  var isOver: Bool { state.withLock { $0.machine.isDone || $0.failure != nil } }

  static func makeQueue(on serial: DispatchQueue) -> OperationQueue {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.name = serial.label
    queue.underlyingQueue = serial
    return queue
  }

  /// Starts the thread that talks to the service. Called once, for the first session of an
  /// identifier.
  func start() {
    guard !identifier.isEmpty else { return gaveUp(.emptyIdentifier) }
    let thread = Thread { [self] in ServiceLink(core: self).run() }
    thread.name = "kettle session"
    thread.start()
  }

  /// Makes `session` the object passed to delegates, unless there already is one.
  func adopt(_ session: URLSession) {
    let isFirst = state.withLock { state in
      guard state.session == nil, state.failure == nil else { return false }
      state.session = session
      return true
    }
    if isFirst { start() } else { warnOfSecondSession() }
  }

  private func warnOfSecondSession() {
    StandardError.write(
      "A background URLSession with identifier \"\(identifier)\" already exists!")
  }
}

/// Messages for the developer or the operator of the program.
enum StandardError {
  static func write(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}

// MARK: - Input

extension SessionCore {
  func feed(_ input: BackgroundSessionInput) {
    feed { _ in input }
  }

  /// Passes the input that `input` makes under the lock to the machine, and performs the actions.
  func feed(_ input: (inout State) -> BackgroundSessionInput?) {
    let effects: [Effect] = state.withLock { state in
      guard let input = input(&state) else { return [] }
      return state.perform(state.machine.handle(input), by: self)
    }
    for effect in effects { run(effect) }
  }

  private func run(_ effect: Effect) {
    switch effect {
    case .call(let call):
      queue.addOperation { [self] in
        deliver(call)
        feed(.returned)
      }
    case .wake: wake.wake()
    case .perform(let body): body()
    case .moveProgress(let handle): handle.moveProgress()
    case .close:
      URLSessionRegistry.shared.forget(self)
      local.withLock { $0.take() }?.close()
      wake.wake()
    }
  }

  /// An effect that runs outside the lock.
  enum Effect: Sendable {
    case call(DelegateCall)
    case wake
    case perform(@Sendable () -> Void)
    case moveProgress(TaskHandle)
    case close
  }
}

extension SessionCore.State {
  /// Performs what needs the lock, and returns the effects that must run without it.
  mutating func perform(
    _ actions: [BackgroundSessionAction], by core: SessionCore
  ) -> [SessionCore.Effect] {
    var effects: [SessionCore.Effect] = []
    for action in actions { effects += perform(action, by: core) }
    guard !flushWaiters.isEmpty else { return effects }
    let machine = machine
    effects += flushWaiters.filter { machine.isAcknowledged(through: $0.serial) }
      .map { .perform($0.body) }
    flushWaiters.removeAll { machine.isAcknowledged(through: $0.serial) }
    return effects
  }

  private mutating func perform(
    _ action: BackgroundSessionAction, by core: SessionCore
  ) -> [SessionCore.Effect] {
    switch action {
    case .send(let serial, let request):
      outgoing.append((serial, request))
      return []
    case .requestsWaiting: return [.wake]
    case .call(let call): return [.call(call)]
    case .restored(let task):
      tasks.insert(core.makeRestored(task))
      return []
    case .show(let number, let view):
      guard let handle = tasks[number]?.handle else { return [] }
      handle.show(view)
      guard let cookies = handle.takeNewCookies() else { return [.moveProgress(handle)] }
      return [.perform { handle.store(cookies) }, .moveProgress(handle)]
    case .resumeData(let number, let resumption):
      let data = tasks[number].flatMap { resumption?.data(for: $0.handle) }
      let handlers = resumeDataHandlers.removeValue(forKey: number) ?? []
      return handlers.map { handler in .perform { handler(data) } }
    case .settled(let number, let end, let path):
      return outcomes.recordEnd(of: number, end, path: path, handle: tasks[number]?.handle)
        .map { .perform($0) }
    case .forget(let number):
      tasks.remove(number)
      return []
    case .connect: return [.wake]
    case .close:
      former = SessionCore.Former(delegate: delegate?.object, session: session)
      session = nil
      delegate = nil
      return [.close]
    }
  }
}
