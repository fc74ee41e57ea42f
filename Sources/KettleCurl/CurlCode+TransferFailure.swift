import CKettleCurl
import Glibc
import KettleModel
import KettleSystem

/// Everything that libcurl reports about why an exchange failed.
struct CurlFailureReason {
  var code: CURLcode
  /// CURLOPT_ERRORBUFFER(3); may be empty.
  var text: String
  /// CURLINFO_OS_ERRNO(3); 0 when no system call failed.
  var systemError: Int32
  /// The proxy of the attempt; nil for none.
  var proxy: ProxyServer?
  /// The proxy's status for CONNECT; 0 when there was no CONNECT.
  var proxyStatus: Int
  /// CURLINFO_PROXY_ERROR(3): the error of a SOCKS proxy; 0 for none.
  var proxyError: UInt32
  var isInsideHead: Bool
  /// Whether the request could be sent.
  var isConnected: Bool
  var hasTLSBegun: Bool

  /// The only mapping from libcurl's codes to ours.
  func failure(url: TransferURL, certificates: TrustedCertificates) -> TransferFailure {
    if let failure = proxyFailure(url: url) { return failure }
    return switch failureCode {
    case .badURL: TransferFailure(.badURL, on: url.text, detail: detail)
    case .hostNotFound: TransferFailure(.hostNotFound, on: url.host)
    case .certificateFileUnusable:
      TransferFailure(
        .certificateFileUnusable, on: certificates.file ?? certificates.directory ?? url.hostAndPort
      )
    case let failureCode: TransferFailure(failureCode, on: url.hostAndPort, detail: detail)
    }
  }

  private var failureCode: TransferFailure.Code {
    switch code {
    case CURLE_URL_MALFORMAT: .badURL
    // libcurl 7.88 does not distinguish an unknown name from a temporary lookup failure.
    case CURLE_COULDNT_RESOLVE_HOST: .hostNotFound
    case CURLE_PROXY where isNameUnknown: .hostNotFound
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .proxyFailed
    case CURLE_COULDNT_CONNECT where isWithoutNetwork: .networkDown
    case CURLE_COULDNT_CONNECT: connectCode
    case CURLE_OPERATION_TIMEDOUT: .timedOut
    case CURLE_SSL_CONNECT_ERROR: handshakeCode
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CIPHER,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CRL_BADFILE, CURLE_SSL_CLIENTCERT:
      .tlsRefused
    case CURLE_SSL_CACERT_BADFILE: .certificateFileUnusable
    case CURLE_PARTIAL_FILE: .truncated
    case CURLE_RECV_ERROR: receiveCode
    case CURLE_GOT_NOTHING, CURLE_SEND_ERROR: .connectionLost
    // Neither http nor https, HTTP/0.9, or not HTTP at all.
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING,
      CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3:
      .protocolBroken
    case CURLE_LOGIN_DENIED, CURLE_AUTH_ERROR: .loginNeeded
    // libcurl 7.88 has no separate code for a header line that is too long for it.
    case CURLE_OUT_OF_MEMORY where isInsideHead && isConnected: .protocolBroken
    default: .internalProblem
    }
  }

  private var connectCode: TransferFailure.Code {
    switch systemError {
    case ETIMEDOUT: .timedOut
    // A reset can arrive before the news that the connection is established.
    case EADDRNOTAVAIL, ECONNRESET, EPIPE: .connectionLost
    default: .connectionRefused
    }
  }

  /// Whether this machine has no route. A router without a route reports the same (ICMP); then too,
  /// the network has to come back.
  var isWithoutNetwork: Bool {
    [ENETUNREACH, ENETDOWN, EHOSTUNREACH, EHOSTDOWN].contains(systemError)
  }

  /// A connection that breaks during the handshake has the code of a refused one. The failed system
  /// call distinguishes them. Its text does not always, because libcurl keeps the text of the first
  /// failed call (such as getpeername(2)). Where no call failed there is only the text
  /// (lib/vtls/openssl.c).
  private var handshakeCode: TransferFailure.Code {
    if Self.errorsOfBrokenConnections.contains(systemError) { return .connectionLost }
    let broken = ["SSL_ERROR_SYSCALL", "unexpected eof", "Connection reset", "Broken pipe"]
    return broken.contains(where: text.contains) ? .connectionLost : .tlsRefused
  }

  private static let errorsOfBrokenConnections = [
    ECONNRESET, EPIPE, ECONNABORTED, ENOTCONN, ETIMEDOUT,
  ]

  /// libcurl has one code for a lost connection and for malformed chunks. Its judgement of chunks
  /// matters only for those that it holds back, before `ChunkDecoder` sees them. The texts differ
  /// between releases.
  private var receiveCode: TransferFailure.Code {
    text.contains("chunk") ? .protocolBroken : .connectionLost
  }

  /// The error text, safe to show; for a failed system call, its own text.
  var detail: String? {
    if systemError != 0 { return SystemError(systemError).message }
    let said = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    let shown = said.sanitizedForDisplay(limit: 200)
    return shown.hasSuffix(".") ? String(shown.dropLast()) : shown
  }
}

extension TransferURL {
  /// The host and port that a failure on the way to the server concerns.
  var hostAndPort: String { port == scheme.defaultPort ? host : "\(host):\(port)" }
}
