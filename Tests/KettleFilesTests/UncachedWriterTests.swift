import Glibc
import KettleEngine
import KettleModel
import KettleSystem
import Testing
import TestSupport

@testable import KettleFiles

/// Writes that bypass the page cache, and the fallback if the disk refuses them.
struct UncachedWriterTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  /// Memory with the same alignment as the bytes have in the file.
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
  func `the uncached part consists of complete pages at any offset`(
    offset: Int64, byteCount: Int, part: Range<Int>?
  ) {
    withBytes(byteCount, at: offset) {
      #expect(UncachedWriter.part(of: $0, at: offset) == part)
    }
  }

  @Test func `misaligned memory has no uncached part`() {
    withBytes(1 << 20, at: 512) { #expect(UncachedWriter.part(of: $0, at: 0) == nil) }
  }

  @Test(arguments: [nil, EINVAL, EOPNOTSUPP])
  func `the file has all bytes with and without uncached writes`(refusal: Int32?) throws {
    let own = Mutex<Int32?>(nil)
    let refusedCount = Mutex(0)
    var calls = FileCalls()
    calls.write = { descriptor, bytes, offset in
      // The first bytes are too few for the uncached descriptor.
      let isOwn = own.withLock { own in
        own = own ?? descriptor
        return own == descriptor
      }
      guard isOwn || refusal == nil else {
        refusedCount.withLock { $0 += 1 }
        errno = refusal ?? 0
        return -1
      }
      return pwrite(descriptor, bytes.baseAddress, bytes.count, offset)
    }
    let storage = POSIXFileStorage(documentsDirectory: scratch.path, calls: calls)
    let file = try storage.createPartialFile(
      in: scratch.path, preferredName: "a", onConflict: .rename)
    let pieces: [(Int64, Int)] = [(0, 100), (100, 1 << 20), (1_048_676, 500_000)]
    for (offset, byteCount) in pieces {
      try withBytes(byteCount, at: offset) { try file.write($0, at: offset) }
    }
    _ = try file.sync()
    // One refusal is enough, and some file systems are known in advance.
    #expect(refusedCount.withLock { $0 } <= 1)
    for (offset, byteCount) in pieces {
      let read = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
      defer { read.deallocate() }
      try file.read(read, at: offset)
      withBytes(byteCount, at: offset) { #expect($0.elementsEqual(read)) }
    }
  }
}
