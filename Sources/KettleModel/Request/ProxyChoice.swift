/// The proxies of one transfer, in place of the service's.
public enum ProxyChoice: Hashable, Sendable, Codable {
  /// Every server is reached directly.
  case none
  /// One proxy for every server, as a URL.
  case server(String)
  /// Those of the environment of the command that added the transfer.
  case environment(ProxyEnvironment)
}

/// The values of the variables that name proxies (libcurl-env(3)); empty means none.
public struct ProxyEnvironment: Hashable, Sendable, Codable {
  /// The proxy for `http` URLs.
  public var http = ""
  public var https = ""
  /// The hosts that are reached directly, separated by commas or blanks.
  public var exceptions = ""

  public init() {}

  /// `HTTP_PROXY` in capitals is not read, because in a CGI program it contains the header `Proxy`
  /// that a client sent.
  public init(_ environment: [String: String]) {
    func first(_ names: String...) -> String {
      names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    }
    http = first("http_proxy", "all_proxy", "ALL_PROXY")
    https = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
    exceptions = first("no_proxy", "NO_PROXY")
  }
}
