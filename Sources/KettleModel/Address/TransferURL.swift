/// A URL without user, password and fragment, as requested, stored and shown.
///
/// One parser serves both check and use, so no other reading of the same text can slip through. The
/// form is RFC 3986; the host keeps non-ASCII letters (libcurl turns them into punycode), those of
/// the path and query are percent-encoded.
public struct TransferURL: Hashable, Sendable {
  public enum Scheme: String, Sendable, Codable, CaseIterable {
    case http, https
    /// FTP in clear, and FTP over TLS from the first byte.
    case ftp, ftps
    case sftp

    public var defaultPort: Int {
      switch self {
      case .http: 80
      case .https: 443
      case .ftp: 21
      case .ftps: 990
      case .sftp: 22
      }
    }

    /// The server's protocol, whether encrypted or not.
    public enum Family: Sendable, CaseIterable {
      case http, ftp, sftp

      /// As in a sentence.
      public var name: String {
        switch self {
        case .http: "HTTP"
        case .ftp: "FTP"
        case .sftp: "SFTP"
        }
      }
    }

    public var family: Family {
      switch self {
      case .http, .https: .http
      case .ftp, .ftps: .ftp
      case .sftp: .sftp
      }
    }
  }

  public let scheme: Scheme
  /// Lower case; an IPv6 address keeps its brackets.
  public let host: String
  /// The port in the text, or else the scheme's.
  public let port: Int
  /// Starts with a slash.
  public let path: String
  /// The text after the question mark; nil if there is none.
  public let query: String?

  init(scheme: Scheme, host: String, port: Int, path: String, query: String?) {
    self.scheme = scheme
    self.host = host
    self.port = port
    self.path = path
    self.query = query
  }

  /// The whole as text, without any credentials.
  public var text: String {
    // In one piece of memory: it is made for each row that is shown or kept.
    var text = ""
    text.reserveCapacity(host.utf8.count + path.utf8.count + (query?.utf8.count ?? 0) + 16)
    origin.append(to: &text)
    text += path
    if let query {
      text += "?"
      text += query
    }
    return text
  }

  public var origin: Origin { Origin(scheme: scheme, host: host, port: port) }
}

/// The scheme, host and port that credentials belong to (RFC 6454).
public struct Origin: Hashable, Sendable {
  public let scheme: TransferURL.Scheme
  public let host: String
  public let port: Int

  public init(scheme: TransferURL.Scheme, host: String, port: Int) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  public var text: String {
    var text = ""
    append(to: &text)
    return text
  }

  fileprivate func append(to text: inout String) {
    text += scheme.rawValue
    text += "://"
    text += host
    if port != scheme.defaultPort {
      text += ":"
      text += String(port)
    }
  }
}

extension TransferURL: CustomStringConvertible {
  public var description: String { text }
}

extension TransferURL: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    switch TransferURL.parse(text) {
    case .success(let parsed): self = parsed.url
    case .failure(let problem):
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: problem.sentence(text))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// The reason why a text is not a URL that Kettle can fetch.
public enum TransferURLProblem: Error, Hashable, Sendable {
  case empty, tooLong, controlCharacter
  case characterForbidden(Character)
  case schemeMissing
  case schemeUnsupported(String)
  case hostMissing, hostMalformed, portMalformed, loginMalformed
  /// The path of a server of files ends with a slash.
  case directory

  /// States the problem, its subject and the remedy; without a period.
  public func sentence(_ text: String) -> String {
    let shown = "\"" + Self.withoutLogin(text).sanitizedForDisplay(limit: 200) + "\""
    switch self {
    case .empty: return "The URL is empty; give one such as https://example.org/file.iso"
    case .tooLong:
      return "The URL \(shown) is longer than \(TransferURL.byteCountMax) bytes; shorten it"
    case .controlCharacter:
      return "The URL \(shown) contains a control character or a line break; copy it again"
    case .characterForbidden(" "):
      return "The URL \(shown) contains a space; write %20, or quote each URL separately"
    case .characterForbidden(let character):
      return "The URL \(shown) contains \"\(character)\"; percent-encode it"
    case .schemeMissing:
      return "The URL \(shown) has no scheme; start it with https:// or http://"
    case .schemeUnsupported(let scheme):
      return "The URL \(shown) has the scheme \"\(scheme.sanitizedForDisplay(limit: 40))\"; "
        + "only http, https, ftp, ftps and sftp are supported"
    case .hostMissing: return "The URL \(shown) has no host; write https://HOST/PATH"
    case .hostMalformed: return "The host in the URL \(shown) is not a host name; check it"
    case .portMalformed: return "The port in the URL \(shown) is not a number from 1 to 65535"
    case .loginMalformed:
      return "The user and password in the URL cannot be read; give them with --user"
    case .directory:
      return "The URL \(shown) is a directory, which cannot be downloaded; give the URL of a file"
    }
  }

  /// Removes everything between `://`, or the start, and the last `@`: in a text that cannot be
  /// parsed, the end of the password is unknown.
  package static func withoutLogin(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return text }
    let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? 0
    let start = bytes[colon...].starts(with: "://".utf8) ? colon + 3 : 0
    guard at > start else { return text }
    return String(decoding: bytes[..<start], as: UTF8.self) + "…"
      + String(decoding: bytes[at...], as: UTF8.self)
  }
}

/// The URL of a source, and how near the address may be that it leads to.
///
/// Invariant: a URL that a server has named has the reach of the farthest server in the chain that
/// led to it, and keeps it in the record. A public server therefore cannot direct a transfer into
/// the user's network: not by a Metalink, a playlist, a checksum list, a `Link` header or a
/// redirect of any of them, not after a restart, and not as a second source when the first one
/// fails. The address that is connected to decides, not the text of the URL.
public struct ChainedURL: Hashable, Sendable, Codable {
  public let url: TransferURL
  /// Only addresses with at least this reach may be connected to.
  public let minimumReach: NetworkReach

  /// A URL of the user, which may lead anywhere.
  public init(given url: TransferURL) {
    self.url = url
    minimumReach = .machine
  }

  /// A URL that a server has named.
  ///
  /// - Parameter reach: that of the farthest server of the chain.
  public init(_ url: TransferURL, namedBy reach: NetworkReach) {
    self.url = url
    minimumReach = reach
  }
}

/// URLs of servers of files (FTP, SFTP), whose paths become commands.
extension TransferURL {
  /// This URL if it may name a file there: without a control character, which would begin another
  /// command, and without `;type=i` (RFC 1738, section 3.2.2), because every file is fetched as it
  /// is. The root stays, because the URL of an origin has that path.
  func asFile() -> Result<TransferURL, TransferURLProblem> {
    switch scheme.family {
    case .http: return .success(self)
    case .ftp, .sftp: break
    }
    guard let bytes = PercentEncoding.decoded((path + (query ?? "")).utf8) else {
      return .failure(.characterForbidden("%"))
    }
    if bytes.contains(where: { $0 < 32 || $0 == 127 }) { return .failure(.controlCharacter) }
    if path != "/", path.hasSuffix("/"), query == nil { return .failure(.directory) }
    guard scheme.family == .ftp, query == nil, path.lowercased().hasSuffix(Self.imageType) else {
      return .success(self)
    }
    return .success(
      TransferURL(
        scheme: scheme, host: host, port: port,
        path: String(path.dropLast(Self.imageType.count)), query: nil))
  }

  private static let imageType = ";type=i"
}
