import KettleModel

/// Ids of which most are near each other, as those of a list that is worked through are: a word
/// for each 64 in a row, where a set of a million would take tens of megabytes.
struct TransferIDSet: Sendable {
  private var words: [Int64: UInt64] = [:]

  func contains(_ id: TransferID) -> Bool {
    let (index, bit) = Self.place(of: id)
    return words[index, default: 0] & bit != 0
  }

  mutating func insert(_ id: TransferID) {
    let (index, bit) = Self.place(of: id)
    words[index, default: 0] |= bit
  }

  /// Answers whether it was there.
  mutating func remove(_ id: TransferID) -> Bool {
    let (index, bit) = Self.place(of: id)
    guard let word = words[index], word & bit != 0 else { return false }
    words[index] = word == bit ? nil : word & ~bit
    return true
  }

  private static func place(of id: TransferID) -> (index: Int64, bit: UInt64) {
    (id.rawValue >> 6, 1 << UInt64(id.rawValue & 63))
  }
}
