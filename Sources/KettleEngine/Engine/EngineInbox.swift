import Dispatch
import KettleSystem

/// Delivers input to the engine, in order. Input that arrives while the engine is busy is delivered
/// in one batch, so that the engine wakes up once for it.
final class EngineInbox: Sendable {
  typealias Reader = @Sendable ([EngineInput]) -> Void

  private enum Phase: Sendable {
    /// Input is kept.
    case closed
    case open(Reader, Call)
    /// Input is dropped.
    case ended
  }

  /// A call of the reader.
  private enum Call: Sendable {
    case none
    case scheduled
  }

  private struct State: Sendable {
    var phase = Phase.closed
    var inputs: [EngineInput] = []
  }

  private let queue: DispatchQueue
  private let state = Mutex(State())

  /// - Parameter queue: the queue on which the reader is called.
  init(on queue: DispatchQueue) { self.queue = queue }

  /// Adds input. Returns false when the inbox has ended and drops it.
  func put(_ input: EngineInput) -> Bool {
    let (isTaken, calls) = state.withLock { state in
      if case .ended = state.phase { return (false, false) }
      state.inputs.append(input)
      return (true, Self.claimsCall(&state))
    }
    if calls { queue.async { [self] in read() } }
    return isTaken
  }

  func open(_ reader: @escaping Reader) {
    let calls = state.withLock { state in
      guard case .closed = state.phase else { return false }
      state.phase = .open(reader, .none)
      return !state.inputs.isEmpty && Self.claimsCall(&state)
    }
    if calls { queue.async { [self] in read() } }
  }

  func end() { state.withLock { $0 = State(phase: .ended) } }

  /// Whether input is delivered. Otherwise nothing that is under way ever ends.
  var isOpen: Bool {
    state.withLock { state in
      switch state.phase {
      case .open: true
      case .closed, .ended: false
      }
    }
  }

  private static func claimsCall(_ state: inout State) -> Bool {
    guard case .open(let reader, .none) = state.phase else { return false }
    state.phase = .open(reader, .scheduled)
    return true
  }

  /// Runs on the queue.
  private func read() {
    let (reader, inputs) = state.withLock { state -> (Reader?, [EngineInput]) in
      guard case .open(let reader, _) = state.phase else { return (nil, []) }
      state.phase = .open(reader, .none)
      defer { state.inputs = [] }
      return (reader, state.inputs)
    }
    reader?(inputs)
  }
}
