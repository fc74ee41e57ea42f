import Dispatch
import KettleSystem

/// Delivers input to the engine, in order. Input that arrives while the engine is busy is delivered
/// in one batch, so that the engine wakes up once for it.
final class EngineInbox: Sendable {
  typealias Reader = @Sendable ([EngineInput], Place) -> Void

  /// The thread that calls the reader.
  enum Place: Sendable {
    /// The engine's own thread, which never blocks.
    case engine
    /// The thread that put the input there, which may block.
    case sender
  }

  private enum Phase: Sendable {
    /// Input is kept.
    case closed
    /// `isCalled`: a call of the reader is scheduled.
    case open(Reader, isCalled: Bool)
    /// Input is dropped.
    case ended
  }

  private struct State: Sendable {
    var phase = Phase.closed
    var inputs: [EngineInput] = []
  }

  private let queue: DispatchQueue
  private let state = Mutex(State())

  /// - Parameter queue: the queue on which the reader is called.
  init(on queue: DispatchQueue) { self.queue = queue }

  func put(_ input: EngineInput) {
    let calls = state.withLock { state in
      if case .ended = state.phase { return false }
      state.inputs.append(input)
      return Self.claimsCall(&state)
    }
    if calls { call() }
  }

  /// Adds input for a caller that may block and calls `readHere` next. The caller's thread is
  /// awake, so no other thread has to be woken.
  func putToReadHere(_ inputs: some Collection<EngineInput>) {
    state.withLock { state in
      if case .ended = state.phase { return }
      state.inputs += inputs
    }
  }

  /// Delivers the input added by `putToReadHere`, unless another thread is about to. Blocks.
  func readHere() {
    if state.withLock({ !$0.inputs.isEmpty && Self.claimsCall(&$0) }) {
      queue.sync { read(at: .sender) }
    }
  }

  func open(_ reader: @escaping Reader) {
    let calls = state.withLock { state in
      guard case .closed = state.phase else { return false }
      state.phase = .open(reader, isCalled: false)
      return !state.inputs.isEmpty && Self.claimsCall(&state)
    }
    if calls { call() }
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
    guard case .open(let reader, isCalled: false) = state.phase else { return false }
    state.phase = .open(reader, isCalled: true)
    return true
  }

  private func call() { queue.async { [self] in read(at: .engine) } }

  /// Runs on the queue.
  private func read(at place: Place) {
    let (reader, inputs) = state.withLock { state -> (Reader?, [EngineInput]) in
      guard case .open(let reader, _) = state.phase else { return (nil, []) }
      state.phase = .open(reader, isCalled: false)
      defer { state.inputs = [] }
      return (reader, state.inputs)
    }
    reader?(inputs, place)
  }
}
