import Synchronization
import TransferEngine
import TransferModel

/// A transport whose network is the test: it notes what it is asked and tells what it is told to.
///
/// It keeps the contract of the port: one head at most, then exactly one end, and nothing for an
/// attempt that was not begun.
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

  /// Returns when what was asked so far satisfies the test.
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

  /// Returns the `count`-th request when it was made.
  package func request(_ count: Int) async -> AttemptRequest {
    await called { calls in
      calls.count { if case .begin = $0 { true } else { false } } >= count
    }
    return requests[count - 1]
  }

  // MARK: The port

  package func begin(_ request: AttemptRequest) {
    state.withLock { _ = $0.open.insert(request.id) }
    note(.begin(request))
  }

  package func accept(_ attempt: AttemptID, into sink: any ByteSink) {
    state.withLock { $0.sinks[attempt] = sink }
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
    let fields = headers.sorted { $0.key < $1.key }.map { HeaderField(received: $0.key, $0.value) }
    events(.headReceived(attempt, ResponseHead(status: status, headers: fields)))
  }

  /// Lets a piece of the body come in; nil when the body was not accepted.
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
