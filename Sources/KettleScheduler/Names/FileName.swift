import KettleModel

/// Finds the name of a file: one path component, safe to create beside the files of the user.
///
/// Names from servers are made safe in silence (`sanitized`); a name from the user is taken as it
/// is or refused with a sentence (`problem(ofUserGiven:)`).
package enum FileName {
  /// NAME_MAX of the Linux file systems.
  static let componentByteCountMax = 255

  /// Behind the name of a file that is not whole.
  package static let partialSuffix = ".part"

  /// The longest name that its partial file can be made for.
  package static let byteCountMax = componentByteCountMax - partialSuffix.utf8.count

  /// The largest number that `numbered` is asked for.
  package static let numberMax = 9999

  /// What a server's name is cut to, so that any number fits behind it.
  static let sanitizedByteCountMax = byteCountMax - " (\(numberMax))".utf8.count

  /// The name of a file about which nobody says anything.
  package static let fallback = "download"

  /// Chooses among the names that are known, best first.
  ///
  /// `url` is the one that the user gave, never the target of a redirect: a server that is only
  /// passed through must not pick the name (CVE-2010-2252, CVE-2016-4971).
  package static func chosen(
    userGiven: String?, contentDisposition: String?, url: TransferURL
  ) -> String {
    if let userGiven {
      // It was checked when it was given; a store that others wrote to must not get around that.
      if problem(ofUserGiven: userGiven) == nil { return userGiven }
      if let name = sanitized(userGiven) { return name }
    }
    return contentDisposition.flatMap(fromContentDisposition) ?? fromURL(url) ?? fallback
  }

  /// The last segment of the URL's path, decoded and made safe; nil when there is none.
  package static func fromURL(_ url: TransferURL) -> String? {
    plainLastSegment(of: url.path.utf8.span) ?? sanitizedLastSegment(of: url)
  }

  static func sanitizedLastSegment(of url: TransferURL) -> String? {
    // Cut before decoding, so that an encoded slash cannot bring in a segment of its own, and
    // once more after it.
    let path = url.path
    let segment = path[(path.lastIndex(of: "/") ?? path.startIndex)...].drop { $0 == "/" }
    return sanitized(String(decoding: PercentText.decodedLeniently(segment.utf8), as: UTF8.self))
  }

  /// `NAME (2).EXT` for 2; the extension stays, `.tar.gz` in one piece.
  ///
  /// A name that would become too long loses the end of its stem.
  package static func numbered(_ name: String, _ number: Int) -> String {
    numbered(parts(of: name), number)
  }

  /// `name`, then `NAME (2).EXT` up to `numberMax`.
  package static func candidates(for name: String) -> some Sequence<String> {
    let parts = parts(of: name)
    return (1...numberMax).lazy.map { $0 == 1 ? name : numbered(parts, $0) }
  }

  private static func numbered(_ parts: (stem: String, suffix: String), _ number: Int) -> String {
    let ending = " (\(number))" + parts.suffix
    return cut(parts.stem, toByteCount: max(0, byteCountMax - ending.utf8.count)) + ending
  }
}
