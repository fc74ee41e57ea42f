/// The status and headers of a response.
public struct ResponseHead: Hashable, Sendable, Codable {
  public var status: Int
  public var headers: [HeaderField]

  public init(status: Int, headers: [HeaderField]) {
    self.status = status
    self.headers = headers
  }

  /// All values of the header `name`, in order. Ignores the case of names.
  public func values(of name: String) -> [String] {
    let lowered = name.lowercased()
    return headers.lazy.filter { $0.name.lowercased() == lowered }.map(\.value)
  }

  /// The value of the header `name`; nil if it is absent or occurs with different values.
  public func value(of name: String) -> String? {
    let all = values(of: name)
    guard let first = all.first, all.allSatisfy({ $0 == first }) else { return nil }
    return first
  }
}

/// Distinguishes versions of a resource (RFC 9110, section 8.8).
public struct Validator: Hashable, Sendable, Codable {
  /// The ETag as sent, including quotes and `W/`.
  public var entityTag: String?
  /// The Last-Modified date as sent.
  public var lastModified: String?
  /// Whether Last-Modified is at least a second before Date, so that a later change would have
  /// another date (RFC 9110, section 8.8.2.2).
  public var isLastModifiedStrong: Bool

  public init(entityTag: String?, lastModified: String?, isLastModifiedStrong: Bool) {
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.isLastModifiedStrong = isLastModifiedStrong
  }

  /// The value for `If-Range`: a strong ETag, else a strong date; never a weak one (RFC 9110,
  /// section 13.1.5).
  public var strongValue: String? {
    // An empty ETag counts as absent: libcurl would omit an empty If-Range header.
    if let entityTag, !entityTag.isEmpty { return strongEntityTag }
    return isLastModifiedStrong ? lastModified : nil
  }

  public var strongEntityTag: String? {
    guard let entityTag, !entityTag.isEmpty, !entityTag.hasPrefix("W/") else { return nil }
    return entityTag
  }
}

/// Heads made from what a server of files (FTP, SFTP) said, in the vocabulary of HTTP.
extension ResponseHead {
  /// Names the server's own words in such a head. Ignored in a head that came over HTTP.
  package static let serverWordsName = "Server-Words"

  /// A refusal.
  ///
  /// - Parameter words: the server's own, such as `550 No such file`; safe to show.
  package init(status: Int, serverWords words: String) {
    self.init(status: status, headers: [HeaderField(received: Self.serverWordsName, words)])
  }

  /// Names why a login is missing that the user has. With its blank, no server can send it.
  private static let loginProblemName = "Login Problem"

  /// Why a login that the user has was not sent; nil if it was, or there is none. Safe to show.
  package var loginProblem: String? { value(of: Self.loginProblemName) }

  /// The same head, which for a 401 tells why a login is missing.
  package func explaining(_ loginProblem: String?) -> ResponseHead {
    guard status == 401, let loginProblem else { return self }
    var head = self
    head.headers.append(
      HeaderField(received: Self.loginProblemName, loginProblem.sanitizedForDisplay(limit: 300)))
    return head
  }

  /// What the server of the URL said: its own words, or for HTTP the status.
  package func words(from url: TransferURL) -> String {
    switch url.scheme.family {
    case .http: "\(status)"
    case .ftp, .sftp: value(of: Self.serverWordsName) ?? "\(status)"
    }
  }
}

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

  /// Whether it could be created as a header to send.
  var isSendable: Bool { HeaderField(name: name, value: value) == self }

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

/// Dates in headers, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
package enum HTTPDate {
  /// 1970-01-01, the first day of the epoch, was a Thursday.
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Formats a time since 1970.
  package static func text(_ time: WallTime) -> String {
    let date = time.inUTC
    let day = days[Int(max(0, time.daysSince1970) % 7)]
    let month = months[Int(date.month) - 1]
    return "\(day), \(padded(date.day)) \(month) \(date.year) "
      + "\(padded(date.hour)):\(padded(date.minute)):\(padded(date.second)) GMT"
  }

  private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// Parses the current form and the two obsolete ones, as RFC 9110 requires. Returns nil for
  /// anything else.
  package static func parse(_ text: String) -> WallTime? {
    let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
    // asctime: Sun Nov  6 08:49:37 1994
    if words.count == 5, let time = time(words[3]) {
      return date(day: words[2], month: words[1], year: words[4], time)
    }
    // Sun, 06 Nov 1994 08:49:37 GMT and Sunday, 06-Nov-94 08:49:37 GMT
    guard words.count == 6, words[5] == "GMT" || words[5] == "UTC", let time = time(words[4]) else {
      return nil
    }
    return date(day: words[1], month: words[2], year: words[3], time)
  }

  private static func time(_ text: String) -> (hour: Int64, minute: Int64, second: Int64)? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let hour = DecimalDigits.int64(parts[0]),
      let minute = DecimalDigits.int64(parts[1]), let second = DecimalDigits.int64(parts[2])
    else { return nil }
    return (hour, minute, second)
  }

  private static func date(
    day: String, month: String, year: String, _ time: (hour: Int64, minute: Int64, second: Int64)
  ) -> WallTime? {
    guard let day = DecimalDigits.int64(day[...]), var year = DecimalDigits.int64(year[...]),
      let month = months.firstIndex(where: { $0.lowercased() == month.lowercased() })
    else { return nil }
    // Two-digit years belong to the nearest century: 70 and later mean 19xx.
    if year < 100 { year += year < 70 ? 2000 : 1900 }
    return WallTime(
      year: year, month: Int64(month) + 1, day: day, hour: time.hour, minute: time.minute,
      second: time.second)
  }
}
