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
    if utf8.count <= limit, utf8.allSatisfy({ (32...126).contains($0) }) { return self }
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

/// Finds the word that was probably meant.
package enum NearestWord {
  /// Returns the known word that differs least from `word`; nil when none is close.
  package static func of(_ word: String, in known: [String]) -> String? {
    // A long word is far from every name, and the edit distance of a long text is slow to compute.
    guard word.count <= 60 else { return nil }
    let distances = known.map { ($0, editDistance(Array(word.lowercased()), Array($0))) }
    guard let best = distances.min(by: { $0.1 < $1.1 }), best.1 <= 2 else { return nil }
    return best.0
  }

  /// The Levenshtein distance: how many letters to insert, delete or replace.
  private static func editDistance(_ left: [Character], _ right: [Character]) -> Int {
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let cost = letter == right[column] ? diagonal : diagonal + 1
        diagonal = row[column + 1]
        row[column + 1] = min(cost, row[column] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}

/// Detects text that must not be displayed.
package enum SecretText {
  private static let names: Set<String> = [
    "authorization", "cookie", "set-cookie", "proxy-authorization",
  ]
  private static let nameParts = ["token", "secret", "password", "api-key", "apikey", "session"]

  /// Whether the values of headers with this name must not be displayed.
  package static func isSecret(headerName: some StringProtocol) -> Bool {
    let name = headerName.lowercased()
    return names.contains(name) || nameParts.contains { name.contains($0) }
  }

  /// The range of the password in `https://user:password@host/`; nil if there is none.
  package static func passwordRange(
    inURL characters: [Character], _ range: Range<Int>
  ) -> Range<Int>? {
    let range = range.clamped(to: characters.indices)
    guard
      let slashes = range.dropLast().first(where: { slash in
        characters[slash] == "/" && slash + 1 < range.upperBound && characters[slash + 1] == "/"
      })
    else {
      return nil
    }
    let rest = (slashes + 2)..<range.upperBound
    let end = rest.first { "/?#".contains(characters[$0]) } ?? rest.upperBound
    guard let at = (rest.lowerBound..<end).last(where: { characters[$0] == "@" }),
      let colon = (rest.lowerBound..<at).first(where: { characters[$0] == ":" })
    else { return nil }
    return (colon + 1)..<at
  }
}
