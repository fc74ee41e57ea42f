import KettleModel
import KettleScheduler

/// What a `PartialFileWriter` has received, queued and written.
struct WriterState: Sendable {
  /// Bytes in queued blocks. Beyond it, attempts wait for the disk; they continue at half of it.
  static let queuedByteCountMax: Int64 = 8 << 20

  private(set) var segments: [AttemptID: BodySegment] = [:]
  /// The blocks to write, in this order.
  private var queued: [Block] = []
  /// Includes the block being written.
  private var queuedByteCount: Int64 = 0
  /// Blocks queued since the file was opened.
  private(set) var enqueuedCount = 0
  /// Blocks that were written or dropped since.
  private var finishedCount = 0
  /// The memory of written blocks. Memory that is released and allocated again has to be mapped and
  /// cleared page by page, which costs as much as receiving into it.
  private var spare: [BlockMemory] = []
  /// The bytes in the file, synced or not.
  private(set) var written: ByteRangeSet
  /// Bytes of all attempts since the file was opened.
  private(set) var receivedByteCount: Int64 = 0
  /// Attempts that wait for the disk.
  private(set) var waitingForDisk: Set<AttemptID> = []
  /// A failure of the whole file.
  private(set) var failure: TransferFailure?
  /// Set when the whole file is synced and has not been written to since.
  private(set) var settled: PartialFileWriter.Synced?

  /// The digests of the pieces; nil without any.
  private(set) var ledger: PieceLedger?

  init(written: ByteRangeSet, ledger: PieceLedger? = nil) {
    self.written = written
    self.ledger = ledger
  }

  // MARK: Attempts

  mutating func begin(_ segment: BodySegment, of attempt: AttemptID) {
    segments[attempt] = segment
  }

  mutating func shorten(_ attempt: AttemptID, to upper: Int64) {
    segments[attempt]?.shorten(to: upper)
  }

  /// Accepts bytes of an attempt, as far as they are needed.
  mutating func receive(
    _ bytes: UnsafeRawBufferPointer, of attempt: AttemptID
  ) -> (answer: SinkAnswer, hasFullBlocks: Bool) {
    guard failure == nil, let count = segments[attempt]?.neededByteCount(of: bytes.count) else {
      return (.failed, false)
    }
    receivedByteCount += Int64(count)
    let needed = UnsafeRawBufferPointer(rebasing: bytes.prefix(count))
    let full = segments[attempt]?.append(needed, reusing: &spare) ?? []
    full.forEach { enqueue($0) }
    if count < bytes.count || segments[attempt]?.isSatisfied == true {
      return (.satisfied, !full.isEmpty)
    }
    guard queuedByteCount > Self.queuedByteCountMax else { return (.taken, !full.isEmpty) }
    waitingForDisk.insert(attempt)
    return (.full, !full.isEmpty)
  }

  /// Removes an attempt whose bytes are written.
  mutating func end(_ attempt: AttemptID) -> BodySegment? {
    waitingForDisk.remove(attempt)
    return segments.removeValue(forKey: attempt)
  }

  /// Counts the bytes written by an attempt that is trusted only at its end. Returns how many
  /// bytes do not count; nil when all do.
  mutating func settleTrust(in attempt: AttemptID, isComplete: Bool) -> Int64? {
    guard let segment = segments[attempt], segment.trust == .atItsEnd else { return nil }
    settled = nil
    let range = ByteRange(lower: segment.lower, upper: segment.writtenUpTo)
    if isComplete, segment.isWhole, failure == nil, segment.failure == nil {
      if let range {
        written.insert(range)
        ledger?.note(range, by: attempt, in: written)
      }
      return nil
    }
    return range.map { written.gaps(in: $0).reduce(0) { $0 + $1.byteCount } } ?? 0
  }

  // MARK: Writing

