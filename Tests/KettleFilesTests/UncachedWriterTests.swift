import Glibc
import KettleEngine
import KettleModel
import KettleSystem
import Testing
import TestSupport

@testable import KettleFiles

/// Writes past the page cache, and what happens where they cannot be.
struct UncachedWriterTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  /// Memory that lies as the bytes will lie in the file.
  private func withBytes<Value>(
    _ byteCount: Int, at offset: Int64, _ body: (UnsafeRawBufferPointer) throws -> Value
  ) rethrows -> Value {
    let padding = Int(offset % Int64(UncachedWriter.alignment))
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: padding + byteCount, alignment: UncachedWriter.alignment)
    defer { memory.deallocate() }
    for index in memory.indices {
      memory[index] = UInt8(truncatingIfNeeded: (index - padding) &* 31 &+ Int(offset))
    }
    return try body(UnsafeRawBufferPointer(rebasing: memory[padding...]))
  }

  @Test(
    arguments: [
      (0, 1 << 20, 0..<(1 << 20)), (0, 65_536, 0..<65_536), (0, 65_535, nil),
      (1, 1 << 20, 4095..<(1_044_480 + 4095)), (4095, 65_537, 1..<65_537), (4096, 100, nil),
      (200_000, 300_000, 704..<299_712),
    ] as [(Int64, Int, Range<Int>?)])
  func `whole pages are the part, wherever the bytes begin`(
    offset: Int64, byteCount: Int, part: Range<Int>?
  ) {
    withBytes(byteCount, at: offset) {
      #expect(UncachedWriter.part(of: $0, at: offset) == part)
    }
  }

  @Test func `bytes that lie elsewhere in memory than in the file have no such part`() {
    withBytes(1 << 20, at: 512) { #expect(UncachedWriter.part(of: $0, at: 0) == nil) }
  }

  @Test(
    arguments: [
      ([1 << 20, 65_536], 8192, true), ([1 << 20, 65_536, 65_537], 8192, false),
      ([65_536, 4096, 65_536], 0, false), ([65_536, 65_536], 1, false),
      ([65_536, 65_536], -1, false),
    ] as [([Int], Int64, Bool)])
  func `pieces go there together when each of them is whole pages`(
    byteCounts: [Int], offset: Int64, areParts: Bool
  ) {
    // All of them are the beginning of the same memory; where it lies is what counts.
    withBytes(1 << 20, at: 0) { bytes in
      let pieces = byteCounts.map { UnsafeRawBufferPointer(rebasing: bytes.prefix($0)) }
      #expect(UncachedWriter.areParts(pieces, at: offset) == areParts)
    }
  }

  @Test func `it is expected to work until it was refused`() {
    let writer = UncachedWriter()
    #expect(writer.isExpectedToWork)
    writer.refuse()
    #expect(!writer.isExpectedToWork)
  }

  @Test(arguments: [nil, EINVAL, EOPNOTSUPP])
  func `the file has the bytes, whether or not the disk takes them so`(refusal: Int32?) throws {
    let own = Mutex<Int32?>(nil)
    let refusedCount = Mutex(0)
    var calls = FileCalls()
    calls.write = { descriptor, pieces, offset in
      // The first bytes are too few for the other descriptor.
      let isOwn = own.withLock { own in
        own = own ?? descriptor
        return own == descriptor
      }
      guard isOwn || refusal == nil else {
        refusedCount.withLock { $0 += 1 }
        errno = refusal ?? 0
        return -1
      }
      return pwritev(descriptor, pieces, Int32(pieces.count), offset)
    }
    let storage = POSIXFileStorage(documentsDirectory: scratch.path, calls: calls)
    let file = try storage.createPartialFile(
      in: scratch.path, preferredName: "a", onConflict: .rename)
    let pieces: [(Int64, Int)] = [(0, 100), (100, 1 << 20), (1_048_676, 500_000)]
    for (offset, byteCount) in pieces {
      try withBytes(byteCount, at: offset) { try file.write($0, at: offset) }
    }
    _ = try file.sync()
    // Once is enough to know, and some file systems are known from the beginning.
    #expect(refusedCount.withLock { $0 } <= 1)
    for (offset, byteCount) in pieces {
      let read = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
      defer { read.deallocate() }
      try file.read(read, at: offset)
      withBytes(byteCount, at: offset) { #expect($0.elementsEqual(read)) }
    }
  }

  /// - Parameter takenBefore: how many calls are taken, each in part, before the first is refused.
  @Test(arguments: [(nil, 0), (EINVAL, 0), (EINVAL, 1)] as [(Int32?, Int)])
  func `blocks that come together are in the file, however much of them the disk takes so`(
    refusal: Int32?, takenBefore: Int
  ) throws {
    let own = Mutex<Int32?>(nil)
    let pieceCounts = Mutex<[Int]>([])
    let takenCount = Mutex(0)
    var calls = FileCalls()
    calls.write = { descriptor, pieces, offset in
      pieceCounts.withLock { $0.append(pieces.count) }
      // The first bytes are too few for the other descriptor.
      let isOwn = own.withLock { own in
        own = own ?? descriptor
        return own == descriptor
      }
      guard let refusal, !isOwn else {
        return pwritev(descriptor, pieces, Int32(pieces.count), offset)
      }
      let takes = takenCount.withLock { count in
        count += 1
        return count <= takenBefore
      }
      if takes { return pwritev(descriptor, pieces, 1, offset) }
      errno = refusal
      return -1
    }
    let storage = POSIXFileStorage(documentsDirectory: scratch.path, calls: calls)
    let file = try storage.createPartialFile(
      in: scratch.path, preferredName: "a", onConflict: .rename)
    try withBytes(100, at: 0) { try file.write($0, at: 0) }
    let byteCount = 65_536
    try withBytes(3 * byteCount, at: 4096) { bytes in
      let pieces = (0..<3).map {
        UnsafeRawBufferPointer(rebasing: bytes[($0 * byteCount)..<(($0 + 1) * byteCount)])
      }
      try file.write(pieces, at: 4096)
    }
    #expect(pieceCounts.withLock { $0.contains(3) })
    let read = UnsafeMutableRawBufferPointer.allocate(byteCount: 3 * byteCount, alignment: 16)
    defer { read.deallocate() }
    try file.read(read, at: 4096)
    withBytes(3 * byteCount, at: 4096) { #expect($0.elementsEqual(read)) }
  }
}
