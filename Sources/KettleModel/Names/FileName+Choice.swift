/// The choice of a name, and the numbers that tell equal ones apart.
extension FileName {
  /// The name of last resort.
  package static let fallback = "download"

  /// The name of a directory's page.
  package static let page = "index.html"

  package static let mediaTypesOfPages: Set<String> = ["text/html", "application/xhtml+xml"]

  /// Chooses among the known names, best first.
  ///
  /// - Parameters:
  ///   - given: what the transfer was added with, or a document has said.
  ///   - url: the URL that the user gave. A redirect must not choose the name (CVE-2010-2252,
  ///     CVE-2016-4971), unless only its target has an extension.
  ///   - finalURL: the URL that served the file.
  package static func chosen(
    given: FileName?, contentDisposition: String?, url: TransferURL, finalURL: TransferURL? = nil,
    mediaType: String? = nil
  ) -> String {
    if let given { return given.text }
    if let name = contentDisposition.flatMap(fromContentDisposition) { return name }
    let own = fromURL(url)
    if own.map(hasExtension) != true, let finalURL, let name = fromURL(finalURL), hasExtension(name)
    {
      return name
    }
    return own ?? (mediaTypesOfPages.contains(mediaType ?? "") ? page : fallback)
  }

  /// Whether a name ends with a dot and one to eight letters or digits.
  static func hasExtension(_ name: String) -> Bool {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
      return false
    }
    let ending = name.utf8[dot...].dropFirst()
    return (1...8).contains(ending.count)
      && ending.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
      }
  }

  /// The last segment of the URL's path, decoded and sanitized; nil when there is none.
  package static func fromURL(_ url: TransferURL) -> String? {
    plainLastSegment(of: url.path.utf8.span) ?? sanitizedLastSegment(of: url)
  }

  static func sanitizedLastSegment(of url: TransferURL) -> String? {
    // Cut before decoding, so that an encoded slash cannot add a segment, and once more after it.
    let path = url.path
    let segment = path[(path.lastIndex(of: "/") ?? path.startIndex)...].drop { $0 == "/" }
    return sanitized(
      String(decoding: PercentEncoding.decodedLeniently(segment.utf8), as: UTF8.self))
  }

  /// `NAME (2).EXT` for 2; the extension stays, `.tar.gz` in one piece.
  ///
  /// If the result would be too long, the end of the stem is cut.
  package static func numbered(_ name: String, _ number: Int) -> String {
    numbered(parts(of: name), number)
  }

  /// `name`, then `NAME (2).EXT` up to `numberMax`.
  package static func candidates(for name: String) -> some Sequence<String> {
    let parts = parts(of: name)
    return (1...numberMax).lazy.map { $0 == 1 ? name : numbered(parts, $0) }
  }

  /// The candidates from a free one on. Where thousands are taken, few are asked for: the number
  /// doubles until a name is free, and a binary search finds the last taken one before it. If there
  /// are gaps between taken names, the first free one may be passed over.
  ///
  /// - Parameter isTaken: asked for some of the names.
  package static func candidates<Failure>(
    for name: String, behindTaken isTaken: (String) throws(Failure) -> Bool
  ) throws(Failure) -> some Sequence<String> {
    let parts = parts(of: name)
    func isFree(_ number: Int) throws(Failure) -> Bool {
      try !isTaken(number == 1 ? name : numbered(parts, number))
    }
    var (taken, free) = (0, 1)
    while free < numberMax, try !isFree(free) { (taken, free) = (free, min(2 * free, numberMax)) }
    while free - taken > 1 {
      let middle = taken + (free - taken) / 2
      if try isFree(middle) { free = middle } else { taken = middle }
    }
    return candidates(for: name).dropFirst(free - 1)
  }

  private static func numbered(_ parts: (stem: String, suffix: String), _ number: Int) -> String {
    let ending = " (\(number))" + parts.suffix
    return cut(parts.stem, toByteCount: max(0, byteCountMax - ending.utf8.count)) + ending
  }
}

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