  /// Queues the block that the attempt is filling. What follows begins a new block.
  mutating func enqueueBlock(of attempt: AttemptID) {
    if let block = segments[attempt]?.takeBlock() { enqueue(block) }
  }

  mutating func enqueueAllBlocks() {
    for attempt in segments.keys { enqueueBlock(of: attempt) }
  }

  private mutating func enqueue(_ block: Block) {
    queued.append(block)
    enqueuedCount += 1
    queuedByteCount += block.range?.byteCount ?? 0
  }

  /// Removes and returns the next block to write; nil when none of the first `limit` is left. After
  /// a failure, nothing more of the attempt is written: its bytes are no longer trusted.
  mutating func nextBlock(upTo limit: Int) -> Block? {
    while finishedCount < limit, !queued.isEmpty {
      let block = queued.removeFirst()
      if failure == nil, let segment = segments[block.attempt], segment.failure == nil {
        return block
      }
      release(block)
    }
    return nil
  }

  /// Notes the result of writing a block.
  mutating func finish(_ block: Block, _ result: Result<Void, TransferFailure>) {
    settled = nil
    release(block)
    switch result {
    case .success:
      guard let range = block.range else { return }
      if segments[block.attempt]?.trust != .atItsEnd { written.insert(range) }
      // A piece is complete only if all of it is among the written bytes.
      ledger?.note(range, by: block.attempt, in: written)
      segments[block.attempt]?.writtenUpTo = range.upper
    case .failure(let problem)
    where problem.code == .otherVersion || problem.code == .rangeReplyWrong:
      segments[block.attempt]?.failure = problem
      if problem.code == .otherVersion { ledger?.noteDifference() }
    case .failure(let problem): failure = problem
    }
  }

  private mutating func release(_ block: Block) {
    finishedCount += 1
    queuedByteCount -= block.range?.byteCount ?? 0
    let spareByteCount = spare.reduce(block.memory.bytes.count) { $0 + $1.bytes.count }
    if spareByteCount <= Self.queuedByteCountMax { spare.append(block.memory) }
  }

  /// Removes and returns the attempts that may continue. After a failure all continue, and learn of
  /// it with the next piece.
  mutating func takeResumable() -> Set<AttemptID> {
    guard failure != nil || queuedByteCount <= Self.queuedByteCountMax / 2 else { return [] }
    defer { waitingForDisk = [] }
    return waitingForDisk
  }

  // MARK: Pieces

  /// Removes and returns the next piece to compare; nil when there is none, and after a failure.
  mutating func nextPiece() -> (PieceHashes, Int)? {
    guard failure == nil, let pieces = ledger?.pieces, let index = ledger?.next() else {
      return nil
    }
    return (pieces, index)
  }

  /// Notes the result of comparing a piece. The bytes of a wrong one are missing again.
  mutating func finishPiece(
    _ index: Int, _ result: Result<Bool, TransferFailure>
  ) -> WrongPiece? {
    switch result {
    case .failure(let problem):
      fail(problem)
      return nil
    case .success(let isRight):
      guard let wrong = ledger?.finish(index, isRight: isRight) else { return nil }
      written.remove(wrong.range)
      settled = nil
      return wrong
    }
  }

  /// What of the file may be recorded once it is synced.
  var recordable: ByteRangeSet { ledger?.durable(of: written) ?? written }

  // MARK: Syncing

  mutating func fail(_ problem: TransferFailure) { failure = failure ?? problem }

  /// Whether the file is complete and all of it is written.
  func isWhole(totalByteCount: Int64?) -> Bool {
    failure == nil && segments.isEmpty && written.prefixByteCount == totalByteCount
  }

  mutating func settle(_ synced: PartialFileWriter.Synced) { settled = synced }

  /// The bytes of the file, including those gathered but not written.
  var received: ByteRangeSet {
    segments.values.reduce(into: written) { received, segment in
      if let range = segment.unwritten { received.insert(range) }
    }
  }
}
