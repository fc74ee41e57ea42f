/// A header field of a request or a response.
public struct HeaderField: Hashable, Sendable {
  public let name: String
  public let value: String

  /// Creates a header of a received response, without validation.
  public init(received name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Creates a header to send. Returns nil if the name is not a token (RFC 9110, section 5.6.2) or
  /// the value contains a control byte: a line break would start a second header.
  public init?(name: String, value: String) {
    guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte),
      value.utf8.allSatisfy({ $0 == 9 || ($0 >= 32 && $0 != 127) })
    else { return nil }
    self.name = name
    self.value = value.trimmingBlanks()
  }

  /// The names, in lower case, of fields that only the sender of a request can fill: another value
  /// would make the response a different one than it is taken for.
  package static let namesOfTransport: Set<String> = [
    "connection", "content-length", "expect", "host", "if-range", "keep-alive",
    "proxy-connection", "range", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  /// Those among them that say which bytes belong to a request and its response. Only the transport
  /// sets them.
  package static let namesOfFraming: Set<String> = [
    "content-length", "if-range", "range", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  /// Parses `NAME: VALUE` as given on a command line.
  public init?(_ line: String) {
    guard let colon = line.firstIndex(of: ":") else { return nil }
    self.init(name: String(line[..<colon]), value: String(line[line.index(after: colon)...]))
  }

  /// Whether a token may contain the byte (RFC 9110, section 5.6.2).
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

  /// Throws for a value with a line break or NUL, which would start a second header.
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
