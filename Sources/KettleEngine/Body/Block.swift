import KettleModel

/// Consecutive bytes of one attempt, gathered in memory for one write.
///
/// Their position in the memory and in the file is equal modulo `alignment`, so a file system can
/// write whole pages without copying them first (O_DIRECT, open(2)).
struct Block: Sendable {
  static let alignment: Int64 = 4096

  let attempt: AttemptID
  let lower: Int64
  /// The end of the bytes that fit.
  let upper: Int64
  /// The end of the bytes that were appended.
  private(set) var filledUpTo: Int64
  let memory: BlockMemory

  /// A block for the bytes from `lower` to the next multiple of `byteCount`, or as many as fit in
  /// the memory.
  ///
  /// - Parameter byteCount: a multiple of `alignment`.
  init(of attempt: AttemptID, from lower: Int64, byteCount: Int64, in memory: BlockMemory) {
    self.attempt = attempt
    self.lower = lower
    self.memory = memory
    let capacity = Int64(memory.bytes.count) - lower % Self.alignment
    upper = lower + min(byteCount - lower % byteCount, capacity)
    filledUpTo = lower
  }

  var isFull: Bool { filledUpTo == upper }
  /// nil while the block is empty.
  var range: ByteRange? { ByteRange(lower: lower, upper: filledUpTo) }

  /// Copies the bytes that fit, and returns how many those are.
  mutating func append(_ source: UnsafeRawBufferPointer) -> Int {
    let count = Int(min(Int64(source.count), upper - filledUpTo))
    let start = position(of: filledUpTo)
    UnsafeMutableRawBufferPointer(rebasing: memory.bytes[start..<(start + count)])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: source.prefix(count)))
    filledUpTo += Int64(count)
    return count
  }

  /// Writes the bytes. Where `written` already contains bytes, compares them instead, before
  /// anything is written, and throws `otherVersion` when they differ. Blocks.
  ///
  /// - Parameter comparedUpTo: Bytes before this offset are only compared. Throws `rangeReplyWrong`
  ///   when `written` lacks one of them.
  func write(
    into file: any PartialFile, over written: ByteRangeSet, comparedUpTo: Int64? = nil
  ) throws(TransferFailure) {
    guard let range else { return }
    if let comparedUpTo,
      let compared = ByteRange(lower: range.lower, upper: min(range.upper, comparedUpTo)),
      !written.contains(compared)
    {
      throw TransferFailure(
        .rangeReplyWrong, on: file.finalName, detail: "nothing to compare its bytes with")
    }
    for part in written.parts(in: range) { try compare(part, with: file) }
    for gap in written.gaps(in: range) { try file.write(bytes(in: gap), at: gap.lower) }
  }

  private func compare(
    _ range: ByteRange, with file: any PartialFile
  ) throws(TransferFailure) {
    let known = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(range.byteCount), alignment: 16)
    defer { known.deallocate() }
    try file.read(known, at: range.lower)
    guard known.elementsEqual(bytes(in: range)) else {
      throw TransferFailure(
        .otherVersion, on: file.finalName,
        detail: "bytes \(range.lower) to \(range.upper - 1) are others than before")
    }
  }

  /// The bytes of a range that the block has.
  func bytes(in range: ByteRange) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      rebasing: memory.bytes[position(of: range.lower)..<position(of: range.upper)])
  }

  /// The index in the memory of a byte of the file.
  private func position(of offset: Int64) -> Int {
    Int(lower % Self.alignment + (offset - lower))
  }
}

/// Aligned memory for a block.
///
/// `@unchecked` because its block belongs to one thread at a time: to the thread that appends, and,
/// once queued, to the thread that writes. The lock of `PartialFileWriter` passes it on.
final class BlockMemory: @unchecked Sendable {
  let bytes: UnsafeMutableRawBufferPointer

  init(byteCount: Int64) {
    bytes = .allocate(byteCount: Int(byteCount), alignment: Int(Block.alignment))
  }

  deinit { bytes.deallocate() }
}

/// The part of a body that one attempt receives.
struct BodySegment: Sendable {
  /// Where the segment ends.
  enum Bound: Sendable, Hashable {
    /// At the end of the response; no size is known.
    case none
    /// At the end of the file. A longer response belongs to another file.
    case whole(Int64)
    /// At the end of the requested range. Bytes past it are ignored.
    case part(Int64)
    /// At the end of the requested range, where the response must end: a longer one is not what it
    /// claims to be.
    case exactly(Int64)
    /// Other attempts take over from there. The attempt ends when it gets there.
    case shortened(Int64)

    var upper: Int64? {
      switch self {
      case .none: nil
      case .whole(let upper), .part(let upper), .exactly(let upper), .shortened(let upper): upper
      }
    }
  }

