/// A text in an argument of a hook that stands for a value: `{path}`.
public enum HookPlaceholder: String, Hashable, Sendable, CaseIterable {
  case event, id, path, url, title, state, session, bytes, error, message, reason

  private var text: String { "{" + rawValue + "}" }

  /// Whether a text contains a placeholder.
  static func isIn(_ text: String) -> Bool {
    allCases.contains { text.contains($0.text) }
  }

  /// Returns the text with the values in place of the placeholders. Other braces stay as they are,
  /// and so do braces within a value.
  public static func fill(_ text: String, _ value: (HookPlaceholder) -> String) -> String {
    var result = ""
    var rest = text[...]
    while let brace = rest.firstIndex(of: "{") {
      result += rest[..<brace]
      rest = rest[brace...]
      let name = rest.dropFirst().prefix { $0 != "}" && $0 != "{" }
      if let placeholder = HookPlaceholder(rawValue: String(name)),
        rest.hasPrefix(placeholder.text)
      {
        result += value(placeholder)
        rest = rest.dropFirst(placeholder.text.count)
      } else {
        result += "{"
        rest = rest.dropFirst()
      }
    }
    return result + rest
  }
}
