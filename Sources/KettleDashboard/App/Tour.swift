import KettleModel

/// The tips that the message line of the demo shows one after the other: which key does what.
enum Tour {
  static let stepMilliseconds: Int64 = 8000

  /// Returns the sentence for the time since the dashboard was opened. While a transfer waits,
  /// every other one says how to answer.
  static func text(_ totals: Totals, afterMilliseconds elapsed: Int64) -> String {
    let turn = Int(clamping: max(0, elapsed) / stepMilliseconds)
    if totals.transferCount > 0, totals.transferCount == totals.finishedCount {
      return Strings.tourEnd
    }
    let steps = Strings.tourSteps
    guard totals.count(.waiting) > 0 else { return steps[turn % steps.count] }
    return turn % 2 == 0 ? Strings.tourQuestion : steps[turn / 2 % steps.count]
  }

  static func millisecondsToNext(afterMilliseconds elapsed: Int64) -> Int64 {
    stepMilliseconds - max(0, elapsed) % stepMilliseconds
  }
}

extension Totals {
  fileprivate var finishedCount: Int {
    let (sum, overflow) = count(.completed).addingReportingOverflow(count(.failed))
    return overflow ? .max : sum
  }
}

extension Strings {
  /// Each fits into 78 columns with the usual keys.
  static let tourSteps = [
    "This is a demo: small files from a server inside Kettle. {help} shows all keys",
    "{down} and {up} move; {details} shows the parts, the connections and what happened",
    "{pause} pauses the download under the cursor, and resumes it",
    "{stop} stops one and keeps its bytes for ten minutes; {undo} takes that back",
    "\"Resuming Without Regret\" loses its connection, and continues where it was",
    "{limit} limits the speed of this download, or of everything",
    "Paste a link or a list of links here to download it; {add} opens the form",
    "{view-menu} shows other columns, and other themes while you move",
    "{command} types a command; {search} finds a name, {filter} shows only what matches",
    "{leave} ends the demo and deletes its files. Closing the terminal does not end it",
  ]
  static let tourQuestion =
    "A server wants something from you: {needs-you} shows what, {new-link} answers"
  static let tourEnd = "That was the demo. {leave} deletes it; then try: kettle get URL"
}
