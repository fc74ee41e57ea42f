/// Reads a RATE: bytes a second, with K, M or G for powers of 1024 and decimals allowed.
public enum RateText {
  /// What stands for no limit wherever a rate can stand.
  public static let none = "none"

  /// nil when the text is no rate, or is less than one byte or more than fits.
  public static func parse(_ text: String) -> Int64? {
    var number = text[...]
    var unit: Int64 = 1
    if let last = number.last, let factor = factor(of: last) {
      unit = factor
      number = number.dropLast()
    }
    let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let wholeText = parts.first, let whole = digits(wholeText) else { return nil }
    let (bytes, overflow) = whole.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    guard parts.count == 2 else { return bytes > 0 ? bytes : nil }
    guard let part = fraction(parts[1], of: unit) else { return nil }
    let (sum, sumOverflow) = bytes.addingReportingOverflow(part)
    return sumOverflow || sum == 0 ? nil : sum
  }

  /// The shortest text that reads as exactly this rate.
  public static func text(_ bytesPerSecond: Int64) -> String {
    for letter: Character in ["G", "M", "K"] {
      guard let unit = factor(of: letter), bytesPerSecond >= unit else { continue }
      let (whole, rest) = bytesPerSecond.quotientAndRemainder(dividingBy: unit)
      if rest == 0 { return "\(whole)\(letter)" }
      let (tenths, left) = (rest * 10).quotientAndRemainder(dividingBy: unit)
      if left == 0 { return "\(whole).\(tenths)\(letter)" }
    }
    return "\(bytesPerSecond)"
  }

  private static func factor(of letter: Character) -> Int64? {
    switch letter {
    case "K", "k": 1024
    case "M", "m": 1024 * 1024
    case "G", "g": 1024 * 1024 * 1024
    default: nil
    }
  }

  /// What the digits behind the point are of a unit. Nine digits reach below one byte of a GiB,
  /// and the product of nine digits and a unit fits into 64 bits; more digits change nothing.
  private static func fraction(_ text: Substring, of unit: Int64) -> Int64? {
    guard digits(text.prefix(9)) != nil, text.utf8.allSatisfy(isDigit) else { return nil }
    var numerator: Int64 = 0
    var denominator: Int64 = 1
    for byte in text.utf8.prefix(9) {
      numerator = numerator * 10 + Int64(byte - 48)
      denominator *= 10
    }
    return numerator * unit / denominator
  }

  private static func digits(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
    return Int64(text)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
