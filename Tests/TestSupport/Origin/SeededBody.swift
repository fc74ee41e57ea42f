import Glibc

/// A file defined by a formula: byte `offset` depends only on the seed and the offset, so any part
/// of any length is available and no two parts are equal.
package struct SeededBody: Hashable, Sendable {
  package var seed: UInt64
  package var byteCount: Int64

  package init(seed: UInt64, byteCount: Int64) {
    self.seed = seed
    self.byteCount = byteCount
  }

  package func bytes(in range: Range<Int64>) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
      fill(UnsafeMutableRawBufferPointer(buffer), from: range.lowerBound)
      count = range.count
    }
  }

  package var bytes: [UInt8] { bytes(in: 0..<byteCount) }

  /// Fills `buffer` with the bytes from `offset`.
  package func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: Int64) {
    // Mixed first; otherwise the body of the next seed would be this one, shifted by eight bytes.
    let base = Self.word(seed)
    var position = 0
    var next = UInt64(offset)
    position = fillWords(buffer, from: next, base)
    next += UInt64(position)
    while position < buffer.count {
      let word = Self.word(base &+ next / 8)
      let skipped = Int(next % 8)
      if skipped == 0, buffer.count - position >= 8 {
        buffer.storeBytes(of: word.littleEndian, toByteOffset: position, as: UInt64.self)
        position += 8
        next += 8
      } else {
        buffer[position] = UInt8(truncatingIfNeeded: word >> (8 * UInt64(skipped)))
        position += 1
        next += 1
      }
    }
  }

  /// Fills the complete words of an aligned start, which is nearly all of a long file. It uses a
  /// pointer, because a test spends most of its time here. Returns the number of filled bytes.
  private func fillWords(
    _ buffer: UnsafeMutableRawBufferPointer, from offset: UInt64, _ base: UInt64
  ) -> Int {
    guard offset % 8 == 0, let start = buffer.baseAddress, UInt(bitPattern: start) % 8 == 0 else {
      return 0
    }
    let count = buffer.count / 8
    let words = start.assumingMemoryBound(to: UInt64.self)
    let first = base &+ offset / 8
    var index = 0
    while index < count {
      words[index] = Self.word(first &+ UInt64(index)).littleEndian
      index += 1
    }
    return count * 8
  }

  /// The offset of the first byte that differs from the body; nil if none does.
  package func firstDifference(in bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int64? {
    let right = self.bytes(in: offset..<offset + Int64(bytes.count))
    guard let start = bytes.baseAddress else { return nil }
    if memcmp(right, start, bytes.count) == 0 { return nil }
    return zip(right, bytes).enumerated().first { $1.0 != $1.1 }.map { offset + Int64($0.offset) }
  }

  /// The finalizer of SplitMix64 (Steele, Lea and Flood 2014): neighbouring inputs give unrelated
  /// outputs.
  private static func word(_ input: UInt64) -> UInt64 {
    var value = input &* 0x9E37_79B9_7F4A_7C15
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
