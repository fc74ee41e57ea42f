import Dispatch
import KettleSystem

/// Delivers input to the engine, in order and in batches. Batches that arrive while the engine is
/// busy, or that it puts in itself, follow each other before the inbox counts as drained.
final class EngineInbox: Sendable {
  typealias Reader = @Sendable ([EngineInput]) -> Void

  /// Batches that follow each other before `drained` is called: a flood of input cannot put it off.
  static let batchCountMax = 16

  private enum Phase: Sendable {
    /// Input is kept.
    case closed
    case open(Reader, drained: @Sendable () -> Void, Call)
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

  /// - Parameters:
  ///   - reader: receives each batch.
  ///   - drained: called when no input is left, or after `batchCountMax` batches.
  func open(_ reader: @escaping Reader, drained: @escaping @Sendable () -> Void = {}) {
    let calls = state.withLock { state in
      guard case .closed = state.phase else { return false }
      state.phase = .open(reader, drained: drained, .none)
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
    guard case .open(let reader, let drained, .none) = state.phase else { return false }
    state.phase = .open(reader, drained: drained, .scheduled)
    return true
  }

  /// Runs on the queue.
  private func read() {
    for _ in 0..<Self.batchCountMax {
      guard let (reader, inputs) = nextBatch() else { break }
      reader(inputs)
    }
    let (drained, goesOn) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
      guard case .open(let reader, let drained, _) = state.phase else { return (nil, false) }
      if state.inputs.isEmpty { state.phase = .open(reader, drained: drained, .none) }
      return (drained, !state.inputs.isEmpty)
    }
    drained?()
    if goesOn { queue.async { [self] in read() } }
  }

  /// Removes and returns the input that has arrived; nil when there is none, or after the end.
  private func nextBatch() -> (Reader, [EngineInput])? {
    state.withLock { state in
      guard case .open(let reader, _, _) = state.phase, !state.inputs.isEmpty else { return nil }
      defer { state.inputs = [] }
      return (reader, state.inputs)
    }
  }
}
