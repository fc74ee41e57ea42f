/// One header line of a request or a reply.
public struct HeaderField: Hashable, Sendable {
  public let name: String
  public let value: String

  /// For headers of a received response, whatever the server sent.
  public init(received name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// For headers to send. Returns nil if the name is not a token (RFC 9110, section 5.6.2) or the
  /// value contains a control byte: a line break would start a second header.
  public init?(name: String, value: String) {
    guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte),
      value.utf8.allSatisfy({ $0 == 9 || ($0 >= 32 && $0 != 127) })
    else { return nil }
    self.name = name
    self.value = value.trimmingBlanks()
  }

  /// Reads `K: V` as it is typed on a command line.
  public init?(_ line: String) {
    guard let colon = line.firstIndex(of: ":") else { return nil }
    self.init(name: String(line[..<colon]), value: String(line[line.index(after: colon)...]))
  }

  package static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122: true
    case 33, 35...39, 42, 43, 45, 46, 94...96, 124, 126: true
    default: false
    }
  }
}

extension HeaderField: Codable {
  private enum CodingKeys: String, CodingKey { case name, value }

  /// Refuses a line break or NUL from any source: it would start a second header.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    value = try container.decode(String.self, forKey: .value)
    guard !name.isEmpty, (name + value).utf8.allSatisfy({ $0 != 0 && $0 != 10 && $0 != 13 }) else {
      throw DecodingError.dataCorruptedError(
        forKey: .value, in: container, debugDescription: "a header is one line with a name")
    }
  }
}
