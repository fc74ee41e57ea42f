import Foundation
import KettleModel

/// The proxies of `URLSessionConfiguration.connectionProxyDictionary`. Values that are no numbers,
/// texts or lists of texts are not stored.
struct ProxyDictionary: Hashable, Sendable {
  private enum Value: Hashable, Sendable {
    case number(Int)
    case text(String)
    case list([String])
  }

  private var values: [String: Value] = [:]

  init(_ dictionary: [AnyHashable: Any]) {
    for (key, value) in dictionary {
      guard let key = key.base as? String else { continue }
      switch value {
      case let number as Int: values[key] = .number(number)
      case let isOn as Bool: values[key] = .number(isOn ? 1 : 0)
      case let number as NSNumber: values[key] = .number(number.intValue)
      case let text as String: values[key] = .text(text)
      case let list as [String]: values[key] = .list(list)
      default: break
      }
    }
  }

  var dictionary: [AnyHashable: Any] {
    values.mapValues { value in
      switch value {
      case .number(let number): number
      case .text(let text): text
      case .list(let list): list
      }
    }
  }

  /// The choice for the service. Omits proxies that no URL can express.
  var choice: ProxyChoice {
    var environment = ProxyEnvironment()
    let socks = url(of: "SOCKS", scheme: "socks5h")
    environment.http = url(of: "HTTP", scheme: "http") ?? socks ?? ""
    environment.https = url(of: "HTTPS", scheme: "http") ?? socks ?? ""
    guard !environment.http.isEmpty || !environment.https.isEmpty else { return .direct }
    if case .list(let hosts)? = values["ExceptionsList"] {
      environment.exceptions = hosts.joined(separator: ",")
    }
    return .environment(environment)
  }

  /// A proxy without its switch counts as enabled.
  private func url(of kind: String, scheme: String) -> String? {
    if case .number(0)? = values[kind + "Enable"] { return nil }
    guard case .text(let host)? = values[kind + "Proxy"], !host.isEmpty else { return nil }
    let authority = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    guard case .number(let port)? = values[kind + "Port"] else { return "\(scheme)://\(authority)" }
    return "\(scheme)://\(authority):\(port)"
  }
}
