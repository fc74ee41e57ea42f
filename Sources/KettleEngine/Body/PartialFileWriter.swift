import Dispatch
import KettleModel
import KettleScheduler
import KettleSystem

/// Writes the bytes that a transfer's attempts receive into its partial file.
///
/// Pieces of at most 16 KiB are gathered into blocks, because a write call for each piece costs
/// more than the copy. Blocks are written on the writer's own queue: the transport's thread never
/// waits for a disk, a slow disk holds up only the transfers on it, and one block is filled while
/// another is written. Bytes that overlap existing ones are compared, not written, so an
/// overlap proves that two responses match, and two copies of a part cannot mix.
///
/// Memory is bounded: `WriterState.queuedByteCountMax` in queued blocks and one block per attempt.
final class PartialFileWriter: Sendable {
  /// For a single attempt; concurrent attempts have smaller blocks each.
  static let blockByteCountMax: Int64 = 2 << 20
  static let blockByteCountMin: Int64 = 512 << 10

  let file: any PartialFile
  let totalByteCount: Int64?
  /// The queue on which blocks are written. Blocking calls can be made on it.
  let queue: any WorkQueue
  /// The queue on which checkpoints are synced, so that blocks are written during a sync. Each
  /// writer has its own: a slow disk does not hold up the transfers on another.
  let syncQueue: any WorkQueue
  private let onRoom: @Sendable (Set<AttemptID>) -> Void
  private let pieces: PieceComparing?
  /// The queue on which pieces are compared.
  private let pieceQueue: any WorkQueue
  /// Locked while a piece is compared. Lock it before `state`, never after it.
  private let comparing = Mutex(())
  private let state: Mutex<WriterState>
  /// Locked while writing, so blocks are written one at a time. Lock it before `state`, never after
  /// it.
  private let disk: Mutex<BlockLedger>

  /// - Parameters:
  ///   - durable: the bytes already in the file.
  ///   - ledger: the digests of the pieces that the bytes are compared with; nil without any.
  ///   - blocks: computes the digests of what is written.
  ///   - onRoom: called on the writing thread with attempts that were held back and may continue.
  init(
    file: any PartialFile, durable: ByteRangeSet, totalByteCount: Int64?,
    queue: any WorkQueue = DispatchQueue(label: "kettle.writer"),
    syncQueue: any WorkQueue = DispatchQueue(label: "kettle.sync"),
    pieceQueue: any WorkQueue = DispatchQueue(label: "kettle.pieces"),
    pieces: PieceComparing? = nil, ledger: PieceLedger? = nil,
    blocks: BlockLedger = BlockLedger { nil },
    onRoom: @escaping @Sendable (Set<AttemptID>) -> Void
  ) {
    self.file = file
    self.totalByteCount = totalByteCount
    self.queue = queue
    self.syncQueue = syncQueue
    self.pieceQueue = pieceQueue
    self.onRoom = onRoom
    self.pieces = pieces
    state = Mutex(WriterState(written: durable, ledger: ledger))
    disk = Mutex(blocks)
  }

  // MARK: Attempts

  /// Registers an attempt that writes from `lower` on, and returns the sink for its bytes.
  ///
  /// - Parameters:
  ///   - trust: An attempt that is trusted only at its end has the file to itself.
  ///   - comparedUpTo: The bytes of the attempt up to this offset are compared with what all
  ///     attempts have received until now.
  func begin(
    _ attempt: AttemptID, from lower: Int64, _ bound: BodySegment.Bound,
    trust: BodySegment.Trust = .atOnce, comparedUpTo: Int64? = nil
  ) -> SegmentSink {
    state.withLock { state in
      // Blocks are written in order, so these are in the file before the first of the attempt.
      if comparedUpTo != nil { state.enqueueAllBlocks() }
      let share = max(Self.blockByteCountMax >> state.segments.count, Self.blockByteCountMin)
      state.begin(
        BodySegment(
          of: attempt, from: lower, bound: bound, trust: trust, comparedUpTo: comparedUpTo,
          blockByteCount: min(share, smallBlockByteCount)),
        of: attempt)
    }
    return SegmentSink(self, attempt: attempt)
  }

