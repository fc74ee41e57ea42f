import KettleModel

/// A line that shows which parts of a file are durable.
package enum HeldMap {
  /// A cell counts as durable only when all of it is.
  package static func text(
    _ held: ByteRangeSet, total: Int64, width: Int, _ glyphs: GlyphSet
  ) -> String {
    cells(held, total: total, count: width)
      .map { $0 ? glyphs.heldCell : glyphs.missingCell }.joined()
  }

  /// Returns which of `count` equal parts of a file are durable.
  package static func cells(_ held: ByteRangeSet, total: Int64, count: Int) -> [Bool] {
    guard total > 0, count > 0 else { return [] }
    var covered = Array(repeating: 0.0, count: count)
    let bytesPerCell = Double(total) / Double(count)
    for range in held.ranges {
      let lower = min(Double(range.lower) / bytesPerCell, Double(count))
      let upper = min(Double(range.upper) / bytesPerCell, Double(count))
      for cell in Int(lower)..<max(Int(lower), min(count, Int(upper) + 1)) {
        covered[cell] += min(upper, Double(cell + 1)) - max(lower, Double(cell))
      }
    }
    return covered.map { $0 > 0.999_999 }
  }
}
