import Glibc
import KettleEngine

/// Texts to be sorted, in one block of memory.
struct TextColumn {
  private var bytes: [UInt8] = []
  /// The end offset of each text.
  private var ends: [Int] = []
  /// If true, bytes can be compared, which is many times faster.
  private var isASCII = true

  var count: Int { ends.count }

  mutating func append(_ text: String) {
    if isASCII { isASCII = text.utf8.allSatisfy { $0 < 0x80 } }
    bytes += text.utf8
    ends.append(bytes.count)
  }

  private func range(_ index: Int) -> Range<Int> {
    (index > 0 ? ends[index - 1] : 0)..<ends[index]
  }

  subscript(index: Int) -> String { String(decoding: bytes[range(index)], as: UTF8.self) }

  /// Returns a negative, zero or positive number, as the first text sorts relative to the second.
  func comparison(_ one: Int, _ other: Int) -> Int {
    guard isASCII else {
      let (one, other) = (self[one], self[other])
      return one == other ? 0 : one < other ? -1 : 1
    }
    let (one, other) = (range(one), range(other))
    let difference = bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return CInt(0) }
      return memcmp(
        start + one.lowerBound, start + other.lowerBound, min(one.count, other.count))
    }
    return difference != 0 ? Int(difference) : one.count - other.count
  }
}
