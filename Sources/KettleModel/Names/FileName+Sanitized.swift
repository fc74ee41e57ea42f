extension FileName {
  /// Makes a safe path component from untrusted text; nil when nothing of it is left.
  ///
  /// Bad characters are replaced by `_` and not removed, so that different names stay different
  /// more often, and so that the pieces cannot form something new (`....//`).
  package static func sanitized(_ text: String) -> String? {
    var name = replacingForbidden(in: lastSegment(of: text))
    name = trimmingEnd(name)
    name = replacingLeading(name)
    if isReservedOnWindows(name) { name = "_" + name }
    name = shortened(name)
    return name.contains { !"_. ".contains($0) } ? name : nil
  }

  /// The text after the last separator of any system (RFC 6266, section 4.3): to the program that
  /// opens the file next, `..\..\x` may be a path too.
  private static func lastSegment(of text: String) -> Substring.UnicodeScalarView {
    let scalars = text.unicodeScalars
    guard let separator = scalars.lastIndex(where: { $0 == "/" || $0 == "\\" }) else {
      return scalars[...]
    }
    return scalars[scalars.index(after: separator)...]
  }

  private static func replacingForbidden(in scalars: Substring.UnicodeScalarView) -> String {
    var name = ""
    var isAfterBlank = false
    for scalar in scalars {
      let isBlank = scalar.properties.isWhitespace && !scalar.isControl
      // A run of blanks hides the true extension: `invoice.pdf      .exe`.
      if isBlank && isAfterBlank { continue }
      isAfterBlank = isBlank
      name.unicodeScalars.append(isForbidden(scalar) ? "_" : scalar)
    }
    return name
  }

  /// Control characters, characters that hide or reorder text, replacements for invalid bytes, and
  /// what FAT, exFAT and NTFS refuse: files are copied to memory sticks.
  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isControl || scalar.isInvisible { return true }
    switch scalar {
    case "\"", "*", ":", "<", ">", "?", "|", "\u{FFFD}": return true
    default:
      // Private use has no meaning here; the last two code points of each plane are no characters.
      return scalar.properties.generalCategory == .privateUse || scalar.value & 0xFFFE == 0xFFFE
        || (0xFDD0...0xFDEF).contains(scalar.value)
    }
  }

  /// Windows and many programs drop trailing dots and blanks, and then mean another file.
  private static func trimmingEnd(_ name: String) -> String {
    var scalars = name.unicodeScalars[...]
    while let last = scalars.last, last == "." || last.properties.isWhitespace {
      scalars.removeLast()
    }
    return String(String.UnicodeScalarView(scalars))
  }

  /// A leading dot hides the file and may make it a configuration file (`.bashrc`), a dash makes it
  /// an option of the next command, and a tilde a home directory.
  private static func replacingLeading(_ name: String) -> String {
    var scalars = name.unicodeScalars[...]
    var isReplaced = false
    while let first = scalars.first {
      if first == "." || first == "-" || first == "~" {
        isReplaced = true
      } else if !first.properties.isWhitespace {
        break
      }
      scalars.removeFirst()
    }
    let rest = String(String.UnicodeScalarView(scalars))
    return isReplaced ? "_" + rest : rest
  }

  /// Device names, whatever their extension
  /// (https://learn.microsoft.com/windows/win32/fileio/naming-a-file).
  private static func isReservedOnWindows(_ name: String) -> Bool {
    let stem = name.prefix { $0 != "." && $0 != " " }.lowercased()
    switch stem {
    case "con", "prn", "aux", "nul", "conin$", "conout$", "clock$": return true
    default:
      guard stem.hasPrefix("com") || stem.hasPrefix("lpt") else { return false }
      let digit = stem.dropFirst(3)
      return digit.count == 1 && "0123456789¹²³".contains(digit)
    }
  }

  private static func shortened(_ name: String) -> String {
    guard name.utf8.count > sanitizedByteCountMax else { return name }
    let (stem, suffix) = parts(of: name)
    let kept = cut(stem, toByteCount: sanitizedByteCountMax - suffix.utf8.count)
    return trimmingEnd(kept) + suffix
  }
}
