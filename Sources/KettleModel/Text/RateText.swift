/// Parses and formats a RATE: bytes per second, with decimals and a unit.
///
/// K, M and G are powers of 1024, and so are KiB, MiB and GiB. KB, MB and GB are powers of 1000.
/// `/s` may follow, so that every speed that Kettle prints is a rate.
public enum RateText {
  /// The text for "no limit", accepted in place of a rate.
  public static let none = "none"

  /// Returns nil if the text is not a rate, is less than one byte per second or does not fit.
  public static func parse(_ text: String) -> Int64? {
    let number = text.prefix { isDigitOrPoint($0) }
    guard let unit = factor(ofUnit: text[number.endIndex...]) else { return nil }
    let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let wholeText = parts.first, let whole = DecimalDigits.int64(wholeText) else {
      return nil
    }
    let (bytes, overflow) = whole.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    guard parts.count == 2 else { return bytes > 0 ? bytes : nil }
    guard let part = fraction(parts[1], of: unit) else { return nil }
    let (sum, sumOverflow) = bytes.addingReportingOverflow(part)
    return sumOverflow || sum == 0 ? nil : sum
  }

  /// Like `parse`, for what a person types: a few bytes per second without a unit are a slip.
  package static func typed(_ text: String) -> Int64? {
    guard let rate = parse(text), rate >= 1024 || text.last?.isLetter == true else { return nil }
    return rate
  }

  /// The shortest text that parses as exactly this rate.
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

  private static func isDigitOrPoint(_ character: Character) -> Bool {
    character == "." || character.isASCII && character.isWholeNumber
  }

  /// - Parameter text: What follows the number; blanks may precede the unit.
  private static func factor(ofUnit text: Substring) -> Int64? {
    var unit = text.drop { $0 == " " }
    if unit.lowercased().hasSuffix("/s") { unit = unit.dropLast(2) }
    guard let letter = unit.first else { return text.hasPrefix(" ") ? nil : 1 }
    switch unit.dropFirst() {
    case "": return letter == "B" || letter == "b" ? 1 : factor(of: letter)
    case "iB", "IB", "ib": return factor(of: letter)
    case "B": return decimalFactor(of: letter)
    // "Mb" is the sign of megabits.
    case "b": return letter.isLowercase ? decimalFactor(of: letter) : nil
    default: return nil
    }
  }

  private static func decimalFactor(of letter: Character) -> Int64? {
    switch letter {
    case "K", "k": 1000
    case "M", "m": 1_000_000
    case "G", "g": 1_000_000_000
    default: nil
    }
  }

  private static func factor(of letter: Character) -> Int64? {
    switch letter {
    case "K", "k": 1024
    case "M", "m": 1024 * 1024
    case "G", "g": 1024 * 1024 * 1024
    default: nil
    }
  }

  /// Converts the digits after the decimal point to bytes. Nine digits resolve less than one byte
  /// per GiB and do not overflow when multiplied by the unit, so further digits are ignored.
  private static func fraction(_ text: Substring, of unit: Int64) -> Int64? {
    guard DecimalDigits.int64(text.prefix(9)) != nil, text.utf8.allSatisfy(isDigit) else {
      return nil
    }
    var numerator: Int64 = 0
    var denominator: Int64 = 1
    for byte in text.utf8.prefix(9) {
      numerator = numerator * 10 + Int64(byte - 48)
      denominator *= 10
    }
    return numerator * unit / denominator
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}

/// Parses and formats a priority: `low`, `normal`, `high`, or a number from 0 to 1.
package enum PriorityText {
  package static func parse(_ text: String) -> TransferPriority? {
    switch text {
    case "low": return .low
    case "normal": return .normal
    case "high": return .high
    default:
      // Double also accepts "nan", "inf" and "0x1p-1".
      guard text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }) else { return nil }
      return Double(text).flatMap { TransferPriority($0) }
    }
  }

  package static func text(_ priority: TransferPriority) -> String {
    switch priority {
    case .low: "low"
    case .normal: "normal"
    case .high: "high"
    default: "\(priority.value)"
    }
  }
}
