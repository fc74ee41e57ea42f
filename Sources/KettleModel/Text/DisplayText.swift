extension Unicode.Scalar {
  /// Whether it is a C0 control, DEL or a C1 control, which a terminal executes instead of showing.
  public var isControl: Bool { value < 32 || (127...159).contains(value) }

  /// Whether it affects how the surrounding text is displayed without being visible: bidirectional
  /// controls, zero-width characters, tags, line and paragraph separators.
  public var isInvisible: Bool {
    switch value {
    case 0x00AD, 0x061C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
      0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
      true
    default: false
    }
  }
}

extension String {
  /// Replaces control and invisible characters and truncates to `limit` characters. All text from
  /// outside is displayed in this form.
  public func sanitizedForDisplay(limit: Int = 1024) -> String {
    var result = ""
    var count = 0
    for character in self {
      guard count < limit else { return result + "…" }
      // A character can have any number of combining marks.
      for scalar in character.unicodeScalars.prefix(8) {
        result.unicodeScalars.append(scalar.isControl || scalar.isInvisible ? "\u{FFFD}" : scalar)
      }
      count += 1
    }
    return result
  }

  package func trimmingBlanks() -> String {
    let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" }
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !isBlank($0) }),
      let last = scalars.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(scalars[first...last])
  }
}