  /// When the bytes of an attempt count as bytes of the file.
  enum Trust: Sendable, Hashable {
    case atOnce
    /// When the response has ended properly: a chunk with a wrong size corrupts bytes before the
    /// error is noticed, and so do chunks that the head does not announce.
    case atItsEnd
  }

  private(set) var bound: Bound
  let trust: Trust
  /// The end of the bytes that are only compared; nil without such bytes.
  let comparedUpTo: Int64?
  /// The offset of the first byte.
  let lower: Int64
  /// The end of the bytes in the file.
  var writtenUpTo: Int64
  /// The end of the bytes received.
  private(set) var receivedUpTo: Int64
  var failure: TransferFailure?
  private let attempt: AttemptID
  private let blockByteCount: Int64
  /// The block being filled.
  private var block: Block?

  /// - Parameter blockByteCount: the size of one write; a multiple of `Block.alignment`.
  init(
    of attempt: AttemptID, from lower: Int64, bound: Bound, trust: Trust = .atOnce,
    comparedUpTo: Int64? = nil, blockByteCount: Int64
  ) {
    self.attempt = attempt
    self.trust = trust
    self.comparedUpTo = comparedUpTo
    self.lower = lower
    self.bound = bound
    self.blockByteCount = blockByteCount
    writtenUpTo = lower
    receivedUpTo = lower
  }

  /// The bytes received that do not count as written yet.
  var unwritten: ByteRange? {
    switch trust {
    case .atOnce: ByteRange(lower: writtenUpTo, upper: receivedUpTo)
    case .atItsEnd: ByteRange(lower: lower, upper: receivedUpTo)
    }
  }

  /// Whether all announced bytes arrived.
  var isWhole: Bool { bound.upper.map { receivedUpTo == $0 } ?? true }

  /// Whether all needed bytes arrived, even if the response continues.
  var isSatisfied: Bool {
    guard case .shortened(let upper) = bound else { return false }
    return receivedUpTo >= upper
  }

  mutating func shorten(to upper: Int64) {
    if trust == .atItsEnd { return }
    if let known = bound.upper, known <= upper { return }
    bound = .shortened(max(upper, receivedUpTo))
  }

  /// Returns how many of `byteCount` bytes are needed. Returns nil and sets `failure` when they do
  /// not belong to this file.
  mutating func neededByteCount(of byteCount: Int) -> Int? {
    guard failure == nil else { return nil }
    guard let upper = bound.upper, receivedUpTo + Int64(byteCount) > upper else {
      return byteCount
    }
    switch bound {
    case .whole:
      failure = TransferFailure(.tooLong, on: "the body", detail: "more than \(upper) bytes")
      return nil
    case .exactly:
      failure = TransferFailure(
        .rangeReplyWrong, on: "the file", detail: "it goes on behind byte \(upper - 1)")
      return nil
    case .none, .part, .shortened: return Int(max(0, upper - receivedUpTo))
    }
  }

  /// Copies bytes into blocks and returns the blocks that are now full.
  ///
  /// - Parameter spare: memory of blocks already written, reused when available.
  mutating func append(
    _ bytes: UnsafeRawBufferPointer, reusing spare: inout [BlockMemory]
  ) -> [Block] {
    var full: [Block] = []
    var rest = bytes
    while !rest.isEmpty {
      var filling = block ?? newBlock(reusing: &spare)
      let count = filling.append(rest)
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      receivedUpTo += Int64(count)
      block = filling.isFull ? nil : filling
      if filling.isFull { full.append(filling) }
    }
    return full
  }

  private func newBlock(reusing spare: inout [BlockMemory]) -> Block {
    Block(
      of: attempt, from: receivedUpTo, byteCount: blockByteCount, in: newMemory(reusing: &spare))
  }

  /// Reuses spare memory of the right size, or allocates memory and releases as much of the others.
  private func newMemory(reusing spare: inout [BlockMemory]) -> BlockMemory {
    if let index = spare.lastIndex(where: { $0.bytes.count == Int(blockByteCount) }) {
      return spare.remove(at: index)
    }
    var missing = blockByteCount
    while missing > 0, !spare.isEmpty { missing -= Int64(spare.removeFirst().bytes.count) }
    return BlockMemory(byteCount: blockByteCount)
  }

  /// Removes and returns the block being filled; nil when there is none.
  mutating func takeBlock() -> Block? {
    defer { block = nil }
    return block
  }
}

/// The sink for the body of one attempt.
final class SegmentSink: ByteSink {
  private let writer: PartialFileWriter
  private let attempt: AttemptID

  init(_ writer: PartialFileWriter, attempt: AttemptID) {
    self.writer = writer
    self.attempt = attempt
  }

  func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer {
    writer.receive(bytes, of: attempt)
  }
}
