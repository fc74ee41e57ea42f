import KettleModel

/// The line below the list in which a filter or a search is typed.
package struct QueryField: Hashable, Sendable {
  package enum Purpose: Hashable, Sendable {
    case filter, search
  }

  package let purpose: Purpose
  package internal(set) var line: LineEditor
  /// What was in force when it was opened; leaving goes back to it.
  let earlier: String
  /// Where the cursor was then.
  let startID: TransferID?
  let startIndex: Int
  private let history: [String]
  /// Which entry of the history is shown; the count of them is what is being typed.
  private var recalled: Int
  private var typed = ""

  init(
    _ purpose: Purpose, text: String, earlier: String, startID: TransferID?, startIndex: Int,
    history: InputHistory
  ) {
    self.purpose = purpose
    line = LineEditor(text)
    self.earlier = earlier
    self.startID = startID
    self.startIndex = startIndex
    self.history = history.entries
    recalled = history.entries.count
  }

  package var text: String { line.text }

  /// What is pasted often ends with a line break, or begins with one.
  mutating func insert(_ text: String) -> Bool {
    let lines = text.split(whereSeparator: \.isNewline)
    guard lines.count < 2 else { return false }
    return line.insert(lines.first.map(String.init) ?? "")
  }

  /// Goes back in the history, or forth, and at its end back to what was typed.
  mutating func recall(by step: Int) {
    let next = min(max(recalled + step, 0), history.count)
    guard next != recalled else { return }
    if recalled == history.count { typed = line.text }
    recalled = next
    line = LineEditor(next < history.count ? history[next] : typed)
  }
}
