import SeededNumbers

/// A random edit of the log of a store.
enum LogDamage: CaseIterable {
  case flippedBits, zeroFill, cutOff, deleted, swappedFrames

  private static let headerByteCount = 32
  private static let frameByteCount = 24 + StoreMutation.pageByteCount

  func applied(to log: [UInt8], _ random: inout SeededGenerator) -> [UInt8]? {
    switch self {
    case .flippedBits: return StoreMutation.flippedBits.applied(to: log, &random)
    case .zeroFill: return StoreMutation.zeroFill.applied(to: log, &random)
    case .cutOff: return StoreMutation.cutOff.applied(to: log, &random)
    case .deleted: return nil
    case .swappedFrames:
      let count = (log.count - Self.headerByteCount) / Self.frameByteCount
      let one = Self.frame(Int.random(in: 0..<count, using: &random))
      let other = Self.frame(Int.random(in: 0..<count, using: &random))
      var swapped = log
      swapped.replaceSubrange(one, with: log[other])
      swapped.replaceSubrange(other, with: log[one])
      return swapped
    }
  }

  private static func frame(_ number: Int) -> Range<Int> {
    let start = headerByteCount + number * frameByteCount
    return start..<start + frameByteCount
  }
}
