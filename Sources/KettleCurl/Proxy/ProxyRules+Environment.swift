import Glibc

extension ProxyRules {
  /// Reads the variables that libcurl-env(3) names. `HTTP_PROXY` in capitals is not among them,
  /// because a CGI program has there what a client sent as the header `Proxy`.
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
      exceptions: ProxyExceptions(list: exceptions.first { !$0.isEmpty } ?? ""))
  }

  /// The rules of this process's environment, as it is at the moment.
  package static var fromEnvironment: ProxyRules {
    let names = [
      "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
    ]
    let values = names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
    return ProxyRules(environment: Dictionary(values) { first, _ in first })
  }
}
