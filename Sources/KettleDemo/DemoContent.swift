/// The bytes of a demo file. Each is a function of the item and its offset: nothing is stored, any
/// range can be regenerated, and a test can detect a wrong byte.
///
/// A file is a PDF with one page that describes it, around noise in a stream that no page shows.
package struct DemoContent: Sendable {
  package let byteCount: Int64
  private let head: [UInt8]
  private let tail: [UInt8]
  private let seed: UInt64

  package init(_ item: DemoItem) {
    byteCount = max(0, item.byteCount)
    // FNV-1a of the name, so that no two files have the same noise.
    seed = item.fileName.utf8.reduce(0xCBF2_9CE4_8422_2325) {
      ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
    }
    // Offsets have a fixed width, so the size of a document without noise determines how much fits.
    let empty = DemoDocument(title: item.title, noiseByteCount: 0)
    let noise = byteCount - Int64(empty.head.count + empty.tail.count)
    let document = DemoDocument(title: item.title, noiseByteCount: max(0, noise))
    head = noise >= 0 ? document.head : []
    tail = noise >= 0 ? document.tail : []
  }

  /// Returns the bytes of `range`, clamped to the file.
  package func bytes(in range: Range<Int64>) -> [UInt8] {
    let wanted = range.clamped(to: 0..<byteCount)
    return [UInt8](unsafeUninitializedCapacity: wanted.count) { buffer, count in
      var offset = wanted.lowerBound
      while offset < wanted.upperBound {
        let index = Int(offset - wanted.lowerBound)
        if isNoise(offset), offset & 7 == 0, isNoise(offset + 7), wanted.contains(offset + 7) {
          let word = noiseWord(at: offset).littleEndian
          UnsafeMutableRawBufferPointer(buffer).storeBytes(
            of: word, toByteOffset: index, as: UInt64.self)
          offset += 8
        } else {
          buffer[index] = byte(at: offset)
          offset += 1
        }
      }
      count = wanted.count
    }
  }

  private func isNoise(_ offset: Int64) -> Bool {
    offset >= Int64(head.count) && offset < byteCount - Int64(tail.count)
  }

  private func byte(at offset: Int64) -> UInt8 {
    if isNoise(offset) {
      return UInt8(truncatingIfNeeded: noiseWord(at: offset) >> UInt64((offset & 7) * 8))
    }
    if offset < Int64(head.count) { return head[Int(offset)] }
    return tail[Int(offset - (byteCount - Int64(tail.count)))]
  }

  /// The finalizer of SplitMix64, a good hash of a counter; one word contains eight bytes of noise.
  private func noiseWord(at offset: Int64) -> UInt64 {
    var value = (seed &+ UInt64(offset >> 3)) &* 0x9E37_79B9_7F4A_7C15
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
