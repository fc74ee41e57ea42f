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
