import KettleDashboard
import KettleModel

/// Sentences about finished files and their bytes.
extension Sentences {
  static func compared(_ row: TransferSnapshot, _ check: FileCheck) -> String {
    let title = row.shownTitle.sanitizedForDisplay(limit: 200)
    return "\(row.id)  \(title): \(FileCheckWords.text(check, size: row.bytesExpected))"
  }

  /// The summary of several comparisons.
  static func compared(
    _ count: Int, _ counts: [FileCheck.Finding: Int], refusedCount: Int
  ) -> String {
    let findings: [(FileCheck.Finding, String)] = [
      (.intact, "intact"), (.unproved, "with nothing to compare"), (.damaged, "damaged"),
      (.edited, "edited"), (.missing, "missing"), (.unreadable, "unreadable"),
    ]
    var parts = findings.compactMap { finding, word in
      counts[finding].map { "\(CountText.text($0)) \(word)" }
    }
    if refusedCount > 0 { parts.append("\(CountText.text(refusedCount)) without a file") }
    let files = count == 1 ? "1 file" : CountText.text(count) + " files"
    return "Compared \(files): " + (parts.isEmpty ? "none" : parts.joined(separator: ", "))
  }

  static func comparing(
    _ id: TransferID, upTo byteCount: Int64, number: Int, of count: Int
  ) -> String {
    let place = count > 1 ? " (file \(number) of \(count))" : ""
    return "Comparing \(id): \(ByteText.size(byteCount))\(place)"
  }

  static func repairing(_ id: TransferID, by repair: TransferID) -> String {
    "Repairing \(id): transfer \(repair) fetches the damaged bytes"
  }

  static func notRepaired(_ id: TransferID, _ failure: TransferFailure) -> String {
    "Transfer \(id) is not repaired: \(failure.sentence)"
  }

  static func nothingToCompare(_ id: TransferID) -> String {
    "Transfer \(id) has no finished file of Kettle's to compare"
  }
}
