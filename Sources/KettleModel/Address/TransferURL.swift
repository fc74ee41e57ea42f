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

    /// What the server speaks, whether encrypted or not.
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
