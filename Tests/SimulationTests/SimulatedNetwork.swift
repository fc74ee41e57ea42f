import KettleEngine
import KettleModel
import KettleScheduler

/// The network of a simulated machine. It checks the engine's side of the port.
///
/// `@unchecked Sendable`: only the thread of the run uses it.
final class SimulatedNetwork: Transport, @unchecked Sendable {
  private enum Phase { case connecting, headReported, receiving, blocked }

  private final class Attempt {
    let request: AttemptRequest
    var phase = Phase.connecting
    var reply = SimulatedReply()
    var sink: (any ByteSink)?
    var sentCount = 0

    init(_ request: AttemptRequest) { self.request = request }
  }

  private let machine: SimulatedMachine
  private let events: @Sendable (TransportEvent) -> Void
  private let queue: SimulatedQueue
  private var attempts: [AttemptID: Attempt] = [:]
  private var limits: [TransferID: Int64] = [:]
  private var limitOfAll: Int64?
  /// Until when a host must not be asked again, as its last response said.
  private(set) var closedUntil: [String: MonotonicTime] = [:]
  private var reopenedAt = MonotonicTime(milliseconds: 0)

  init(_ machine: SimulatedMachine, events: @escaping @Sendable (TransportEvent) -> Void) {
    self.machine = machine
    self.events = events
    queue = SimulatedQueue("network", on: machine.loop)
  }

  var openCount: Int { attempts.count }

  /// Those to which a redirect led belong to the host that sent it. Those of a transfer with a
  /// number of its own may exceed the limit, also beside others that began before.
  func openCount(at host: String) -> Int {
    attempts.values.count { one in
      one.request.url.host == host && machine.host(of: one.request.transfer) == host
        && !machine.hasOwnLimit(one.request.transfer)
    }
  }

  /// A user who starts a transfer may mean that a host is asked at once.
  func reopenHosts() {
    closedUntil = [:]
    reopenedAt = machine.now.monotonic
  }

  // MARK: The port

  func begin(_ request: AttemptRequest) {
    precondition(attempts[request.id] == nil, "an attempt begins twice")
    let attempt = Attempt(request)
    attempts[request.id] = attempt
    limits[request.transfer] = request.limitBytesPerSecond
    machine.noteRequest(request, openCount: openCount, atHost: openCount(at: request.url.host))
    if let closed = closedUntil[request.url.host], closed > machine.now.monotonic,
      machine.hasNoMirror(request.transfer)
    {
      machine.violated("\(request.url.host) is asked before its Retry-After has passed")
    }
    after(machine.chance.number(1...400), request.id) { self.answer($0) }
  }

  func accept(_ id: AttemptID, into sink: any ByteSink) {
    guard let attempt = attempts[id] else { return }
    precondition(attempt.phase == .headReported, "a body is accepted without a head")
    attempt.sink = sink
    attempt.phase = .receiving
    after(0, id) { self.pump($0) }
  }

  func resumeReceiving(_ id: AttemptID) {
    guard let attempt = attempts[id], attempt.phase == .blocked else { return }
    attempt.phase = .receiving
    after(0, id) { self.pump($0) }
  }

  func cancel(_ id: AttemptID) {
    after(machine.chance.number(0...3), id) { self.end($0, .cancelled) }
  }

  func limit(_ transfer: TransferID, toBytesPerSecond limit: Int64?) { limits[transfer] = limit }

  func limitAll(toBytesPerSecond limit: Int64?) { limitOfAll = limit }

  func shutDown() {
    for attempt in attempts.values.sorted(by: { $0.request.id.rawValue < $1.request.id.rawValue }) {
      end(attempt, .cancelled)
    }
  }

  /// All connections break, as when the address of the machine changes.
  func reset() {
    for attempt in attempts.values.sorted(by: { $0.request.id.rawValue < $1.request.id.rawValue }) {
      end(attempt, failed(.connectionLost, attempt))
    }
  }

  // MARK: One attempt

  private func after(
    _ milliseconds: Int64, _ id: AttemptID, _ body: @escaping (Attempt) -> Void
  ) {
    machine.loop.after(milliseconds: milliseconds) { [self] in
      // The loop has one thread.
      nonisolated(unsafe) let body = body
      queue.enqueue { [self] in if let attempt = attempts[id] { body(attempt) } }
    }
  }

  private func failed(_ code: TransferFailure.Code, _ attempt: Attempt) -> AttemptEnd {
    .failed(TransferFailure(code, on: attempt.request.url.host))
  }

