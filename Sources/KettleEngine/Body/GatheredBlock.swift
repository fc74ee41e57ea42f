import KettleModel

/// Bytes of one attempt on their way to the disk, in memory laid out as in the file: address and
/// offset are equal modulo `alignment`, so a file system can write whole pages without copying them
/// first (O_DIRECT, open(2)).
final class GatheredBlock: Sendable {
  static let alignment: Int64 = 4096

  let attempt: AttemptID
  let lower: Int64
  /// The end of the bytes that fit.
  let upper: Int64
  let memory: BlockMemory

  /// A block for the bytes from `lower` to the next block boundary, or as many as fit in the
  /// memory.
  ///
  /// - Parameter blockByteCount: a multiple of `alignment`.
  init(
    of attempt: AttemptID, from lower: Int64, blockByteCount: Int64, in memory: BlockMemory
  ) {
    self.attempt = attempt
    self.lower = lower
    self.memory = memory
    let place = Int64(memory.bytes.count) - lower % Self.alignment
    upper = lower + min(blockByteCount - lower % blockByteCount, place)
  }

  /// The position of `lower` in the memory.
  private var padding: Int { Int(lower % Self.alignment) }

  /// Copies bytes to their position, as far as they fit, and returns how many fit. Called by the
  /// filling thread.
  func put(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int {
    let count = Int(min(Int64(bytes.count), upper - offset))
    memory.fill(
      from: padding + Int(offset - lower), UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
    return count
  }

  func bytes(_ range: ByteRange) -> UnsafeRawBufferPointer {
    let from = padding + Int(range.lower - lower)
    return UnsafeRawBufferPointer(
      rebasing: memory.bytes[from..<(from + Int(range.upper - range.lower))])
  }

  /// The address for filling in bytes without a call for each piece; nil for empty memory.
  var start: UnsafeMutableRawPointer? { memory.bytes.baseAddress?.advanced(by: padding) }
}

/// The part of a block to write now, while more bytes may be filled in behind it.
struct BlockPart: Sendable {
  /// What happens to the block after this part.
  enum Rest: Sendable {
    case isFilled
    /// Nothing more is filled in: its memory is free once this part is written.
    case isOver
  }

  let block: GatheredBlock
  /// nil when all of it is written and only its memory remains.
  let range: ByteRange?
  let rest: Rest

  /// Returns whether one call can write both parts: they are consecutive, belong to the same
  /// attempt, and overlap no bytes already written.
  func follows(_ other: BlockPart, over written: ByteRangeSet) -> Bool {
    guard let range, let before = other.range else { return false }
    return before.upper == range.lower && other.block.attempt == block.attempt
      && written.parts(in: before).isEmpty && written.parts(in: range).isEmpty
  }

  /// Writes consecutive parts. Blocks.
  static func write(
    _ parts: [BlockPart], into file: any PartialFile, over written: ByteRangeSet
  ) throws(TransferFailure) {
    guard parts.count > 1, let lower = parts.first?.range?.lower else {
      for part in parts { try part.write(into: file, over: written) }
      return
    }
    let pieces = parts.compactMap { part in part.range.map(part.block.bytes) }
    try file.write(pieces, at: lower)
  }

  /// Writes the bytes. Where `written` already contains bytes, compares them instead. Blocks.
  private func write(
    into file: any PartialFile, over written: ByteRangeSet
  ) throws(TransferFailure) {
    guard let range else { return }
    for gap in written.gaps(in: range) { try file.write(block.bytes(gap), at: gap.lower) }
    for held in written.parts(in: range) {
      try compare(block.bytes(held), with: file, at: held.lower)
    }
  }

  private func compare(
    _ bytes: UnsafeRawBufferPointer, with file: any PartialFile, at offset: Int64
  ) throws(TransferFailure) {
    let held = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
    defer { held.deallocate() }
    try file.read(held, at: offset)
    guard held.elementsEqual(bytes) else {
      throw TransferFailure(
        .otherVersion, on: file.finalName,
        detail: "bytes \(offset) to \(offset + Int64(bytes.count) - 1) are others than before")
    }
  }
}
