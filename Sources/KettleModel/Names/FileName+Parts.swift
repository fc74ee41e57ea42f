extension FileName {
  /// No common extension is longer; anything longer is a sentence with a dot in it.
  private static let extensionByteCountMax = 16

  /// Splits a name into a stem, which may be numbered or cut, and a suffix, which must stay:
  /// `a.tar.gz` is `a` and `.tar.gz`; `.profile` and `Version 1.2` have no extension.
  package static func parts(of name: String) -> (stem: String, suffix: String) {
    guard let dot = extensionDot(in: name[...]) else { return (name, "") }
    let stem = name[..<dot]
    if let innerDot = extensionDot(in: stem), stem[innerDot...].lowercased() == ".tar" {
      return (String(stem[..<innerDot]), String(name[innerDot...]))
    }
    return (String(stem), String(name[dot...]))
  }

  private static func extensionDot(in name: Substring) -> String.Index? {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
    let letters = name[dot...].dropFirst()
    guard letters.utf8.count < extensionByteCountMax, letters.contains(where: \.isLetter),
      !letters.contains(where: \.isWhitespace)
    else { return nil }
    return dot
  }

  /// What may be added to a name: a number, and the suffix of the partial file.
  package static let addedByteCountMax = " (\(numberMax))".utf8.count + partialSuffix.utf8.count

  /// Cuts the stem of a name that is too long; the extension stays while there is room for it.
  package static func cut(_ name: String, toFit byteCountMax: Int) -> String {
    guard name.utf8.count > byteCountMax else { return name }
    let (stem, suffix) = parts(of: name)
    let room = byteCountMax - suffix.utf8.count
    return room > 0
      ? cut(stem, toByteCount: room) + suffix : cut(name, toByteCount: max(1, byteCountMax))
  }

  /// The start of a text, at most `limit` bytes of UTF-8, cut between two characters.
  package static func cut(_ text: String, toByteCount limit: Int) -> String {
    guard text.utf8.count > limit else { return text }
    var kept = ""
    var byteCount = 0
    for character in text {
      byteCount += character.utf8.count
      if byteCount > limit { break }
      kept.append(character)
    }
    if kept.isEmpty { return cutInsideCharacter(text, toByteCount: limit) }
    return kept
  }

  /// A letter with hundreds of accents is one character and longer than any name may be.
  private static func cutInsideCharacter(_ text: String, toByteCount limit: Int) -> String {
    var kept = ""
    var byteCount = 0
    for scalar in text.unicodeScalars {
      byteCount += scalar.utf8.count
      if byteCount > limit { break }
      kept.unicodeScalars.append(scalar)
    }
    return kept
  }
}
