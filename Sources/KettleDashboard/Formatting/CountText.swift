/// Counts with a comma after each three digits.
package enum CountText {
  /// For example `1,204`.
  package static func text(_ count: Int) -> String {
    let digits = String(count.magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return count < 0 ? "-" + text : text
  }
}

/// Percentages of a total.
package enum PercentageText {
  /// For example `61%`, rounded down; 100 is reserved for complete transfers.
  package static func text(_ done: Int64, of total: Int64, isWhole: Bool) -> String {
    if isWhole { return "100%" }
    return "\(min(99, Int64(fraction(done, of: total) * 100)))%"
  }

  /// Always 0 to 1, whatever the arguments are.
  package static func fraction(_ done: Int64, of total: Int64) -> Double {
    guard total > 0 else { return 0 }
    return min(max(Double(done) / Double(total), 0), 1)
  }
}
