import CKettleCurl
import KettleModel

extension CurlFailureReason {
  /// What the proxy did wrong; nil when the failure is not the proxy's.
  var proxyProblem: String? {
    guard let proxy else { return nil }
    let isGranted = (200...299).contains(proxyStatus)
    if proxyStatus != 0, !isGranted { return proxy.refusal(proxyStatus) }
    // Once the way to the server is open, the proxy has done its part. The two layers of TLS behind
    // an https proxy cannot be distinguished.
    let isThrough = proxy.scheme == .https ? isGranted : hasTLSBegun
    if isConnected || isThrough || isWithoutNetwork || isNameUnknown { return nil }
    let name = proxy.hostAndPort
    return switch code {
    case CURLE_COULDNT_RESOLVE_PROXY: "\(proxy.host) was not found"
    case CURLE_OPERATION_TIMEDOUT: "nothing came through \(name) in time"
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
      "does not reach the server"
    case CURLPX_RESOLVE_HOST: "does not find the server"
    case CURLPX_REPLY_NOT_ALLOWED: "does not allow it"
    case CURLPX_USER_REJECTED: "refuses the login"
    case CURLPX_NO_AUTH, CURLPX_GSSAPI, CURLPX_UNKNOWN_MODE:
      "asks for another login"
    default: "is no SOCKS proxy, or closed the connection"
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
    guard status == 407 else { return "\(hostAndPort) answered \(status)" }
    return hostAndPort + (login == nil ? " asks for a login" : " refuses the login")
  }
}
