import Glibc
import KettleControl
import KettleModel
import KettleStarter

/// One connection of a session: the greeting, the attach, then requests and events.
struct ServiceConversation: ~Copyable {
  /// The request that a pending reply belongs to.
  private enum Pending {
    case hello, watch, attach
    case request(Int64, ServiceRequest)
  }

  /// No request is sent before the session is attached: requests on their way to a service of
  /// another version would be lost.
  private enum Phase {
    case greeting(until: ContinuousClock.Instant)
    case attached
    /// Attached, and the program is ending: the service sends no events.
    case leaving
  }

  private let core: SessionCore
  private var socket: LineSocket
  private let requests = RequestCoder()
  private let replies = ReplyCoder()
  private var pending: [Int64: Pending] = [:]
  private var nextID: Int64 = 1
  private var phase = Phase.greeting(until: .now + ServiceLink.attachBudget)
  private var gathering = RequestGathering()

  init(core: SessionCore, socket: consuming LineSocket) {
    self.core = core
    self.socket = socket
  }

  mutating func run() -> ServiceLink.End {
    do throws(ServiceLink.End) {
      // Watches before it attaches, so that no event in between is missed.
      try send(
        Hello.self, .init(client: "BackgroundTransfer " + core.identifier), as: .hello)
      while true {
        let milliseconds = try sendOutgoing()
        let lines: [[UInt8]]
        do throws(LineSocket.Ended) {
          lines = try socket.exchange(timeoutMilliseconds: milliseconds, wake: core.wake)
        } catch {
          throw wasAttached ? .lost : .unreachable(ClientError.connectionLost.sentence)
        }
        for line in lines { try handle(line) }
        try checkWants()
      }
    } catch {
      if wasAttached { core.connectionLost() }
      return error
    }
  }

  private var wasAttached: Bool {
    switch phase {
    case .greeting: false
    case .attached, .leaving: true
    }
  }

  private func checkWants() throws(ServiceLink.End) {
    switch core.want {
    case .end: throw .over
    case .connection, .nothing: break
    }
    if case .greeting(let deadline) = phase, ContinuousClock.now > deadline {
      throw .unreachable("The service does not respond; see \"kettle daemon status\"")
    }
  }

  /// Sends the requests of the program, unless it is still making some. Returns how long to wait
  /// for the next message or request, in milliseconds; a negative number means no limit.
  private mutating func sendOutgoing() throws(ServiceLink.End) -> Int32 {
    guard wasAttached else { return 250 }
    let (lastSerial, isLeaving) = core.requestsToSend
    if isLeaving { try stopEvents() }
    switch gathering.decide(lastSerial: lastSerial, isUrgent: isLeaving, at: .now) {
    case .nothing: return -1
    case .wait: return 1
    case .send: try send(core.dequeueOutgoing())
    }
    return -1
  }

  /// Turns off the events of the service. An ending program makes no more delegate calls and waits
  /// only for replies, which the events of thousands of new tasks would delay.
  private mutating func stopEvents() throws(ServiceLink.End) {
    guard case .attached = phase else { return }
    phase = .leaving
    let session = SessionID(rawValue: core.identifier)
    try send(
      WatchEvents.self,
      .init(includesProgress: false, session: session, states: [], resynchronises: true),
      as: .watch)
  }

  private mutating func send(
    _ outgoing: [(serial: Int64, request: ServiceRequest)]
  ) throws(ServiceLink.End) {
    let session = SessionID(rawValue: core.identifier)
    for (serial, request) in outgoing {
      let pending = Pending.request(serial, request)
      switch request {
      case .add(let params): try send(AddTransfers.self, params, as: pending)
      case .control(let params): try send(ControlTransfers.self, params, as: pending)
      case .cancel(let params): try send(CancelTasks.self, params, as: pending)
      case .acknowledge(let params): try send(AcknowledgeTasks.self, params, as: pending)
      case .update(let params): try send(UpdateTask.self, params, as: pending)
      case .answer(let params): try send(AnswerChallenge.self, params, as: pending)
      case .finishEvents: try send(FinishEvents.self, .init(session: session), as: pending)
      case .drop: try send(DropSession.self, .init(session: session), as: pending)
      case .options(let options):
        try send(AttachSession.self, .init(session: session, options: options), as: pending)
      }
    }
  }

  private mutating func send<Method: ControlMethod>(
    _ method: Method.Type, _ params: Method.Params, as pending: Pending
  ) throws(ServiceLink.End) {
    let id = nextID
    nextID += 1
    guard let line = try? requests.encode(method, params, id: id) else {
      return complete(pending, with: .refused(ControlError(.invalidRequest, Method.name)))
    }
    self.pending[id] = pending
    socket.send(line)
  }

