import KettleModel

extension ResponseHead {
  /// The URLs of copies of the file: `Link: <URL>; rel=duplicate; pri=1` (RFC 6249, section 3), the
  /// ones with the lowest number first. Relative ones are resolved against `url`, and none leads
  /// from https to http, or to a server of files.
  package func duplicateLinks(of url: TransferURL, countMax: Int) -> [TransferURL] {
    var found: [(url: TransferURL, priority: Int)] = []
    for value in values(of: "Link") {
      var reader = LinkReader(value)
      while found.count < countMax, let link = reader.next() {
        guard link.isDuplicate, case .success(let parsed) = url.resolving(link.target),
          parsed.url.scheme.family == .http,
          !(url.scheme == .https && parsed.url.scheme == .http)
        else { continue }
        // A server has no credentials to give.
        found.append((parsed.url, link.priority))
      }
    }
    let sorted = found.indices.sorted { (found[$0].priority, $0) < (found[$1].priority, $1) }
    return sorted.map { found[$0].url }
  }
}

/// Reads the links of one header (RFC 8288, section 3). What is not a link ends the reading.
private struct LinkReader {
  struct Link {
    var target: String
    var isDuplicate = false
    /// Those without a number come last (RFC 6249, section 3.2).
    var priority = 999_999
  }

  private var rest: Substring.UTF8View

  init(_ value: String) { rest = value[...].utf8 }

  /// Removes and returns the next link; nil at the end.
  mutating func next() -> Link? {
    skip { $0 == UInt8(ascii: ",") || Self.isBlank($0) }
    guard take(UInt8(ascii: "<")), let end = rest.firstIndex(of: UInt8(ascii: ">")) else {
      return nil
    }
    var link = Link(target: String(Substring(rest[..<end])))
    rest = rest[rest.index(after: end)...]
    skip(Self.isBlank)
    while take(UInt8(ascii: ";")) {
      skip(Self.isBlank)
      let name = token().lowercased()
      skip(Self.isBlank)
      var value = ""
      if take(UInt8(ascii: "=")) {
        skip(Self.isBlank)
        value = take(UInt8(ascii: "\"")) ? quoted() : token()
      }
      skip(Self.isBlank)
      switch name {
      case "rel":
        link.isDuplicate = value.lowercased().split(separator: " ").contains("duplicate")
      case "pri": if let number = Int(value), number > 0 { link.priority = min(number, 999_999) }
      default: break
      }
    }
    return link
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
    rest = rest.drop(while: isSkipped)
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard rest.first == byte else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func token() -> String {
    let token = rest.prefix { !";,=\" \t".utf8.contains($0) }
    rest = rest[token.endIndex...]
    return String(Substring(token))
  }

  /// The rest of a quoted string. One without an end extends to the end of the header.
  private mutating func quoted() -> String {
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { break }
      bytes.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