  /// A small file needs one small block, which is written when its attempt is over.
  private var smallBlockByteCount: Int64 {
    guard let totalByteCount, totalByteCount < Self.blockByteCountMin else { return .max }
    return (totalByteCount / Block.alignment + 1) * Block.alignment
  }

  /// Shortens the attempt, which need not receive more than up to `upper`.
  func shorten(_ attempt: AttemptID, to upper: Int64) {
    state.withLock { $0.shorten(attempt, to: upper) }
  }

  /// Accepts bytes of an attempt. Never waits for the disk.
  func receive(_ bytes: UnsafeRawBufferPointer, of attempt: AttemptID) -> SinkAnswer {
    let (answer, hasFullBlocks) = state.withLock { $0.receive(bytes, of: attempt) }
    if hasFullBlocks {
      queue.enqueue { [self] in
        disk.withLock { blocks in
          writeQueued(upTo: state.withLock { $0.enqueuedCount }, into: &blocks)
        }
      }
    }
    return answer
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
    let discarded = disk.withLock { blocks in
      let enqueuedCount = state.withLock { state in
        state.enqueueBlock(of: attempt)
        return state.enqueuedCount
      }
      writeQueued(upTo: enqueuedCount, into: &blocks)
      blocks.end(attempt)
      return settleTrust(in: attempt, isComplete: isComplete)
    }
    return state.withLock { state in
      guard let segment = state.end(attempt) else { return EndedSegment(failure: state.failure) }
      return EndedSegment(
        receivedUpTo: discarded == nil ? segment.writtenUpTo : nil,
        discardedByteCount: discarded ?? 0, failure: state.failure ?? segment.failure)
    }
  }

  /// Counts the bytes written by an attempt that is trusted only at its end, or truncates the file.
  /// Returns how many bytes are discarded; nil when the attempt counts. Requires `disk`; blocks.
  private func settleTrust(in attempt: AttemptID, isComplete: Bool) -> Int64? {
    let (discarded, writtenUpTo) = state.withLock { state in
      (state.settleTrust(in: attempt, isComplete: isComplete), state.written.upperBound)
    }
    guard let discarded, discarded > 0 else { return discarded }
    do {
      // Otherwise the file could be longer than the right one.
      try file.truncate(to: writtenUpTo)
    } catch {
      state.withLock { $0.fail(error) }
    }
    return discarded
  }

  // MARK: Progress

  var failure: TransferFailure? { state.withLock { $0.failure } }

  /// The progress of each attempt, including bytes gathered but not written.
  var progress: [AttemptID: Int64] { state.withLock { $0.segments.mapValues(\.receivedUpTo) } }

  /// The attempts that wait until blocks are written.
  var waitingForDisk: Set<AttemptID> { state.withLock { $0.waitingForDisk } }

  /// Bytes of all attempts since the file was opened.
  var receivedByteCount: Int64 { state.withLock { $0.receivedByteCount } }

  /// The number of bytes of the file, including those gathered but not written. Bytes that two
  /// attempts received count once.
  var fileByteCount: Int64 {
    min(state.withLock { $0.received }.byteCount, totalByteCount ?? .max)
  }

  // MARK: The disk

  /// The bytes on the disk after a sync.
  struct Synced: Sendable {
    var durable: ByteRangeSet
    var modifiedNanoseconds: Int64
    /// The beginning of `durable`, where it is needed to identify the file.
    var sample: FileSample?
    /// The digests of those durable bytes that had none at the last sync.
    var digests: [DigestedBytes] = []
    /// The pieces that were wrong since the file was opened.
    var wrong: [WrongPiece] = []
  }

