/// A set of bytes of a file, as ranges that neither touch nor overlap.
package struct ByteCoverage: Sendable {
  private var ranges: [Range<Int64>] = []

  package init() {}

  package func overlap(_ other: Range<Int64>) -> Int64 {
    ranges.reduce(0) { $0 + Int64($1.clamped(to: other).count) }
  }

  package mutating func insert(_ new: Range<Int64>) {
    guard !new.isEmpty else { return }
    var merged = new
    var kept: [Range<Int64>] = []
    for range in ranges {
      if range.upperBound < merged.lowerBound || range.lowerBound > merged.upperBound {
        kept.append(range)
      } else {
        merged = min(merged.lowerBound, range.lowerBound)..<max(merged.upperBound, range.upperBound)
      }
    }
    ranges = kept + [merged]
  }
}
