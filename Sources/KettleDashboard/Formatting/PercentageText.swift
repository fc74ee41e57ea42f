/// Percentages of a total.
package enum PercentageText {
  /// For example `61 %`, rounded down; 100 is reserved for complete transfers.
  package static func text(_ done: Int64, of total: Int64, isWhole: Bool) -> String {
    if isWhole { return "100 %" }
    return "\(min(99, Int64(fraction(done, of: total) * 100))) %"
  }

  /// Always 0 to 1, whatever the arguments are.
  package static func fraction(_ done: Int64, of total: Int64) -> Double {
    guard total > 0 else { return 0 }
    return min(max(Double(done) / Double(total), 0), 1)
  }
}