  private mutating func handle(_ line: [UInt8]) throws(ServiceLink.End) {
    switch replies.decode(line) {
    case .result(.number(let id), let result):
      guard let call = pending.removeValue(forKey: id) else { return }
      try handle(result, of: call)
    case .error(.number(let id)?, let error):
      guard let call = pending.removeValue(forKey: id) else { return }
      try handle(error, of: call)
    case .notification(.event(let event)): core.feed(.event(event))
    // The reply to a second attach contains the state of every task again.
    case .notification(.resynchronise): if case .attached = phase { try attach() }
    case .notification(.viewport), .notification(.completed), .unknownNotification: break
    case .error(nil, let error) where error.code == .tooManyConnections:
      throw .unreachable(ClientError.tooManyConnections(count: error.message).sentence)
    case .error, .result, .unreadable:
      throw wasAttached ? .lost : .unreachable(ClientError.connectionLost.sentence)
    }
  }

  private mutating func attach() throws(ServiceLink.End) {
    let session = SessionID(rawValue: core.identifier)
    try send(AttachSession.self, .init(session: session, options: core.options), as: .attach)
  }

  private mutating func handle(_ result: UnreadResult, of call: Pending) throws(ServiceLink.End) {
    switch call {
    case .hello:
      let theirs = try? result.decode(Hello.Result.self)
      guard theirs?.protocolVersion == ProtocolVersion.current else {
        throw versionMismatch(theirs.map { String($0.protocolVersion) } ?? "unknown")
      }
      let session = SessionID(rawValue: core.identifier)
      try send(
        WatchEvents.self,
        .init(includesProgress: true, session: session, resynchronises: true), as: .watch)
      try attach()
    case .watch: break
    case .attach:
      guard let reply = try? result.decode(AttachSession.Result.self) else {
        throw .unreachable(ClientError.connectionLost.sentence)
      }
      phase = .attached
      core.attached(reply)
    case .request(_, .add(let params)):
      guard let ids = try? result.decode(AddTransfers.Result.self).ids,
        ids.count == params.transfers.count
      else { throw .lost }
      complete(call, with: .added(ids))
    case .request(_, .acknowledge):
      let tokens = try? result.decode(AcknowledgeTasks.Result.self).tokens
      complete(call, with: .tokens(tokens ?? []))
    case .request: complete(call, with: .done)
    }
  }

  private func handle(_ error: ControlError, of call: Pending) throws(ServiceLink.End) {
    switch call {
    case .request: complete(call, with: .refused(error))
    case .hello where error.code == .versionMismatch: throw versionMismatch(error.message)
    // The service has not yet noticed that the previous connection of this process ended.
    case .attach where error.code == .sessionInUse && error.message == String(getpid()):
      throw .unreachable(ClientError.connectionLost.sentence)
    case .attach where error.code == .sessionInUse: throw .refused(.inUse(error.message))
    case .hello, .watch, .attach:
      throw .unreachable(
        "The service rejected the session (\(error.message)); try again")
    }
  }

  private func complete(_ call: Pending, with reply: ServiceReply) {
    guard case .request(let serial, _) = call else { return }
    core.feed(.answered(serial, reply))
  }

  private func versionMismatch(_ theirs: String) -> ServiceLink.End {
    .refused(
      .noService(
        ClientError.versionMismatch(ours: ProtocolVersion.current, theirs: theirs).sentence))
  }
}

/// Decides when the requests of the program are sent: as soon as it has made none for a moment, so
/// that a loop over thousands of tasks leaves in one message.
struct RequestGathering: Sendable {
  private enum Phase {
    /// Nothing was requested since the last send.
    case idle
    /// `serial` is the newest request, which was noticed at `changedAt`.
    case gathering(
      since: ContinuousClock.Instant, changedAt: ContinuousClock.Instant, serial: Int64)
  }

  private var phase = Phase.idle

  /// How long the program must have requested nothing.
  static let pause = Duration.milliseconds(2)
  /// The longest time for which a request is held back.
  static let delayMax = Duration.milliseconds(250)

  enum Decision: Hashable {
    /// There is nothing to send.
    case nothing
    case wait
    case send
  }

  /// - Parameters:
  ///   - lastSerial: the newest request; nil when none waits to be sent.
  ///   - isUrgent: the program is ending.
  mutating func decide(
    lastSerial: Int64?, isUrgent: Bool, at now: ContinuousClock.Instant
  ) -> Decision {
    guard let lastSerial else {
      phase = .idle
      return .nothing
    }
    switch phase {
    case _ where isUrgent: break
    case .idle:
      phase = .gathering(since: now, changedAt: now, serial: lastSerial)
      return .wait
    case .gathering(let since, let changedAt, let serial):
      let isQuiet = serial == lastSerial && now - changedAt >= Self.pause
      guard isQuiet || now - since >= Self.delayMax else {
        let changedAt = serial == lastSerial ? changedAt : now
        phase = .gathering(since: since, changedAt: changedAt, serial: lastSerial)
        return .wait
      }
    }
    phase = .idle
    return .send
  }
}
