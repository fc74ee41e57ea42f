/// What one HTTP exchange of a task took, as the transport measured it.
public struct AttemptMeasurement: Hashable, Sendable, Codable {
  /// Without credentials.
  public var url: String
  public var startedAt: WallTime
  /// The times in microseconds since the start (curl_easy_getinfo(3)); nil for what did not happen.
  public var nameLookupMicroseconds: Int64?
  public var connectMicroseconds: Int64?
  public var secureConnectMicroseconds: Int64?
  public var requestMicroseconds: Int64?
  public var responseMicroseconds: Int64?
  public var totalMicroseconds: Int64 = 0
  /// nil without a response.
  public var status: Int?
  /// The name of the protocol in TLS (RFC 7301, section 6): `http/1.1`, `h2`.
  public var protocolName: String?
  public var localAddress: String?
  public var localPort: Int?
  /// The address of the server or of the proxy.
  public var remoteAddress: String?
  public var remotePort: Int?
  /// As the TLS library names them; nil without TLS, and on a reused connection.
  public var tlsVersion: String?
  public var cipherSuite: String?
  public var requestHeaderByteCount: Int64 = 0
  public var requestBodyByteCount: Int64 = 0
  public var responseHeaderByteCount: Int64 = 0
  public var responseBodyByteCount: Int64 = 0
  public var isReusedConnection = false
  public var isProxied = false

  public init(url: String, startedAt: WallTime) {
    self.url = url
    self.startedAt = startedAt
  }

  /// Whether the response sends the client elsewhere (RFC 9110, section 15.4).
  public var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }
}
