import KettleSystem
import KettleModel

/// Puts what the attempts of one transfer bring into its partial file.
///
/// Small pieces are gathered into blocks, because a write call for each piece of at most 16 KiB
/// costs more than the copy. Blocks are written on a queue of the disk: the transport's thread
/// waits for no disk, and while one block is written the next is filled. Where bytes are there
/// already they are not written but compared: that is what makes an overlap a proof, and two copies
/// of one part one file. No more than `refetchedByteCountMax` may be neither synced nor on record,
/// over all attempts together: when it is reached the network waits for the disk, and a crash never
/// costs more than that.
final class TransferBody: Sendable {
  /// The promise of docs/architecture.md: at most 8 MiB are fetched again after a crash.
  static let refetchedByteCountMax: Int64 = 8 << 20
  /// Of one attempt alone; several at once have smaller blocks each.
  static let blockByteCountMax: Int64 = 2 << 20
  static let blockByteCountMin: Int64 = 512 << 10
  /// As many as can be under way: memory that is given back and asked for again has to be mapped
  /// and cleared page by page, which costs as much as to receive into it.
  static let spareBlockCountMax = Int(refetchedByteCountMax / blockByteCountMin)
  /// What the transport may have read of each attempt and not handed over when it is full, and of
  /// one of them twice as much.
  static let transportBufferByteCount: Int64 = 512 << 10

  /// How much of what was received a checkpoint puts on the disk.
  enum Extent: Sendable {
    case everything
    /// Not what is still being gathered, while that is little: what is cut where it happens to be
    /// becomes several writes around borders of pages, and so does what follows.
    case fullBlocks
  }

  let file: any PartialFile
  let totalByteCount: Int64?
  let askForCheckpoint: @Sendable (TransferBody) -> Void
  private let queue: LingeringQueue
  let state: Mutex<State>
  /// Had by whoever writes, so that blocks are written one after the other. Taken before `state`,
  /// never after it.
  private let disk = Mutex(())

  /// - Parameters:
  ///   - held: what of the file is there.
  ///   - queue: where blocks are written.
  ///   - askForCheckpoint: called at most once between two checkpoints, when what is full is on its
  ///     way to the queue, by whoever brings bytes or says that some are on record.
  init(
    file: any PartialFile, held: HeldRanges, totalByteCount: Int64?, queue: LingeringQueue,
    askForCheckpoint: @escaping @Sendable (TransferBody) -> Void
  ) {
    self.file = file
    self.totalByteCount = totalByteCount
    self.queue = queue
    self.askForCheckpoint = askForCheckpoint
    state = Mutex(State(written: held))
  }

  // MARK: Attempts

  /// Lets an attempt write from `lower` on, and answers what takes its bytes.
  ///
  /// - Parameter trust: one that is trusted at its end only has the file to itself.
  func begin(
    _ attempt: AttemptID, from lower: Int64, _ bound: BodySegment.Bound,
    trust: BodySegment.Trust = .atOnce
  ) -> SegmentSink {
    let segment = state.withLock { state in
      // What one alone was granted is much for one of several.
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

  /// A small file needs one block, of memory that is not mapped for it alone. It never gets full:
  /// it is written when its attempt is over.
  private var smallBlockByteCount: Int64 {
    guard let totalByteCount, totalByteCount < Self.blockByteCountMin else { return .max }
    return (totalByteCount / GatheredBlock.alignment + 1) * GatheredBlock.alignment
  }

  /// The attempt need not bring more than up to `upper`.
  func shorten(_ attempt: AttemptID, to upper: Int64) {
    state.withLock { state in
      state.settle(attempt)
      state.segments[attempt]?.shorten(to: upper)
    }
  }

  /// What an attempt that is over has brought.
  struct EndedSegment: Sendable {
    /// How far it came; nil when it had no body, or nothing of that counts.
    var receivedUpTo: Int64?
    /// Written, and given up because the reply did not end properly.
    var discardedByteCount: Int64 = 0
    var failure: TransferFailure?
  }

  /// Writes what is left of an attempt that is over. Blocks.
  ///
  /// - Parameter isComplete: whether the reply ended properly.
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

  /// Counts what an attempt has written that is trusted at its end only, or cuts it off. Returns
  /// how many bytes are given up; nil when the attempt counts. Called with `disk`; blocks.
  private func settleTrust(in attempt: AttemptID, isComplete: Bool) -> Int64? {
    let (discarded, heldUpTo) = state.withLock { state in
      (state.settleTrust(in: attempt, isComplete: isComplete), state.written.upperBound)
    }
    guard let discarded, discarded > 0 else { return discarded }
    do {
      // Left there, it would make the file longer than the right one may be.
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
    // Seldom, because each costs the same however much it confirms; and while there is room, so
    // that the network goes on meanwhile. With a full block there is little that it leaves out.
    let unconfirmed = state.receivedByteCount - state.confirmedByteCount
    let isTime = !full.isEmpty && unconfirmed > state.unconfirmedByteCountMax / 4 * 3
    let asks = (isTime || state.awaitsRecord) && state.beginCheckpoint()
    if state.holdBack(attempt) { return (.full, asks) }
    state.grant(attempt)
    return (.taken, asks)
  }

  // MARK: Progress

  var failure: TransferFailure? { state.withLock { $0.failure } }

  /// How far each attempt has come, with what is gathered but not written.
  var progress: [AttemptID: Int64] {
    state.withLock { state in
      state.countAll()
      return state.segments.mapValues(\.receivedUpTo)
    }
  }

  /// Those that wait until more is on record.
  var heldBack: Set<AttemptID> { state.withLock { $0.heldBack } }

  /// How much of the file is there, with what is gathered but not written; what two attempts bring
  /// counts once.
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

  /// What is on the disk after a sync.
  struct Synced: Sendable {
    var held: HeldRanges
    var modifiedNanoseconds: Int64
  }

  /// Whether a checkpoint would put anything on record, and none is under way; if so it is under
  /// way from here on.
  func claimCheckpoint() -> Bool {
    state.withLock { state in
      state.countAll()
      return state.receivedByteCount > state.confirmedByteCount && state.beginCheckpoint()
    }
  }

  /// Writes and syncs what was received. Blocks.
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
      // A failed sync is never tried again as a proof: the kernel may have dropped the pages
      // (fsync(2), "Errors"), so nothing after the last success is believed.
      state.withLock { $0.failure = error }
      throw error
    }
  }

  /// All of the file, when it was synced and nothing was written since.
  var settled: Synced? { state.withLock { $0.failure == nil ? $0.settled : nil } }

  /// Syncs a file that is whole, so that nothing is left to do when it is closed. Blocks.
  func settle() {
    let isWhole = state.withLock { state in
      state.failure == nil && state.segments.isEmpty
        && state.written.prefixByteCount == totalByteCount
    }
    // What goes wrong is told when it is closed.
    if isWhole, let synced = try? sync() { state.withLock { $0.settled = synced } }
  }

  /// Writes until nothing waits. Called with `disk`; blocks.
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

  /// As far as it goes: a disk without room for all of them may have some for the first.
  private func writeOneByOne(_ parts: [BlockPart], over written: HeldRanges) {
    for part in parts {
      let result = write([part], over: written)
      state.withLock { $0.wrote([part], result) }
      if case .failure = result { return }
    }
  }

  private func write(
    _ parts: [BlockPart], over written: HeldRanges
  ) -> Result<Void, TransferFailure> {
    Result { () throws(TransferFailure) in
      try BlockPart.write(parts, into: file, over: written)
    }
  }
}