  /// Writes and syncs everything received. Blocks.
  func sync() throws(TransferFailure) -> Synced {
    let (written, wrong, failure, digests) = disk.withLock { blocks in
      let enqueuedCount = state.withLock { state in
        state.enqueueAllBlocks()
        return state.enqueuedCount
      }
      writeQueued(upTo: enqueuedCount, into: &blocks)
      let (written, wrong, failure) = state.withLock {
        ($0.recordable, $0.ledger?.wrong ?? [], $0.failure)
      }
      let digests = failure == nil ? blocks.settle(written, in: file) : []
      return (written, wrong, failure, digests)
    }
    if let failure { throw failure }
    do {
      let modifiedNanoseconds = try file.sync()
      return Synced(
        durable: written, modifiedNanoseconds: modifiedNanoseconds,
        sample: file.sample(ofFirst: written.prefixByteCount), digests: digests, wrong: wrong)
    } catch {
      // A failed sync is never repeated as a proof: the kernel may have dropped the pages
      // (fsync(2), "Errors"), so nothing after the last success is trusted.
      state.withLock { $0.fail(error) }
      throw error
    }
  }

  /// Set when the whole file was synced and nothing was written since.
  var settled: Synced? { state.withLock { $0.failure == nil ? $0.settled : nil } }

  /// Writes, compares and syncs everything received, before the file is closed. Blocks.
  func finish() throws(TransferFailure) -> Synced {
    disk.withLock { blocks in
      let enqueuedCount = state.withLock { state in
        state.enqueueAllBlocks()
        return state.enqueuedCount
      }
      writeQueued(upTo: enqueuedCount, into: &blocks)
    }
    comparePieces()
    return try sync()
  }

  /// Compares the pieces that are complete. Blocks.
  private func comparePieces() {
    guard let pieces else { return }
    comparing.withLock { _ in
      while let (hashes, index) = state.withLock({ $0.nextPiece() }) {
        let result = Result { () throws(TransferFailure) in
          try pieces.storage.isRight(index, of: hashes, in: file)
        }
        if let wrong = state.withLock({ $0.finishPiece(index, result) }) { pieces.onWrong(wrong) }
      }
    }
  }

  /// Syncs a complete file, so that closing it has nothing left to do. Blocks.
  func settle() {
    guard state.withLock({ $0.isWhole(totalByteCount: totalByteCount) }) else { return }
    comparePieces()
    guard state.withLock({ $0.isWhole(totalByteCount: totalByteCount) }) else { return }
    // An error is reported when the file is closed.
    if let synced = try? sync() { state.withLock { $0.settle(synced) } }
  }

  /// Writes the blocks up to the `enqueuedCount`th. Blocks that are queued meanwhile are left to
  /// their own passes: otherwise a network that is faster than the disk would hold up a sync.
  /// Requires `disk`; blocks.
  private func writeQueued(upTo enqueuedCount: Int, into blocks: inout BlockLedger) {
    while let (block, written, comparedUpTo) = state.withLock({ state in
      state.nextBlock(upTo: enqueuedCount).map {
        ($0, state.written, state.segments[$0.attempt]?.comparedUpTo)
      }
    }) {
      let result = Result { () throws(TransferFailure) in
        try block.write(into: file, over: written, comparedUpTo: comparedUpTo)
        if let range = block.range {
          blocks.add(block.bytes(in: range), at: range, by: block.attempt)
        }
      }
      state.withLock { $0.finish(block, result) }
      resumeAttempts()
    }
    // A failure may have emptied the queue without a write.
    resumeAttempts()
    if pieces != nil, state.withLock({ $0.ledger?.hasNext ?? false }) {
      pieceQueue.enqueue { [self] in comparePieces() }
    }
  }

  private func resumeAttempts() {
    let resumable = state.withLock { $0.takeResumable() }
    if !resumable.isEmpty { onRoom(resumable) }
  }
}
