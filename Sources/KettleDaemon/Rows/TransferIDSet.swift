import KettleModel

/// A set of ids that are mostly close to each other, as in a list that is processed in order: one
/// word for each 64 consecutive ids, where a plain set of a million would take tens of megabytes.
struct TransferIDSet: Sendable {
  private var words: [Int64: UInt64] = [:]

  func contains(_ id: TransferID) -> Bool {
    let (index, bit) = Self.location(of: id)
    return words[index, default: 0] & bit != 0
  }

  mutating func insert(_ id: TransferID) {
    let (index, bit) = Self.location(of: id)
    words[index, default: 0] |= bit
  }

  /// Returns whether it was there.
  mutating func remove(_ id: TransferID) -> Bool {
    let (index, bit) = Self.location(of: id)
    guard let word = words[index], word & bit != 0 else { return false }
    words[index] = word == bit ? nil : word & ~bit
    return true
  }

  private static func location(of id: TransferID) -> (index: Int64, bit: UInt64) {
    (id.rawValue >> 6, 1 << UInt64(id.rawValue & 63))
  }
}
