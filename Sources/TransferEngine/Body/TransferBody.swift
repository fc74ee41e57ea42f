import Synchronization
import TransferModel

/// Puts what the attempts of one transfer bring into its partial file.
///
/// Small pieces are gathered, because a write call for each piece of at most 16 KiB costs more than
/// the copy. Where bytes are there already they are not written but compared: that is what makes an
/// overlap a proof, and two copies of one part one file. No more than `refetchedByteCountMax` may
/// be neither synced nor on record, over all attempts together: when it is reached the network
/// waits for the disk, and a crash never costs more than that.
final class TransferBody: Sendable {
  /// The promise of docs/architecture.md: at most 8 MiB are fetched again after a crash.
  static let refetchedByteCountMax: Int64 = 8 << 20
  /// What the transport may have read of each attempt and not handed over.
  static let transportBufferByteCount: Int64 = 512 << 10

  private enum Checkpoint: Sendable {
    case none
    /// Asked for, or being synced.
    case underWay
    /// Being recorded. When it is on record, what had been received when it was taken is confirmed.
    case synced(HeldRanges, receivedByteCount: Int64)
  }

  private struct State: Sendable {
    var segments: [AttemptID: BodySegment] = [:]
    /// What is in the file, synced or not.
    var written: HeldRanges
    /// Of all attempts since the file was opened.
    var receivedByteCount: Int64 = 0
    var confirmedByteCount: Int64 = 0
    var checkpoint = Checkpoint.none
    /// Attempts that wait for the disk.
    var heldBack: Set<AttemptID> = []
    /// Of the file as a whole.
    var failure: TransferFailure?

    var unconfirmedByteCountMax: Int64 {
      let inTransport = Int64(segments.count) * TransferBody.transportBufferByteCount
      return max(TransferBody.refetchedByteCountMax - inTransport, 2 << 20)
    }
  }

  let file: any PartialFile
  let totalByteCount: Int64?
  private let askForCheckpoint: @Sendable () -> Void
  private let state: Mutex<State>

  /// - Parameters:
  ///   - held: what of the file is there.
  ///   - askForCheckpoint: called on the transport's thread, at most once between two checkpoints.
  init(
    file: any PartialFile, held: HeldRanges, totalByteCount: Int64?,
    askForCheckpoint: @escaping @Sendable () -> Void
  ) {
    self.file = file
    self.totalByteCount = totalByteCount
    self.askForCheckpoint = askForCheckpoint
    state = Mutex(State(written: held))
  }

  // MARK: Attempts

  /// Lets an attempt write from `lower` on, and answers what takes its bytes.
  func begin(_ attempt: AttemptID, from lower: Int64, _ bound: BodySegment.Bound) -> SegmentSink {
    state.withLock { state in
      let share = max(BodySegment.gatheredByteCountMax >> state.segments.count, 128 << 10)
      state.segments[attempt] = BodySegment(
        from: lower, bound: bound, gatheredByteCountMax: Int(share))
    }
    return SegmentSink(body: self, attempt: attempt)
  }

  /// The attempt need not bring more than up to `upper`.
  func shorten(_ attempt: AttemptID, to upper: Int64) {
    state.withLock { $0.segments[attempt]?.shorten(to: upper) }
  }

  /// Writes what is left of an attempt that is over. Answers how far it came, nil when it had no
  /// body, and what went wrong with it. Blocks.
  func end(_ attempt: AttemptID) -> (receivedUpTo: Int64?, failure: TransferFailure?) {
    state.withLock { state in
      flush(attempt, &state)
      state.heldBack.remove(attempt)
      guard let segment = state.segments.removeValue(forKey: attempt) else {
        return (nil, state.failure)
      }
      return (segment.writtenUpTo, state.failure ?? segment.failure)
    }
  }

  func receive(_ bytes: UnsafeRawBufferPointer, of attempt: AttemptID) -> SinkAnswer {
    let (answer, asks) = state.withLock { state in take(bytes, of: attempt, &state) }
    if asks { askForCheckpoint() }
    return answer
  }

