import KettleModel
import KettleSystem

/// Writes the bytes of a transfer's attempts into its partial file.
///
/// Small pieces are gathered into blocks, because a write call for each piece of at most 16 KiB
/// costs more than the copy. Blocks are written on a disk queue: the transport's thread never waits
/// for a disk, and one block is filled while another is written. Bytes that overlap existing ones
/// are compared, not written: this makes an overlap a proof, and two copies of one part one file.
/// At most `refetchedByteCountMax` bytes, over all attempts together, are unsynced or unrecorded.
/// At that limit the network waits for the disk, so a crash never costs more than that.
final class TransferBody: Sendable {
  /// The promise of docs/architecture.md: at most 8 MiB are fetched again after a crash.
  static let refetchedByteCountMax: Int64 = 8 << 20
  /// For a single attempt; concurrent attempts have smaller blocks each.
  static let blockByteCountMax: Int64 = 2 << 20
  static let blockByteCountMin: Int64 = 512 << 10
  /// As many as can be in use. Memory that is released and allocated again has to be mapped and
  /// cleared page by page, which costs as much as receiving into it.
  static let spareBlockCountMax = Int(refetchedByteCountMax / blockByteCountMin)
  /// What the transport may have read of each attempt and not delivered when it is full, and twice
  /// that for one of them.
  static let transportBufferByteCount: Int64 = 512 << 10

  /// How much of the received bytes a checkpoint syncs.
  enum Extent: Sendable {
    case everything
    /// Without the blocks being filled, while they hold little. Cutting a block at an arbitrary
    /// offset causes several writes around page boundaries, and so does what follows.
    case fullBlocks
  }

  let file: any PartialFile
  let totalByteCount: Int64?
  let askForCheckpoint: @Sendable (TransferBody) -> Void
  private let queue: LingeringQueue
  let state: Mutex<State>
  /// Locked while writing, so blocks are written one at a time. Lock it before `state`, never after
  /// it.
  private let disk = Mutex(())

  /// - Parameters:
  ///   - held: the bytes already in the file.
  ///   - queue: the queue on which blocks are written.
  ///   - askForCheckpoint: called at most once between two checkpoints, after full blocks are
  ///     queued, on the thread that delivers bytes or confirms a record.
  init(
    file: any PartialFile, held: ByteRangeSet, totalByteCount: Int64?, queue: LingeringQueue,
    askForCheckpoint: @escaping @Sendable (TransferBody) -> Void
  ) {
    self.file = file
    self.totalByteCount = totalByteCount
    self.queue = queue
    self.askForCheckpoint = askForCheckpoint
    state = Mutex(State(written: held))
  }

  // MARK: Attempts

  /// Registers an attempt that writes from `lower` on, and returns the sink for its bytes.
  ///
  /// - Parameter trust: An attempt that is trusted only at its end has the file to itself.
  func begin(
    _ attempt: AttemptID, from lower: Int64, _ bound: BodySegment.Bound,
    trust: BodySegment.Trust = .atOnce
  ) -> SegmentSink {
    let segment = state.withLock { state in
      // A grant for a single attempt is too large for one of several.
      state.settleAll()
      let share = min(
        max(Self.blockByteCountMax >> state.segments.count, Self.blockByteCountMin),
        smallBlockByteCount)
      let segment = BodySegment(
        attempt, from: lower, bound: bound, trust: trust, blockByteCount: share)
      state.segments[attempt] = segment
      return segment
    }
    return SegmentSink(body: self, attempt: attempt, room: segment.room)
  }

  /// A small file needs one block, whose memory is not mapped for it alone. The block never gets
  /// full: it is written when its attempt is over.
  private var smallBlockByteCount: Int64 {
    guard let totalByteCount, totalByteCount < Self.blockByteCountMin else { return .max }
    return (totalByteCount / GatheredBlock.alignment + 1) * GatheredBlock.alignment
  }

  /// Shortens the attempt, which need not receive more than up to `upper`.
  func shorten(_ attempt: AttemptID, to upper: Int64) {
    state.withLock { state in
      state.settle(attempt)
      state.segments[attempt]?.shorten(to: upper)
    }
  }

  /// The result of an attempt that is over.
  struct EndedSegment: Sendable {
    /// The end of its bytes; nil when it had no body, or none of its bytes count.
    var receivedUpTo: Int64?
    /// Bytes written and discarded because the response did not end properly.
    var discardedByteCount: Int64 = 0
    var failure: TransferFailure?
  }

  /// Writes the rest of an attempt that is over. Blocks.
  ///
  /// - Parameter isComplete: Whether the response ended properly.
  func end(_ attempt: AttemptID, isComplete: Bool) -> EndedSegment {
    let discarded = disk.withLock { _ in
      state.withLock { $0.handOverLast(attempt) }
      writePending()
      return settleTrust(in: attempt, isComplete: isComplete)
    }
    return state.withLock { state in
      state.heldBack.remove(attempt)
      guard let segment = state.segments.removeValue(forKey: attempt) else {
        return EndedSegment(failure: state.failure)
      }
      return EndedSegment(
        receivedUpTo: discarded == nil ? segment.writtenUpTo : nil,
        discardedByteCount: discarded ?? 0, failure: state.failure ?? segment.failure)
    }
  }

  /// Counts the bytes written by an attempt that is trusted only at its end, or truncates the file.
  /// Returns how many bytes are discarded; nil when the attempt counts. Requires `disk`; blocks.
  private func settleTrust(in attempt: AttemptID, isComplete: Bool) -> Int64? {
    let (discarded, heldUpTo) = state.withLock { state in
      (state.settleTrust(in: attempt, isComplete: isComplete), state.written.upperBound)
    }
    guard let discarded, discarded > 0 else { return discarded }
    do {
      // Otherwise the file could be longer than the right one.
      try file.truncate(to: heldUpTo)
    } catch {
      state.withLock { $0.failure = $0.failure ?? error }
    }
    return discarded
  }

