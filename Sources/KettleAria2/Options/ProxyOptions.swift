import KettleModel

/// The proxies that the options of a download name.
package struct ProxyOptions: Hashable, Sendable {
  package static let names = [
    "all-proxy", "all-proxy-user", "all-proxy-passwd", "http-proxy", "http-proxy-user",
    "http-proxy-passwd", "https-proxy", "https-proxy-user", "https-proxy-passwd", "ftp-proxy",
    "ftp-proxy-user", "ftp-proxy-passwd", "no-proxy",
  ]

  private var values: [String: String] = [:]

  package init() {}

  package init(_ choice: ProxyChoice?) {
    switch choice {
    case nil: break
    case .direct: values["all-proxy"] = ""
    case .server(let url): values["all-proxy"] = url
    case .environment(let environment):
      values["http-proxy"] = environment.http
      values["https-proxy"] = environment.https
      values["ftp-proxy"] = environment.ftp
      values["no-proxy"] = environment.exceptions
    }
  }

  mutating func set(_ name: String, _ value: String) { values[name] = value }

  /// The options that say the same.
  package var options: [String: RPCValue] { values.mapValues(RPCValue.text) }

  /// The proxies of a transfer; nil for those of the service. Throws for one that cannot be used: a
  /// direct connection would show what the proxy was to hide.
  package func choice() throws(RPCError) -> ProxyChoice? {
    let named = ["all-proxy", "http-proxy", "https-proxy", "ftp-proxy"]
    guard named.contains(where: { values[$0] != nil }) else { return nil }
    let all = try proxy("all-proxy")
    var environment = ProxyEnvironment()
    environment.http = try proxy("http-proxy") ?? all ?? ""
    environment.https = try proxy("https-proxy") ?? all ?? ""
    environment.ftp = try proxy("ftp-proxy") ?? all ?? ""
    environment.exceptions = values["no-proxy"] ?? ""
    let proxies = [environment.http, environment.https, environment.ftp]
    return proxies.allSatisfy(\.isEmpty) ? .direct : .environment(environment)
  }

  private func proxy(_ name: String) throws(RPCError) -> String? {
    guard let text = values[name] else { return nil }
    if text.isEmpty { return "" }
    guard let server = ProxyServer(text) else {
      throw .refused("The option \(name) is no proxy; give one such as http://127.0.0.1:8080")
    }
    guard let user = values["\(name)-user"], !user.isEmpty else { return text }
    let password = values["\(name)-passwd"] ?? ""
    return "\(server.scheme.rawValue)://\(escaped(user)):\(escaped(password))@\(server.hostAndPort)"
  }

  private func escaped(_ text: String) -> String {
    let bytes = text.utf8.flatMap { byte -> [UInt8] in
      switch byte {
      case 48...57, 65...90, 97...122: [byte]
      default: PercentEncoding.escape(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
