import Glibc

extension ProxyRules {
  /// Reads the variables of libcurl-env(3). `HTTP_PROXY` in capitals is not among them, because in
  /// a CGI program it contains the header `Proxy` that a client sent.
  package init(environment: [String: String]) {
    func route(_ variables: String...) -> Route {
      for variable in variables {
        guard let text = environment[variable], !text.isEmpty else { continue }
        return ProxyServer(text).map(Route.through) ?? .unusable(variable)
      }
      return .direct
    }
    let exceptions = ["no_proxy", "NO_PROXY"].lazy.compactMap { environment[$0] }
    self.init(
      forHTTP: route("http_proxy", "all_proxy", "ALL_PROXY"),
      forHTTPS: route("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"),
      forFiles: route("ftp_proxy", "FTP_PROXY", "all_proxy", "ALL_PROXY"),
      exceptions: ProxyExceptions(list: exceptions.first { !$0.isEmpty } ?? ""))
  }

  /// The rules of this process's current environment.
  package static var fromEnvironment: ProxyRules {
    let names = [
      "http_proxy", "https_proxy", "HTTPS_PROXY", "ftp_proxy", "FTP_PROXY", "all_proxy",
      "ALL_PROXY", "no_proxy", "NO_PROXY",
    ]
    let values = names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
    return ProxyRules(environment: Dictionary(values) { first, _ in first })
  }
}
