import Dispatch
import KettleSystem

/// Carries input to the engine, in order. What comes while the engine is busy is taken together, so
/// that the engine is woken once for it.
final class EngineInbox: Sendable {
  typealias Reader = @Sendable ([EngineInput], Place) -> Void

  /// Where the reader is called.
  enum Place: Sendable {
    /// On the engine's own thread, which never waits.
    case engine
    /// On the thread that put the input there, which may.
    case sender
  }

  private enum Phase: Sendable {
    /// What comes is kept.
    case closed
    /// Called, when the reader is about to be.
    case open(Reader, isCalled: Bool)
    /// What comes is dropped.
    case ended
  }

  private struct State: Sendable {
    var phase = Phase.closed
    var inputs: [EngineInput] = []
  }

  private let queue: DispatchQueue
  private let state = Mutex(State())

  /// - Parameter queue: where the reader is called.
  init(on queue: DispatchQueue) { self.queue = queue }

  func put(_ input: EngineInput) {
    let calls = state.withLock { state in
      if case .ended = state.phase { return false }
      state.inputs.append(input)
      return Self.claimsCall(&state)
    }
    if calls { call() }
  }

  /// For those who may wait and call `readHere` next: they are awake, and no other thread has to be
  /// woken then.
  func putToReadHere(_ inputs: some Collection<EngineInput>) {
    state.withLock { state in
      if case .ended = state.phase { return }
      state.inputs += inputs
    }
  }

  /// Reads what was put to be read here, unless somebody is about to.
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

  /// Whether what is put here is read. Nothing that is under way comes to its end otherwise.
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

  /// Called on the queue.
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
