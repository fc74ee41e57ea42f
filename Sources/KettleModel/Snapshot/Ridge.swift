/// How fast each part of a file arrived, in equal parts from the first byte to the last.
///
///     if let ridge = snapshot.ridge { print(ridge.levels(count: 20)) }
public struct Ridge: Hashable, Sendable {
  /// For each part 0 if it has not arrived, otherwise its speed from 1 to `levelMax`, as a share of
  /// the fastest part.
  public private(set) var parts: [UInt8]

  public static let levelMax: UInt8 = 8
  static let partCount = 48

  init(parts: [UInt8]) { self.parts = parts }

  /// Returns the levels of `count` parts. A part that has not arrived as a whole is lower.
  public func levels(count: Int) -> [UInt8] {
    guard count > 0, !parts.isEmpty else { return [] }
    return (0..<count).map { index in
      let lower = index * parts.count / count
      let upper = max(lower + 1, (index + 1) * parts.count / count)
      let covered = parts[min(lower, parts.count - 1)..<min(upper, parts.count)]
      let sum = covered.reduce(0) { $0 + Int($1) }
      return UInt8((sum + covered.count - 1) / covered.count)
    }
  }
}

extension Ridge: Codable {
  /// A digit for each part.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(parts.map { String(min($0, Self.levelMax)) }.joined())
  }

  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    self.init(
      parts: text.utf8.prefix(1000).map { $0 >= 48 && $0 <= 56 ? $0 - 48 : 0 })
  }
}

/// The speeds of the parts of a file while it arrives.
package struct ArrivalSpeeds: Sendable, Hashable {
  /// The mean speed of each part in bytes per second; 0 if unknown.
  private var speeds = [Double](repeating: 0, count: Ridge.partCount)
  private var total: Int64 = 0

  package init() {}

  /// Records that a range arrived at a speed.
  package mutating func record(_ range: ByteRange, bytesPerSecond: Int64, total: Int64) {
    guard total > 0, bytesPerSecond > 0, !range.isEmpty else { return }
    if total != self.total { (self, self.total) = (ArrivalSpeeds(), total) }
    let part = Double(total) / Double(Ridge.partCount)
    // Before the conversion: a range can end far behind the file.
    let end = Double(Ridge.partCount - 1)
    let first = Int(min(Double(range.lower) / part, end))
    let last = Int(min(Double(range.upper - 1) / part, end))
    for index in first...last {
      // Later bytes of a part count more: the part is drawn while it grows.
      let known = speeds[index]
      speeds[index] = known > 0 ? (known + Double(bytesPerSecond)) / 2 : Double(bytesPerSecond)
    }
  }

  /// Returns the ridge of a file of which these ranges have arrived. Parts whose speed is unknown
  /// have half of the height.
  package func ridge(_ arrived: ByteRangeSet, total: Int64) -> Ridge? {
    guard total > 0, !arrived.isEmpty else { return nil }
    let speeds = total == self.total ? self.speeds : ArrivalSpeeds().speeds
    let fastest = speeds.max() ?? 0
    let part = Double(total) / Double(Ridge.partCount)
    var covered = [Double](repeating: 0, count: Ridge.partCount)
    for range in arrived.ranges {
      let lower = min(Double(range.lower) / part, Double(Ridge.partCount))
      let upper = min(Double(range.upper) / part, Double(Ridge.partCount))
      for index in Int(lower)..<max(Int(lower), min(Ridge.partCount, Int(upper) + 1)) {
        covered[index] += min(upper, Double(index + 1)) - max(lower, Double(index))
      }
    }
    let parts = zip(covered, speeds).map { covered, speed -> UInt8 in
      guard covered > 0 else { return 0 }
      let share = speed > 0 && fastest > 0 ? speed / fastest : 0.5
      return 1 + UInt8(min(1, share * min(1, covered)) * Double(Ridge.levelMax - 1))
    }
    return Ridge(parts: parts)
  }
}
