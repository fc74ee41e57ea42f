/// A line of text in which earlier entries can be recalled.
struct RecallingLine: Hashable, Sendable {
  var editor: LineEditor
  private let history: [String]
  /// The index of the history entry that is shown; the number of entries stands for the typed text.
  private var recalled: Int
  private var typed = ""

  init(_ text: String, history: InputHistory) {
    editor = LineEditor(text)
    self.history = history.entries
    recalled = history.entries.count
  }

  var text: String { editor.text }

  /// Moves backward or forward in the history; after the newest entry comes the typed text.
  mutating func recall(by step: Int) {
    let next = min(max(recalled + step, 0), history.count)
    guard next != recalled else { return }
    if recalled == history.count { typed = editor.text }
    recalled = next
    editor = LineEditor(next < history.count ? history[next] : typed)
  }
}
