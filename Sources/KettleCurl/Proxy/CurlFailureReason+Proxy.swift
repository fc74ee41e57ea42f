import CKettleCurl
import KettleModel

extension CurlFailureReason {
  /// The failure of the proxy; nil if the failure is not the proxy's.
  func proxyFailure(url: TransferURL) -> TransferFailure? {
    guard let proxy else { return nil }
    let isGranted = (200...299).contains(proxyStatus)
    if proxyStatus != 0, !isGranted { return refused(url, by: proxy) }
    // Once the tunnel to the server is open, the proxy has succeeded. The two layers of TLS with an
    // https proxy cannot be distinguished.
    let isThrough = proxy.scheme == .https ? isGranted : hasTLSBegun
    if isConnected || isThrough || isWithoutNetwork || isNameUnknown { return nil }
    let name = proxy.hostAndPort
    return switch code {
    case CURLE_COULDNT_RESOLVE_PROXY:
      TransferFailure(.proxyUnreachable, on: name, detail: "its name was not found")
    case CURLE_OPERATION_TIMEDOUT:
      TransferFailure(.proxyUnreachable, on: name, detail: "it did not respond in time")
    case CURLE_COULDNT_CONNECT: TransferFailure(.proxyUnreachable, on: name, detail: detail)
    case CURLE_PROXY: socksLoginFailure(name) ?? failed(url, "\(name) \(socksProblem)")
    case CURLE_URL_MALFORMAT, CURLE_COULDNT_RESOLVE_HOST, CURLE_SSL_CACERT_BADFILE,
      CURLE_FAILED_INIT:
      nil
    default: failed(url, name + (detail.map { ": " + $0 } ?? ""))
    }
  }

  /// The proxy has answered CONNECT with a status other than 2xx.
  private func refused(_ url: TransferURL, by proxy: ProxyServer) -> TransferFailure {
    switch StatusMeaning(status: proxyStatus, hasRetryAfter: false) {
    case .user: proxy.loginFailure
    // Status 511 comes from a network on the way (RFC 6585, section 6), not from the server.
    case .network: TransferFailure(.httpStatus, on: url.text, detail: "\(proxyStatus)")
    case .passing, .host, .final: failed(url, proxy.refusal(proxyStatus))
    }
  }

  private func failed(_ url: TransferURL, _ problem: String) -> TransferFailure {
    TransferFailure(.proxyFailed, on: url.hostAndPort, detail: problem)
  }

  private func socksLoginFailure(_ name: String) -> TransferFailure? {
    switch CURLproxycode(rawValue: proxyError) {
    case CURLPX_USER_REJECTED, CURLPX_NO_AUTH, CURLPX_GSSAPI, CURLPX_UNKNOWN_MODE:
      TransferFailure(.proxyLoginNeeded, on: name, detail: socksProblem)
    default: nil
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

extension TransferFailure {
  var isOfTheProxy: Bool {
    code == .proxyFailed || code == .proxyUnreachable || code == .proxyLoginNeeded
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
  func refusal(_ status: Int) -> String { "\(hostAndPort) responded with \(status)" }

  /// The failure for a response with status 407.
  var loginFailure: TransferFailure {
    TransferFailure(
      .proxyLoginNeeded, on: hostAndPort, detail: login == nil ? nil : "rejected the login")
  }
}
