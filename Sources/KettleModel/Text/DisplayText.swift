extension Unicode.Scalar {
  /// C0, DEL and C1: what a terminal would obey and not show.
  public var isControl: Bool { value < 32 || (127...159).contains(value) }

  /// Changes how the text around it is shown without showing anything itself: bidirectional
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
  /// The text with everything replaced that a terminal would obey or that would hide or reorder
  /// what stands beside it, cut to `limit` characters. Text from outside is shown only like this.
  public func sanitizedForDisplay(limit: Int = 1024) -> String {
    var result = ""
    var count = 0
    for character in self {
      guard count < limit else { return result + "…" }
      // A cluster of very many combining marks is one character and any number of bytes.
      for scalar in character.unicodeScalars.prefix(8) {
        result.unicodeScalars.append(scalar.isControl || scalar.isInvisible ? "\u{FFFD}" : scalar)
      }
      count += 1
    }
    return result
  }

  func trimmingBlanks() -> String {
    let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" }
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !isBlank($0) }),
      let last = scalars.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(scalars[first...last])
  }
}
