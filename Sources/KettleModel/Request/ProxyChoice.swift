/// The proxies of one transfer, in place of the service's.
public enum ProxyChoice: Hashable, Sendable {
  /// No proxy, for any server.
  case direct
  /// One proxy for every server, as a URL.
  case server(String)
  /// Those of the environment of the command that added the transfer.
  case environment(ProxyEnvironment)
}

extension ProxyChoice: Codable {
  private enum CodingKeys: String, CodingKey { case url, http }

  /// Decodes an object: with `url`, with the members of `ProxyEnvironment`, or empty for no proxy.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let url = try container.decodeIfPresent(String.self, forKey: .url) {
      self = .server(url)
    } else if container.contains(.http) {
      self = .environment(try ProxyEnvironment(from: decoder))
    } else {
      self = .direct
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .direct: break
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

  public init() {}

  public init(_ environment: [String: String]) {
    func value(_ variables: [String]) -> String {
      Self.first(of: variables, in: environment)?.value ?? ""
    }
    http = value(Self.httpVariables)
    https = value(Self.httpsVariables)
    ftp = value(Self.ftpVariables)
    exceptions = value(Self.exceptionVariables)
  }
}

extension ProxyEnvironment {
  /// The variables for each value; the first that is not empty counts. `HTTP_PROXY` in capitals is
  /// not among them, because in a CGI program it contains the header `Proxy` that a client sent.
  package static let httpVariables = ["http_proxy", "all_proxy", "ALL_PROXY"]
  package static let httpsVariables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
  package static let ftpVariables = ["ftp_proxy", "FTP_PROXY", "all_proxy", "ALL_PROXY"]
  package static let exceptionVariables = ["no_proxy", "NO_PROXY"]

  package static func first(
    of variables: [String], in environment: [String: String]
  ) -> (variable: String, value: String)? {
    for variable in variables {
      if let value = environment[variable], !value.isEmpty { return (variable, value) }
    }
    return nil
  }
}