  private func take(
    _ bytes: UnsafeRawBufferPointer, of attempt: AttemptID, _ state: inout State
  ) -> (SinkAnswer, asks: Bool) {
    guard state.failure == nil, let allowed = state.segments[attempt]?.allowance(for: bytes.count)
    else { return (.failed, false) }
    let unconfirmed = state.receivedByteCount + Int64(allowed) - state.confirmedByteCount
    var asks = false
    // Half of what is allowed, so that the disk can work while the network goes on.
    if unconfirmed > state.unconfirmedByteCountMax / 2, case .none = state.checkpoint {
      state.checkpoint = .underWay
      asks = true
    }
    if unconfirmed > state.unconfirmedByteCountMax {
      state.heldBack.insert(attempt)
      return (.full, asks)
    }
    state.receivedByteCount += Int64(allowed)
    state.segments[attempt]?.gather(UnsafeRawBufferPointer(rebasing: bytes.prefix(allowed)))
    if state.segments[attempt]?.isGathered == true { flush(attempt, &state) }
    guard state.failure == nil, let segment = state.segments[attempt], segment.failure == nil else {
      return (.failed, asks)
    }
    return (segment.isSatisfied || allowed < bytes.count ? .satisfied : .taken, asks)
  }

  // MARK: Progress

  var failure: TransferFailure? { state.withLock { $0.failure } }

  /// How far each attempt has come, with what is gathered but not written.
  var progress: [AttemptID: Int64] {
    state.withLock { $0.segments.mapValues(\.receivedUpTo) }
  }

  /// Those that wait until more is on record.
  var heldBack: Set<AttemptID> { state.withLock { $0.heldBack } }

  /// How much of the file is there, with what is gathered but not written. What two attempts bring
  /// counts once.
  var heldByteCount: Int64 {
    state.withLock { state in
      var there = state.written
      for gathered in state.segments.values.compactMap(\.gatheredRange) { there.insert(gathered) }
      return min(there.byteCount, totalByteCount ?? .max)
    }
  }

  // MARK: The disk

  /// What is on the disk after a sync.
  struct Synced: Sendable {
    var held: HeldRanges
    var modifiedNanoseconds: Int64
  }

  /// Whether a checkpoint would put anything on record, and none is under way; if so it is under
  /// way from here on.
  func claimCheckpoint() -> Bool {
    state.withLock { state in
      guard case .none = state.checkpoint, state.receivedByteCount > state.confirmedByteCount else {
        return false
      }
      state.checkpoint = .underWay
      return true
    }
  }

  /// Writes and syncs everything received. Blocks.
  func sync() throws(TransferFailure) -> Synced {
    let (written, receivedByteCount, failure) = state.withLock { state in
      for attempt in state.segments.keys { flush(attempt, &state) }
      state.checkpoint = .underWay
      return (state.written, state.receivedByteCount, state.failure)
    }
    if let failure { throw failure }
    do {
      let modified = try file.sync()
      state.withLock {
        $0.checkpoint = .synced(written, receivedByteCount: receivedByteCount)
      }
      return Synced(held: written, modifiedNanoseconds: modified)
    } catch {
      // A failed sync is never tried again as a proof: the kernel may have dropped the pages
      // (fsync(2), "Errors"), so nothing after the last success is believed.
      state.withLock { $0.failure = error }
      throw error
    }
  }

  /// This is on record. Answers the attempts that were held back and may go on; nobody when it is
  /// not what was synced last, but what an earlier run of the transfer left to be recorded.
  func confirm(_ held: HeldRanges) -> Set<AttemptID> {
    state.withLock { state in
      guard case .synced(held, let byteCount) = state.checkpoint else { return [] }
      state.confirmedByteCount = max(state.confirmedByteCount, byteCount)
      state.checkpoint = .none
      defer { state.heldBack = [] }
      return state.heldBack
    }
  }

  private func flush(_ attempt: AttemptID, _ state: inout State) {
    guard state.failure == nil, var segment = state.segments[attempt], segment.failure == nil,
      segment.gatheredByteCount > 0
    else { return }
    // One owner, or each write copies what was gathered.
    state.segments[attempt] = nil
    do throws(TransferFailure) {
      try segment.flush(into: file, over: &state.written)
    } catch {
      if error.code == .otherVersion { segment.failure = error } else { state.failure = error }
    }
    state.segments[attempt] = segment
  }
}

/// Takes the body of one attempt.
final class SegmentSink: ByteSink {
  private let body: TransferBody
  private let attempt: AttemptID

  init(body: TransferBody, attempt: AttemptID) {
    self.body = body
    self.attempt = attempt
  }

  func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer { body.receive(bytes, of: attempt) }
}
