import CKettleCurl
import Glibc
import KettleModel
import Testing

@testable import KettleCurl

struct CurlFailureReasonTests {
  private func failure(
    _ code: CURLcode, text: String = "", systemError: Int32 = 0, proxyStatus: Int = 0,
    proxy: ProxyServer? = nil, proxyError: CURLproxycode = CURLPX_OK, isConnected: Bool = true,
    isInsideHead: Bool = false, url: String = "https://example.org/a?token=secret"
  ) throws -> TransferFailure {
    CurlFailureReason(
      code: code, text: text, systemError: systemError, proxy: proxy,
      proxyStatus: proxyStatus, proxyError: proxyError.rawValue,
      isInsideHead: isInsideHead, isConnected: isConnected, hasTLSBegun: false
    ).failure(
      url: try TransferURL.parse(url).get().url,
      certificates: TrustedCertificates(file: "/ca.pem", directory: nil))
  }

  @Test func `each code of libcurl maps to a failure code`() throws {
    let table: [(CURLcode, TransferFailure.Code)] = [
      (CURLE_URL_MALFORMAT, .badURL), (CURLE_COULDNT_RESOLVE_HOST, .hostNotFound),
      (CURLE_COULDNT_RESOLVE_PROXY, .proxyFailed), (CURLE_PROXY, .proxyFailed),
      (CURLE_COULDNT_CONNECT, .connectionRefused), (CURLE_OPERATION_TIMEDOUT, .timedOut),
      (CURLE_SSL_CONNECT_ERROR, .tlsRefused), (CURLE_PEER_FAILED_VERIFICATION, .tlsRefused),
      (CURLE_SSL_CACERT_BADFILE, .certificateFileUnusable), (CURLE_PARTIAL_FILE, .truncated),
      (CURLE_RECV_ERROR, .connectionLost), (CURLE_SEND_ERROR, .connectionLost),
      (CURLE_GOT_NOTHING, .connectionLost), (CURLE_UNSUPPORTED_PROTOCOL, .protocolBroken),
      (CURLE_WEIRD_SERVER_REPLY, .protocolBroken), (CURLE_LOGIN_DENIED, .loginNeeded),
      (CURLE_OUT_OF_MEMORY, .internalProblem), (CURLE_FAILED_INIT, .internalProblem),
    ]
    for (code, ours) in table { #expect(try failure(code).code == ours, "code \(code.rawValue)") }
  }

  @Test func `the system error determines the failure code`() throws {
    #expect(
      try failure(CURLE_COULDNT_CONNECT, systemError: ECONNREFUSED).code == .connectionRefused)
    for error in [ENETUNREACH, EHOSTUNREACH, ENETDOWN] {
      #expect(try failure(CURLE_COULDNT_CONNECT, systemError: error).code == .networkDown)
    }
    for error in [EADDRNOTAVAIL, ECONNRESET] {
      #expect(try failure(CURLE_COULDNT_CONNECT, systemError: error).code == .connectionLost)
    }
    #expect(try failure(CURLE_COULDNT_CONNECT, systemError: ETIMEDOUT).code == .timedOut)
  }

  @Test func `an aborted handshake is a lost connection, not a refused identity`() throws {
    let broken = "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to example.org:443 "
    #expect(try failure(CURLE_SSL_CONNECT_ERROR, text: broken).code == .connectionLost)
    // A reset between connect(2) and the first byte is reported by the next failing call.
    let early = "getpeername() failed with errno 107: Transport endpoint is not connected"
    for error in [ECONNRESET, EPIPE] {
      let lost = try failure(CURLE_SSL_CONNECT_ERROR, text: early, systemError: error)
      #expect(lost.code == .connectionLost)
    }
    let refused = try failure(
      CURLE_SSL_CONNECT_ERROR, text: "alert handshake failure", systemError: ECONNREFUSED)
    #expect(refused.code == .tlsRefused, "an address before it refused the connection")
  }

  @Test(arguments: [
    "Illegal or missing hexadecimal sequence in chunked-encoding",
    "chunk hex-length char not a hex digit: 0x7a", "invalid chunk size: '8000000000000000'",
  ])
  func `malformed chunks break the protocol`(text: String) throws {
    #expect(try failure(CURLE_RECV_ERROR, text: text).code == .protocolBroken)
  }

  @Test func `a proxy that refuses to connect fails as the proxy`() throws {
    let proxy = try #require(ProxyServer("http://proxy:3128"))
    let refused = try failure(
      CURLE_RECV_ERROR, text: "Received HTTP code 403 from proxy after CONNECT", proxyStatus: 403,
      proxy: proxy, isConnected: false)
    #expect(refused.code == .proxyFailed)
    #expect(refused.detail == "proxy:3128 responded with 403")
    #expect(
      try failure(CURLE_RECV_ERROR, proxyStatus: 200, proxy: proxy).code == .connectionLost)
  }

  @Test func `without a network the failure is not the proxy's`() throws {
    let failure = try failure(
      CURLE_COULDNT_CONNECT, systemError: ENETUNREACH, proxy: ProxyServer("proxy"),
      isConnected: false)
    #expect(failure.code == .networkDown)
  }

  @Test func `a header line too long for libcurl breaks the protocol`() throws {
    #expect(try failure(CURLE_OUT_OF_MEMORY, isInsideHead: true).code == .protocolBroken)
  }

  @Test func `the subject is the host, with its port if that is not the default`() throws {
    #expect(try failure(CURLE_RECV_ERROR).subject == "example.org")
    #expect(
      try failure(CURLE_RECV_ERROR, url: "https://example.org:8443/").subject
        == "example.org:8443")
    #expect(try failure(CURLE_SSL_CACERT_BADFILE).subject == "/ca.pem")
  }

  @Test func `the detail is safe to display`() throws {
    #expect(
      try failure(CURLE_RECV_ERROR, systemError: ECONNRESET).detail == "Connection reset by peer")
    #expect(try failure(CURLE_RECV_ERROR, text: "a\u{1B}[2Jb.").detail == "a\u{FFFD}[2Jb")
    #expect(try failure(CURLE_RECV_ERROR).detail == "Failure when receiving data from the peer")
    let long = String(repeating: "x", count: 1000)
    #expect(try failure(CURLE_RECV_ERROR, text: long).detail?.count == 201)
  }
}
