import TransferModel

/// Bytes of one attempt on their way to the disk, in memory that lies as they will lie in the file:
/// address and offset are equal modulo `alignment`, which is what lets a file system write whole
/// pages without copying them first (O_DIRECT, open(2)).
///
/// `@unchecked` because one thread at a time has it: the transport's while it is filled, under the
/// lock of its `BlockFilling` or of its `TransferBody` while nothing is granted, and after that
/// whoever writes.
final class GatheredBlock: @unchecked Sendable {
  static let alignment: Int64 = 4096

  let attempt: AttemptID
  let lower: Int64
  let memory: BlockMemory
  private let padding: Int
  private let byteCountMax: Int
  private(set) var byteCount = 0

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
    padding = Int(lower % Self.alignment)
    byteCountMax = min(
      Int(blockByteCount - lower % blockByteCount), memory.bytes.count - padding)
  }

  var upper: Int64 { lower + Int64(byteCount) }
  var isFull: Bool { byteCount == byteCountMax }
  var roomByteCount: Int { byteCountMax - byteCount }

  /// Takes as many bytes as there is place for, and answers how many.
  func append(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count = min(bytes.count, roomByteCount)
    let place = UnsafeMutableRawBufferPointer(
      rebasing: memory.bytes[(padding + byteCount)..<(padding + byteCount + count)])
    place.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
    byteCount += count
    return count
  }

  /// Writes the bytes; where `written` says that there are some already, compares them. Blocks.
  func write(
    into file: any PartialFile, over written: HeldRanges
  ) throws(TransferFailure) {
    guard let range = ByteRange(lower: lower, upper: upper) else { return }
    for gap in written.gaps(in: range) { try file.write(slice(gap), at: gap.lower) }
    for held in written.parts(in: range) { try compare(slice(held), with: file, at: held.lower) }
  }

  private func slice(_ range: ByteRange) -> UnsafeRawBufferPointer {
    let from = padding + Int(range.lower - lower)
    return UnsafeRawBufferPointer(
      rebasing: memory.bytes[from..<(from + Int(range.upper - range.lower))])
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
