import CKettleCurl
import KettleModel

extension CurlFailureReason {
  /// Why the proxy failed; nil if the failure is not the proxy's.
  var proxyProblem: String? {
    guard let proxy else { return nil }
    let isGranted = (200...299).contains(proxyStatus)
    if proxyStatus != 0, !isGranted { return proxy.refusal(proxyStatus) }
    // Once the tunnel to the server is open, the proxy has succeeded. The two layers of TLS with an
    // https proxy cannot be distinguished.
    let isThrough = proxy.scheme == .https ? isGranted : hasTLSBegun
    if isConnected || isThrough || isWithoutNetwork || isNameUnknown { return nil }
    let name = proxy.hostAndPort
    return switch code {
    case CURLE_COULDNT_RESOLVE_PROXY: "\(proxy.host) was not found"
    case CURLE_OPERATION_TIMEDOUT: "\(name) did not respond in time"
    case CURLE_PROXY: "\(name) \(socksProblem)"
    case CURLE_URL_MALFORMAT, CURLE_COULDNT_RESOLVE_HOST, CURLE_SSL_CACERT_BADFILE,
      CURLE_FAILED_INIT:
      nil
    default: name + (detail.map { ": " + $0 } ?? "")
    }
  }

  /// Whether the local name lookup for a SOCKS proxy failed.
  var isNameUnknown: Bool {
    guard proxy?.scheme == .socks5 || proxy?.scheme == .socks4 else { return false }
    return CURLproxycode(rawValue: proxyError) == CURLPX_RESOLVE_HOST
  }

  /// The replies of RFC 1928, section 6, and the other errors that libcurl distinguishes.
  private var socksProblem: String {
    switch CURLproxycode(rawValue: proxyError) {
    case CURLPX_REPLY_CONNECTION_REFUSED: "was refused by the server"
    case CURLPX_REPLY_HOST_UNREACHABLE, CURLPX_REPLY_NETWORK_UNREACHABLE,
      CURLPX_REPLY_TTL_EXPIRED, CURLPX_REPLY_GENERAL_SERVER_FAILURE:
      "cannot reach the server"
    case CURLPX_RESOLVE_HOST: "cannot find the server"
    case CURLPX_REPLY_NOT_ALLOWED: "does not allow it"
    case CURLPX_USER_REJECTED: "rejected the login"
    case CURLPX_NO_AUTH, CURLPX_GSSAPI, CURLPX_UNKNOWN_MODE:
      "requires a different kind of login"
    default: "is not a SOCKS proxy or closed the connection"
    }
  }
}

extension ProxyServer {
  var speaksHTTP: Bool {
    switch scheme {
    case .http, .https: true
    case .socks4, .socks4a, .socks5, .socks5h: false
    }
  }

  /// Returns the meaning of the proxy's status.
  func refusal(_ status: Int) -> String {
    guard status == 407 else { return "\(hostAndPort) responded with \(status)" }
    return hostAndPort + (login == nil ? " requires a login" : " rejected the login")
  }
}