  private func answer(_ attempt: Attempt) {
    let (request, timeouts) = (attempt.request, attempt.request.timeouts)
    switch machine.reach(of: request.url.host) {
    case .networkDown: return end(attempt, failed(.networkDown, attempt))
    case .nameUnknown: return end(attempt, failed(.hostNotFound, attempt))
    case .nameServerSilent:
      return after(timeouts.connectMilliseconds, request.id) {
        self.end($0, self.failed(.nameServerSilent, $0))
      }
    case .refused: return end(attempt, failed(.connectionRefused, attempt))
    case .silent:
      return after(timeouts.connectMilliseconds, request.id) {
        self.end($0, self.failed(.timedOut, $0))
      }
    case .reachable: break
    }
    attempt.reply = machine.reply(to: request, openCount: openCount(at: request.url.host))
    if attempt.reply.isLostBeforeHead { return end(attempt, failed(.connectionLost, attempt)) }
    if attempt.reply.hasNoHead {
      return after(min(timeouts.idleMilliseconds, timeouts.headMilliseconds), request.id) {
        self.end($0, self.failed(.timedOut, $0))
      }
    }
    attempt.phase = .headReported
    noteRetryAfter(attempt)
    events(.headReceived(request.id, attempt.reply.head, from: .world, after: 20))
  }

  private func noteRetryAfter(_ attempt: Attempt) {
    let reply = attempt.reply
    guard reply.status == 503 || reply.status == 429,
      let text = reply.headers.first(where: { $0.0 == "Retry-After" })?.1,
      let seconds = Int64(text), seconds > 2
    else { return }
    let now = machine.now.monotonic
    let until = now.advanced(byMilliseconds: seconds * 1000 - 500)
    let host = attempt.request.url.host
    // Requests that are under way, or about to begin, do not know yet.
    machine.loop.after(milliseconds: 2 * machine.loop.slownessMilliseconds + 1000) { [self] in
      if reopenedAt < now { closedUntil[host] = max(until, closedUntil[host] ?? until) }
    }
  }

  private func bytesPerSecond(_ attempt: Attempt) -> Int64 {
    let own = limits[attempt.request.transfer] ?? .max
    // Nothing takes longer than half an hour.
    let least = max(1, Int64(attempt.reply.body.count) / 1800)
    return max(least, min(attempt.reply.bytesPerSecond, own, limitOfAll ?? .max))
  }

  /// Delivers a piece of the body, and what follows it.
  private func pump(_ attempt: Attempt) {
    guard attempt.phase == .receiving, let sink = attempt.sink else { return }
    let stop: Int
    switch attempt.reply.end {
    case .whole: stop = attempt.reply.body.count
    case .reset(let count), .ended(let count), .silent(let count): stop = count
    }
    let speed = bytesPerSecond(attempt)
    // The longer a body takes, the larger its pieces: time must not cost too many of them.
    let wanted = machine.chance.number(1...max(2, min(speed * 4, 262_144)))
    let count = min(Int(wanted), stop - attempt.sentCount)
    guard count > 0 else { return endBody(attempt) }
    let start = attempt.reply.body.startIndex + attempt.sentCount
    let answer = attempt.reply.body[start..<start + count].withUnsafeBytes { sink.receive($0) }
    attempt.sentCount += count
    switch answer {
    case .taken: break
    case .satisfied: return end(attempt, .satisfied)
    case .failed: return end(attempt, .sinkFailed)
    case .full:
      machine.happened("a body waited for the disk")
      attempt.phase = .blocked
      return
    }
    after(Int64(count) * 1000 / speed, attempt.request.id) { self.pump($0) }
  }

  private func endBody(_ attempt: Attempt) {
    switch attempt.reply.end {
    case .whole: end(attempt, .complete)
    case .reset: end(attempt, failed(.connectionLost, attempt))
    case .ended: end(attempt, failed(.truncated, attempt))
    case .silent:
      after(attempt.request.timeouts.idleMilliseconds, attempt.request.id) {
        self.end($0, self.failed(.timedOut, $0))
      }
    }
  }

  private func end(_ attempt: Attempt, _ end: AttemptEnd) {
    guard attempts.removeValue(forKey: attempt.request.id) != nil else { return }
    machine.note("\(attempt.request.id) ended: \(end) after \(attempt.sentCount)")
    events(.ended(attempt.request.id, end))
  }
}
