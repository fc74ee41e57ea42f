import KettleModel

/// The title of a web page.
package enum PageTitle {
  /// How much of a page is searched.
  package static let byteCountMax = 64 << 10
  static let characterCountMax = 100

  /// How much of a document is searched for the beginning of a page.
  private static let beginningByteCountMax = 4 << 10

  /// Whether a document is a web page, whatever type its server gives it: servers label playlists
  /// as pages, too.
  static func isPage(_ bytes: [UInt8]) -> Bool {
    let beginning = bytes.prefix(beginningByteCountMax)
    return index(of: "<html", in: beginning) != nil
      || index(of: "<!doctype html", in: beginning) != nil
  }

  /// Returns the text between the first `<title>` and its end, safe to show; nil when there is none
  /// or it is empty.
  package static func title(in bytes: [UInt8]) -> String? {
    let page = bytes.prefix(byteCountMax)
    guard let tag = index(of: "<title", in: page),
      let open = page[tag...].firstIndex(of: UInt8(ascii: ">")),
      let close = index(of: "</title", in: page[open...])
    else { return nil }
    let text = String(decoding: page[open..<close].dropFirst(), as: UTF8.self)
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let title = decoded(words).sanitizedForDisplay(limit: characterCountMax)
    return title.isEmpty ? nil : title
  }

  /// Searches without regard to the case of ASCII letters.
  ///
  /// - Parameter text: in lower case.
  private static func index(of text: StaticString, in bytes: ArraySlice<UInt8>) -> Int? {
    let wanted = text.withUTF8Buffer { Array($0) }
    return bytes.indices.first { start in
      let part = bytes[start...].prefix(wanted.count)
      return part.count == wanted.count
        && zip(part, wanted).allSatisfy { byte, other in
          byte == other || (65...90).contains(byte) && byte | 0x20 == other
        }
    }
  }

  /// Replaces the character references that titles contain most. `&amp;` is last, so that its
  /// result is not read again.
  private static func decoded(_ text: String) -> String {
    let references = [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "),
      ("&amp;", "&"),
    ]
    return references.reduce(text) { $0.replacing($1.0, with: $1.1) }
  }
}
