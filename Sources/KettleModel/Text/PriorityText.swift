/// Parses a priority: `low`, `normal`, `high`, or a number from 0 to 1.
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
}