  func receive(_ bytes: UnsafeRawBufferPointer, of attempt: AttemptID) -> SinkAnswer {
    let (answer, asks, calls) = state.withLock { state in
      let (answer, asks) = take(bytes, of: attempt, &state)
      let calls = !state.pending.isEmpty && state.writer == .resting
      if calls { state.writer = .called }
      return (answer, asks, calls)
    }
    if calls { queue.async { [self] in disk.withLock { _ in writePending() } } }
    if asks { askForCheckpoint(self) }
    return answer
  }

  private func take(
    _ bytes: UnsafeRawBufferPointer, of attempt: AttemptID, _ state: inout State
  ) -> (SinkAnswer, asks: Bool) {
    state.settle(attempt)
    guard state.failure == nil, let allowed = state.segments[attempt]?.allowance(for: bytes.count)
    else { return (.failed, false) }
    state.receivedByteCount += Int64(allowed)
    let taken = UnsafeRawBufferPointer(rebasing: bytes.prefix(allowed))
    let full = state.segments[attempt]?.gather(taken, &state.spare, of: file) ?? []
    state.pending += full
    guard let segment = state.segments[attempt] else { return (.failed, false) }
    if segment.isSatisfied || allowed < bytes.count { return (.satisfied, false) }
    // Rarely, because each checkpoint costs the same however much it confirms; and while there is
    // room, so that the network continues meanwhile. At a full block, a checkpoint leaves out
    // little.
    let unconfirmed = state.receivedByteCount - state.confirmedByteCount
    let isTime = !full.isEmpty && unconfirmed > state.unconfirmedByteCountMax / 4 * 3
    let asks = (isTime || state.awaitsRecord) && state.beginCheckpoint()
    if state.holdBack(attempt) { return (.full, asks) }
    state.grant(attempt)
    return (.taken, asks)
  }

  // MARK: Progress

  var failure: TransferFailure? { state.withLock { $0.failure } }

  /// The progress of each attempt, including bytes gathered but not written.
  var progress: [AttemptID: Int64] {
    state.withLock { state in
      state.countAll()
      return state.segments.mapValues(\.receivedUpTo)
    }
  }

  /// The attempts that wait until more is recorded.
  var heldBack: Set<AttemptID> { state.withLock { $0.heldBack } }

  /// The number of bytes of the file, including those gathered but not written. Bytes that two
  /// attempts received count once.
  var heldByteCount: Int64 {
    state.withLock { state in
      state.countAll()
      var held = state.written
      for segment in state.segments.values {
        if let range = segment.underWay { held.insert(range) }
      }
      return min(held.byteCount, totalByteCount ?? .max)
    }
  }

  // MARK: The disk

  /// The bytes on the disk after a sync.
  struct Synced: Sendable {
    var held: ByteRangeSet
    var modifiedNanoseconds: Int64
  }

  /// Returns whether a checkpoint would record anything and none is under way. If so, it is under
  /// way from here on.
  func claimCheckpoint() -> Bool {
    state.withLock { state in
      state.countAll()
      return state.receivedByteCount > state.confirmedByteCount && state.beginCheckpoint()
    }
  }

  /// Writes and syncs the received bytes. Blocks.
  func sync(_ extent: Extent = .everything) throws(TransferFailure) -> Synced {
    let (written, receivedByteCount, failure) = disk.withLock { _ in
      let receivedByteCount = state.withLock { state in
        state.checkpoint = .underWay
        return state.handOver(extent)
      }
      writePending()
      return state.withLock { ($0.written, receivedByteCount, $0.failure) }
    }
    if let failure { throw failure }
    do {
      let modified = try file.sync()
      state.withLock {
        $0.checkpoint = .synced(written, receivedByteCount: receivedByteCount)
      }
      return Synced(held: written, modifiedNanoseconds: modified)
    } catch {
      // A failed sync is never repeated as a proof: the kernel may have dropped the pages
      // (fsync(2), "Errors"), so nothing after the last success is trusted.
      state.withLock { $0.failure = error }
      throw error
    }
  }

  /// Set when the whole file was synced and nothing was written since.
  var settled: Synced? { state.withLock { $0.failure == nil ? $0.settled : nil } }

  /// Syncs a complete file, so that closing it has nothing left to do. Blocks.
  func settle() {
    let isWhole = state.withLock { state in
      state.failure == nil && state.segments.isEmpty
        && state.written.prefixByteCount == totalByteCount
    }
    // An error is reported when the file is closed.
    if isWhole, let synced = try? sync() { state.withLock { $0.settled = synced } }
  }

  /// Writes until nothing is queued. Requires `disk`; blocks.
  private func writePending() {
    while let (parts, written) = state.withLock({ $0.takePending() }) {
      let result = write(parts, over: written)
      if parts.count > 1, case .failure(let failure) = result, failure.code == .diskFull {
        writeOneByOne(parts, over: written)
      } else {
        state.withLock { $0.wrote(parts, result) }
      }
    }
  }

  /// Writes as many parts as fit: a disk without room for all of them may have room for the first.
  private func writeOneByOne(_ parts: [BlockPart], over written: ByteRangeSet) {
    for part in parts {
      let result = write([part], over: written)
      state.withLock { $0.wrote([part], result) }
      if case .failure = result { return }
    }
  }

  private func write(
    _ parts: [BlockPart], over written: ByteRangeSet
  ) -> Result<Void, TransferFailure> {
    Result { () throws(TransferFailure) in
      try BlockPart.write(parts, into: file, over: written)
    }
  }
}
