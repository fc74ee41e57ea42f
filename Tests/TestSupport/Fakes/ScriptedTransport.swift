import KettleEngine
import KettleModel
import KettleSystem

/// A transport whose network is the test: it records its calls and sends the events that the test
/// scripts.
///
/// It keeps the contract of the port: one head at most, then exactly one end, and nothing for an
/// attempt that was not begun. It also checks the engine: an attempt is begun once, its body is
/// accepted once and after the head, and ranges are requested only with GET.
package final class ScriptedTransport: Transport {
  package enum Call: Sendable, Hashable {
    case begin(AttemptRequest)
    case accept(AttemptID)
    case resumeReceiving(AttemptID)
    case cancel(AttemptID)
    case limit(TransferID, bytesPerSecond: Int64?)
    case limitAll(bytesPerSecond: Int64?)
    case shutDown
  }

  private struct State: Sendable {
    var calls: [Call] = []
    var open: Set<AttemptID> = []
    var begun: Set<AttemptID> = []
    var headed: Set<AttemptID> = []
    var sinks: [AttemptID: any ByteSink] = [:]
    var waiters: [CallWaiter] = []
  }

  private struct CallWaiter: Sendable {
    var isMet: @Sendable ([Call]) -> Bool
    var continuation: CheckedContinuation<Void, Never>
  }

  private let state = Mutex(State())
  private let events: @Sendable (TransportEvent) -> Void

  package init(events: @escaping @Sendable (TransportEvent) -> Void) { self.events = events }

  package var calls: [Call] { state.withLock { $0.calls } }

  package var requests: [AttemptRequest] {
    calls.compactMap { if case .begin(let request) = $0 { request } else { nil } }
  }

  /// Returns when the calls so far satisfy the condition.
  package func called(_ isMet: @escaping @Sendable ([Call]) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isMetNow = state.withLock { state in
        if isMet(state.calls) { return true }
        state.waiters.append(CallWaiter(isMet: isMet, continuation: continuation))
        return false
      }
      if isMetNow { continuation.resume() }
    }
  }

  /// Waits until the attempt has been told `count` times to continue.
  package func resumed(_ attempt: AttemptID, count: Int) async {
    await called { calls in calls.count { $0 == .resumeReceiving(attempt) } >= count }
  }

  /// Waits for the `count`-th request and returns it.
  package func request(_ count: Int) async -> AttemptRequest {
    await called { calls in
      calls.count { if case .begin = $0 { true } else { false } } >= count
    }
    return requests[count - 1]
  }

  // MARK: The port

  package func begin(_ request: AttemptRequest) {
    let isNew = state.withLock { state in
      state.open.insert(request.id)
      return state.begun.insert(request.id).inserted
    }
    precondition(isNew, "attempt \(request.id) is begun twice")
    let asksForPart = request.headers.contains {
      ["range", "if-range"].contains($0.name.lowercased())
    }
    precondition(
      !asksForPart || request.content == nil, "attempt \(request.id) asks for a part and sends")
    precondition(
      request.content?.isPlainGET != true, "attempt \(request.id) spells a plain GET out")
    note(.begin(request))
  }

  package func accept(_ attempt: AttemptID, into sink: any ByteSink) {
    let (isHeaded, old) = state.withLock { state in
      (state.headed.contains(attempt), state.sinks.updateValue(sink, forKey: attempt))
    }
    precondition(isHeaded && old == nil, "the body of attempt \(attempt) is not there to accept")
    note(.accept(attempt))
  }

  package func resumeReceiving(_ attempt: AttemptID) { note(.resumeReceiving(attempt)) }

  package func cancel(_ attempt: AttemptID) {
    note(.cancel(attempt))
    end(attempt, .cancelled)
  }

  package func limit(_ transfer: TransferID, toBytesPerSecond limit: Int64?) {
    note(.limit(transfer, bytesPerSecond: limit))
  }

  package func limitAll(toBytesPerSecond limit: Int64?) {
    note(.limitAll(bytesPerSecond: limit))
  }

  package func shutDown() { note(.shutDown) }

  private func note(_ call: Call) {
    let met = state.withLock { state in
      state.calls.append(call)
      let calls = state.calls
      let met = state.waiters.filter { $0.isMet(calls) }
      state.waiters.removeAll { $0.isMet(calls) }
      return met
    }
    for waiter in met { waiter.continuation.resume() }
  }

  // MARK: The network

  package func head(_ attempt: AttemptID, _ status: Int, _ headers: [String: String] = [:]) {
    state.withLock { _ = $0.headed.insert(attempt) }
    let fields = headers.sorted { $0.key < $1.key }.map { HeaderField(received: $0.key, $0.value) }
    let head = ResponseHead(status: status, headers: fields)
    events(.headReceived(attempt, head, from: .world, after: nil))
  }

  /// Reports that this much of the request body was sent; no effect when the attempt has ended.
  package func sent(_ attempt: AttemptID, _ byteCount: Int64) {
    if state.withLock({ $0.open.contains(attempt) }) {
      events(.sent(attempt, byteCount: byteCount))
    }
  }

  /// Delivers a piece of the body; nil if the body was not accepted.
  @discardableResult
  package func body(_ attempt: AttemptID, _ bytes: [UInt8]) -> SinkAnswer? {
    let sink = state.withLock { $0.sinks[attempt] }
    return bytes.withUnsafeBytes { sink?.receive($0) }
  }

  package func end(_ attempt: AttemptID, _ end: AttemptEnd) {
    let isOpen = state.withLock { $0.open.remove(attempt) != nil }
    if isOpen { events(.ended(attempt, end)) }
  }
}
