/// Human-readable sizes and speeds, in powers of 1024.
package enum ByteText {
  private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

  /// For example `6.3 MiB` or `11 MiB`: one decimal under 10.
  package static func size(_ byteCount: Int64) -> String {
    let scale = Scale(byteCount, decimalsBelow: 10)
    return scale.text(byteCount) + " " + scale.unit
  }

  /// For example `12.1 MiB/s`: one decimal under 100, because a speed is watched as it changes.
  package static func speed(_ bytesPerSecond: Int64) -> String {
    let scale = Scale(bytesPerSecond, decimalsBelow: 100)
    return scale.text(bytesPerSecond) + " " + scale.unit + "/s"
  }

  /// For example `402/659 MiB` or `12.3/20 GiB`, both in the unit of the total. The part is rounded
  /// down, so that it never looks complete too early. From GiB on it always has a decimal, and of a
  /// total from ten units on two at the start: it would otherwise stand still for minutes.
  package static func progress(_ done: Int64, of total: Int64) -> String {
    let scale = Scale(total, decimalsBelow: 10)
    var part = scale
    if total >= 1 << 30 {
      let isSmall = Double(done) * 10 < scale.divisor
      part.decimalCount = scale.decimalCount == 0 && isSmall ? 2 : 1
    }
    return part.text(done, roundingDown: true) + "/" + scale.text(total) + " " + scale.unit
  }

  /// For example `2 MiB/s` or `1.5 MiB/s`: a limit is usually a round number.
  package static func limit(_ bytesPerSecond: Int64) -> String {
    let text = speed(bytesPerSecond)
    guard let point = text.firstIndex(of: "."), text[point...].hasPrefix(".0 ") else { return text }
    return String(text[..<point] + text[point...].dropFirst(2))
  }

  /// For example `1.9/2 MiB/s`, both in the unit of the limit.
  package static func speed(_ bytesPerSecond: Int64, limit: Int64) -> String {
    let scale = Scale(limit, decimalsBelow: 100)
    let most = Self.limit(limit).prefix { $0 != " " }
    return scale.text(bytesPerSecond) + "/" + most + " " + scale.unit + "/s"
  }

  /// For example `1.9 of 2 MiB/s`, both in the unit of the limit. Blanks before the first number
  /// keep the width while the speed is below the limit.
  package static func speed(_ bytesPerSecond: Int64, of limit: Int64) -> String {
    let scale = Scale(limit, decimalsBelow: 100)
    let most = Self.limit(limit).prefix { $0 != " " }
    let number = scale.text(bytesPerSecond)
    let blanks = String(repeating: " ", count: max(0, scale.text(limit).count - number.count))
    return blanks + number + " of " + most + " " + scale.unit + "/s"
  }

  private struct Scale {
    var divisor = 1.0
    var unit = "B"
    var decimalCount = 0

    init(_ byteCount: Int64, decimalsBelow limit: Double) {
      let value = Double(max(0, byteCount))
      var level = 0
      // 1023.6 KiB would be shown as 1024 KiB: it is 1.0 MiB.
      while value / divisor >= 1023.5, level < ByteText.units.count - 1 {
        divisor *= 1024
        level += 1
      }
      unit = ByteText.units[level]
      decimalCount = level > 0 && value / divisor * 10 + 0.5 < limit * 10 ? 1 : 0
    }

    func text(_ byteCount: Int64, roundingDown: Bool = false) -> String {
      // Only a broken service sends more than the total; it must not trap.
      let value = min(Double(max(0, byteCount)) / divisor, 1e15)
      guard value > 0 else { return "0" }
      // The conversion truncates; `rounded()` would need the C math library.
      let half = roundingDown ? 0 : 0.5
      let power = decimalCount == 2 ? 100.0 : decimalCount == 1 ? 10 : 1
      let digits = Int64(value * power + half)
      guard decimalCount > 0, digits > 0 else { return String(digits) }
      let decimals = digits % Int64(power)
      let zero = decimalCount == 2 && decimals < 10 ? "0" : ""
      return "\(digits / Int64(power)).\(zero)\(decimals)"
    }
  }
}
