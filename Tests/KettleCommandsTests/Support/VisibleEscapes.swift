/// Returns the text with each SGR sequence as words: `<bold cyan>` begins a style, `</>` ends it.
func visible(_ text: String) -> String {
  let words = [
    "0": "/", "1": "bold", "2": "dim", "4": "underline", "31": "red", "32": "green",
    "33": "yellow", "36": "cyan",
  ]
  let parts = text.split(separator: "\u{1B}[", omittingEmptySubsequences: false)
  return parts.dropFirst().reduce(into: String(parts.first ?? "")) { result, part in
    let sequence = part.prefix { $0 != "m" }
    let styles = sequence.split(separator: ";").map { words[String($0)] ?? "?\($0)" }
    result += "<" + styles.joined(separator: " ") + ">" + part.dropFirst(sequence.count + 1)
  }
}

/// Returns the text without what `visible` put into it.
func withoutStyles(_ text: String) -> String {
  text.replacing(/<[a-z ]*>|<\/>/, with: "")
}
