import TransferModel

/// A line that shows which parts of a file are there.
package enum HeldMap {
  /// A cell counts as held only when all of it is.
  package static func text(
    _ held: HeldRanges, total: Int64, width: Int, _ glyphs: GlyphSet
  ) -> String {
    guard total > 0, width > 0 else { return "" }
    var covered = Array(repeating: 0.0, count: width)
    let bytesPerCell = Double(total) / Double(width)
    for range in held.ranges {
      let lower = min(Double(range.lower) / bytesPerCell, Double(width))
      let upper = min(Double(range.upper) / bytesPerCell, Double(width))
      for cell in Int(lower)..<max(Int(lower), min(width, Int(upper) + 1)) {
        covered[cell] += min(upper, Double(cell + 1)) - max(lower, Double(cell))
      }
    }
    return covered.map { $0 > 0.999_999 ? glyphs.heldCell : glyphs.missingCell }.joined()
  }
}
