/// A MIME type such as `application/pdf`, or all of a kind: `video/*`.
package struct MediaTypePattern: Hashable, Sendable {
  /// In lower case.
  package let text: String
  /// The type with its slash, for a pattern that ends in `/*`.
  private let kind: String?

  /// Returns nil if the text is not a type and a subtype, each a token (RFC 9110, section 8.3.1).
  package init?(_ text: String) {
    let parts = text.lowercased().split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let type = parts.first, let subtype = parts.last,
      Self.isToken(type), !type.contains("*"),
      subtype == "*" || Self.isToken(subtype) && !subtype.contains("*")
    else { return nil }
    self.text = text.lowercased()
    kind = subtype == "*" ? type + "/" : nil
  }

  /// - Parameter type: without parameters, in any case.
  package func matches(_ type: String) -> Bool {
    let type = type.lowercased()
    return kind.map(type.hasPrefix) ?? (type == text)
  }

  private static func isToken(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(HeaderField.isTokenByte)
  }
}
