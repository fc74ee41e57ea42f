import KettleModel
import KettleScheduler
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

  private let queue: any WorkQueue
  private let state = Mutex(State())

  /// - Parameter queue: the queue on which the reader is called.
  init(on queue: any WorkQueue) { self.queue = queue }

  /// Adds input. Returns false when the inbox has ended and drops it.
  func put(_ input: EngineInput) -> Bool {
    let (isTaken, calls) = state.withLock { state in
      if case .ended = state.phase { return (false, false) }
      state.inputs.append(input)
      return (true, Self.claimsCall(&state))
    }
    if calls { queue.enqueue { [self] in read() } }
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
    if calls { queue.enqueue { [self] in read() } }
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
    if goesOn { queue.enqueue { [self] in read() } }
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

/// Input of the engine from its threads and queues, delivered in order through one inbox.
enum EngineInput: Sendable {
  /// Passed on to the scheduler as it is.
  case event(TransferScheduler.Event)
  case transport(TransportEvent)
  /// The headers for a host that an attempt waits for.
  case headersRead(AttemptID, Result<[HeaderField], TransferFailure>)
  /// Changes are in the store, and the actions that waited for them can be performed.
  case committed([TransferAction], announce: [TransferID], kept: [JournalChange])
  case queueRead(QueueRead, Result<[TransferRecord], any Error>)
  case bodyOpened(TransferID, AttemptID, Result<BodyOpening.Opened, TransferFailure>)
  /// All bytes of the attempt were passed to the kernel.
  case attemptEnded(AttemptID, AttemptOutcome, PartialFileWriter.EndedSegment)
  /// Blocks were written: these attempts, which were held back, may continue.
  case roomMade(Set<AttemptID>)
  case checkpointSynced(
    TransferID, PartialFileWriter, Result<PartialFileWriter.Synced, TransferFailure>)
  /// With the digests that were not recorded yet.
  case bodyClosed(
    TransferID, OperationID, Result<ClosedBody?, TransferFailure>, [DigestedBytes] = [])
  /// More of this transfer's file is compared or stored.
  case advanced(TransferID)
  case fileVerified(TransferID, FileVerification.Result?)
  /// The damaged bytes of this transfer's finished file are replaced.
  case repaired(TransferID)
  case blocksChecked(TransferID, OperationID, Result<[ByteRange], TransferFailure>)
  case unpacked(TransferID, OperationID, BodyUnpacking.End)
  /// An upload has begun, or all its parts are sent, or neither could be done.
  case stored(
    TransferID, OperationID, ObjectDestination, Result<ObjectUpload?, TransferFailure>)
  case alarm
  /// A request led to decisions: what they leave to do follows when all input is handled.
  case turnsTaken
}

/// The callers that wait until transfers come to rest, or until none runs.
struct Waiters: Sendable {
  private struct Resting: Sendable {
    var moving: Set<TransferID>
    var done: Completion<Void>
  }

  private var resting: [Resting] = []
  private var idle: [Completion<Void>] = []

  /// Returns a completion that finishes when all of these transfers have come to rest.
  mutating func awaitRest(of moving: Set<TransferID>) -> Completion<Void> {
    let done = Completion<Void>()
    resting.append(Resting(moving: moving, done: done))
    return done
  }

  /// Returns a completion that finishes when no transfer runs.
  mutating func awaitIdle() -> Completion<Void> {
    let done = Completion<Void>()
    idle.append(done)
    return done
  }

  /// Resumes the callers whose transfers have come to rest.
  mutating func releaseRested(isMoving: (TransferID) -> Bool) {
    guard !resting.isEmpty else { return }
    for index in resting.indices {
      resting[index].moving = resting[index].moving.filter(isMoving)
    }
    let rested = resting.filter(\.moving.isEmpty)
    resting.removeAll(where: \.moving.isEmpty)
    for waiter in rested { waiter.done.finish() }
  }

  mutating func releaseIdle() {
    for waiter in idle { waiter.finish() }
    idle = []
  }
}

/// When the engine handles all running transfers at once: at ticks, and when the scheduler wants to
/// be woken. Both cost time for each transfer, so they are rarer the more transfers run. Otherwise
/// their cost per second would grow with the square of that number.
struct TurnPace: Sendable, Hashable {
  var cadence = ProgressCadence.quiet
  /// nil while none is planned.
  private(set) var tickAt: MonotonicTime?
  private var wokenAt: MonotonicTime?

  /// Up to this many running transfers, wake-ups are exact.
  static let exactCountMax = 32
  static let tickMillisecondsMax: Int64 = 1000

  /// Plans a tick, unless one is planned.
  mutating func planTick(runningCount: Int, at now: MonotonicTime) {
    tickAt = tickAt ?? nextTick(runningCount: runningCount, at: now)
  }

  mutating func cancelTick() { tickAt = nil }

  /// Returns whether the planned tick is due, and then removes it.
  mutating func takeTick(at now: MonotonicTime) -> Bool {
    guard let tickAt, tickAt <= now else { return false }
    cancelTick()
    return true
  }

  func nextTick(runningCount: Int, at now: MonotonicTime) -> MonotonicTime {
    let share: Int64 =
      switch cadence {
      case .live: 4
      case .quiet: 1
      }
    let milliseconds = max(cadence.milliseconds, Int64(runningCount) / share)
    return now.advanced(byMilliseconds: min(milliseconds, Self.tickMillisecondsMax))
  }

  /// Returns when the scheduler is woken if it wants to be woken at `wanted`.
  func wakeUp(wanted: MonotonicTime, runningCount: Int) -> MonotonicTime {
    guard let wokenAt, runningCount > Self.exactCountMax else { return wanted }
    return max(wanted, wokenAt.advanced(byMilliseconds: Int64(runningCount) / 2))
  }

  mutating func woken(at now: MonotonicTime) { wokenAt = now }
}
