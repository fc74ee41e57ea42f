import KettleDashboard
import KettleModel

/// Text in terminal columns, where a character is zero, one or two columns wide.
enum ColumnText {
  static func width(of text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + DisplayWidth.columns(of: $1) }
  }

  /// Returns the text cut to `columns`, with `…` in place of the rest.
  static func clipped(_ text: String, to columns: Int) -> String {
    guard width(of: text) > columns else { return text }
    guard columns > 0 else { return "" }
    var result = ""
    var room = columns - 1
    for character in text {
      let size = width(of: String(character))
      guard size <= room else { break }
      result.append(character)
      room -= size
    }
    return result + "…"
  }

  static func left(_ text: String, _ columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - width(of: text)))
  }

  static func right(_ text: String, _ columns: Int) -> String {
    String(repeating: " ", count: max(0, columns - width(of: text))) + text
  }
}
