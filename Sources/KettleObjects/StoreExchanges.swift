import Dispatch
import KettleEngine
import KettleModel
import KettleSystem

/// Sends requests over its own transport and returns whole responses.
///
/// The first request creates the transport: a service that stores nothing starts no thread and
/// opens no connection.
final class StoreExchanges: Sendable {
  typealias Done = @Sendable (Result<StoreReply, TransferFailure>) -> Void

  private final class Exchange: ByteSink {
    let done: Done
    private let byteCountMax: Int
    private let reply = Mutex(StoreReply(head: ResponseHead(status: 0, headers: [])))

    init(byteCountMax: Int, done: @escaping Done) {
      self.byteCountMax = byteCountMax
      self.done = done
    }

    var received: StoreReply { reply.withLock { $0 } }

    func note(_ head: ResponseHead) { reply.withLock { $0.head = head } }

    func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer {
      reply.withLock { reply in
        guard bytes.count <= byteCountMax - reply.body.count else { return .failed }
        reply.body.append(contentsOf: bytes)
        return .taken
      }
    }
  }

  private struct State {
    var transport: (any Transport)?
    var lastAttempt: UInt64 = 0
    var pending: [AttemptID: Exchange] = [:]
  }

  private let makeTransport: TransferEngine.Ports.TransportMaker
  private let state = Mutex(State())

  init(_ makeTransport: @escaping TransferEngine.Ports.TransportMaker) {
    self.makeTransport = makeTransport
  }

  /// Begins a request.
  ///
  /// - Parameter done: is called once, on a thread that must not block.
  /// - Returns: by what it is cancelled.
  func begin(
    _ request: AttemptRequest, byteCountMax: Int, done: @escaping Done
  ) throws(TransferFailure) -> AttemptID {
    let (transport, id) = try prepared(Exchange(byteCountMax: byteCountMax, done: done))
    var request = request
    request.id = id
    transport.begin(request)
    return id
  }

  private func prepared(
    _ exchange: Exchange
  ) throws(TransferFailure) -> (any Transport, AttemptID) {
    try state.withLock { state throws(TransferFailure) in
      let transport: any Transport
      if let made = state.transport {
        transport = made
      } else {
        transport = try makeTransport { [weak self] in self?.receive($0) }
        state.transport = transport
      }
      state.lastAttempt += 1
      let id = AttemptID(rawValue: state.lastAttempt)
      state.pending[id] = exchange
      return (transport, id)
    }
  }

  func cancel(_ id: AttemptID) { state.withLock { $0.transport }?.cancel(id) }

  private func receive(_ event: TransportEvent) {
    switch event {
    case .headReceived(let id, let head, from: _, after: _):
      let (transport, exchange) = state.withLock { ($0.transport, $0.pending[id]) }
      guard let exchange else { return }
      exchange.note(head)
      transport?.accept(id, into: exchange)
    case .ended(let id, let end):
      guard let exchange = state.withLock({ $0.pending.removeValue(forKey: id) }) else { return }
      exchange.done(Self.result(end, exchange.received))
    case .multiplexed, .informed, .addressLeft, .sent, .measured: break
    }
  }

  private static func result(
    _ end: AttemptEnd, _ reply: StoreReply
  ) -> Result<StoreReply, TransferFailure> {
    switch end {
    case .complete, .satisfied: .success(reply)
    case .cancelled: .failure(TransferFailure(.cancelled, on: ""))
    case .sinkFailed: .failure(TransferFailure(.tooLong, on: ""))
    case .failed(let failure), .untrusted(let failure, _), .certificateWanted(let failure):
      .failure(failure)
    }
  }
}

/// Brings the ends of requests to the thread that waits for them.
final class StoreMailbox<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])
  private let arrived = DispatchSemaphore(value: 0)

  func put(_ value: Value) {
    values.withLock { $0.append(value) }
    arrived.signal()
  }

  /// Blocks until a value arrives, and returns it; nil after this time.
  func next(milliseconds: Int64) -> Value? {
    guard arrived.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .success else {
      return nil
    }
    return values.withLock { $0.removeFirst() }
  }
}
