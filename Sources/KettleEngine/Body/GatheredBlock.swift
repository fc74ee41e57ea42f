import KettleModel

/// Bytes of one attempt on their way to the disk, in memory that lies as they will lie in the file:
/// address and offset are equal modulo `alignment`, which is what lets a file system write whole
/// pages without copying them first (O_DIRECT, open(2)).
final class GatheredBlock: Sendable {
  static let alignment: Int64 = 4096

  let attempt: AttemptID
  let lower: Int64
  /// Of what there is place for.
  let upper: Int64
  let memory: BlockMemory

  /// For the bytes from `lower` on, up to the next border between blocks, or as many as the memory
  /// has place for.
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

  /// The place of `lower`.
  private var padding: Int { Int(lower % Self.alignment) }

  /// Puts bytes where they belong, as far as there is place, and answers how many those are. By
  /// the thread that fills.
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

  /// Where bytes are filled in without a call for each of them; nil of memory that is none.
  var start: UnsafeMutableRawPointer? { memory.bytes.baseAddress?.advanced(by: padding) }
}

/// What of a block is to be written at once, while more may be filled in behind it.
struct BlockPart: Sendable {
  /// What comes of the block.
  enum Rest: Sendable {
    case isFilled
    /// Nothing: its memory is free when this part is written.
    case isOver
  }

  let block: GatheredBlock
  /// nil when all of it is written and only its memory is left.
  let range: ByteRange?
  let rest: Rest

  /// Whether this comes directly behind another part, so that one call writes both: of the same
  /// attempt, and neither where there are bytes already.
  func follows(_ other: BlockPart, over written: HeldRanges) -> Bool {
    guard let range, let before = other.range else { return false }
    return before.upper == range.lower && other.block.attempt == block.attempt
      && written.parts(in: before).isEmpty && written.parts(in: range).isEmpty
  }

  /// Writes parts that follow each other. Blocks.
  static func write(
    _ parts: [BlockPart], into file: any PartialFile, over written: HeldRanges
  ) throws(TransferFailure) {
    guard parts.count > 1, let lower = parts.first?.range?.lower else {
      for part in parts { try part.write(into: file, over: written) }
      return
    }
    let pieces = parts.compactMap { part in part.range.map(part.block.bytes) }
    try file.write(pieces, at: lower)
  }

  /// Writes the bytes; where `written` says that there are some already, compares them. Blocks.
  private func write(
    into file: any PartialFile, over written: HeldRanges
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
