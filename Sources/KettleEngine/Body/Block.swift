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

  private func bytes(in range: ByteRange) -> UnsafeRawBufferPointer {
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
