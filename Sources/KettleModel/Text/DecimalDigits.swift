/// Numbers that consist of digits only, without sign and blanks.
package enum DecimalDigits {
  /// Returns nil if the text has other characters or more than 19 digits, or does not fit.
  package static func int64(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.count <= 19, text.utf8.allSatisfy({ (48...57).contains($0) })
    else { return nil }
    return Int64(text)
  }
}
