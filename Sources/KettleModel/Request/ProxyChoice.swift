/// The proxies of one transfer, in place of the service's.
public enum ProxyChoice: Hashable, Sendable {
  /// Every server is reached directly.
  case none
  /// One proxy for every server, as a URL.
  case server(String)
  /// Those of the environment of the command that added the transfer.
  case environment(ProxyEnvironment)
}

extension ProxyChoice: Codable {
  private enum CodingKeys: String, CodingKey { case url, http }

  /// Decodes an object: with `url`, with the members of `ProxyEnvironment`, or empty for none.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let url = try container.decodeIfPresent(String.self, forKey: .url) {
      self = .server(url)
    } else if container.contains(.http) {
      self = .environment(try ProxyEnvironment(from: decoder))
    } else {
      self = .none
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .none: break
    case .server(let url): try container.encode(url, forKey: .url)
    case .environment(let values): try values.encode(to: encoder)
    }
  }
}

/// The values of the variables that name proxies (libcurl-env(3)); empty means none.
public struct ProxyEnvironment: Hashable, Sendable, Codable {
  /// The proxy for `http` URLs.
  public var http = ""
  public var https = ""
  /// The proxy for `ftp`, `ftps` and `sftp` URLs.
  public var ftp = ""
  /// The hosts that are reached directly, separated by commas or blanks.
  public var exceptions = ""

  /// The variables that are read.
  public static let names = [
    "http_proxy", "https_proxy", "HTTPS_PROXY", "ftp_proxy", "FTP_PROXY", "all_proxy", "ALL_PROXY",
    "no_proxy", "NO_PROXY",
  ]

  public init() {}

  /// `HTTP_PROXY` in capitals is not read, because in a CGI program it contains the header `Proxy`
  /// that a client sent.
  public init(_ environment: [String: String]) {
    func first(_ names: String...) -> String {
      names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    }
    http = first("http_proxy", "all_proxy", "ALL_PROXY")
    https = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
    ftp = first("ftp_proxy", "FTP_PROXY", "all_proxy", "ALL_PROXY")
    exceptions = first("no_proxy", "NO_PROXY")
  }
}
