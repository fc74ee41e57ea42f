import Foundation
import FoundationNetworking
import KettleModel
import KettleSystem

/// The times and the connections of a task.
///
/// The service stores them with the task, so they also describe what happened while the program was
/// not running. Source: Apple's documentation of `URLSessionTaskMetrics`.
///
/// ```swift
/// import BackgroundTransfer
/// import Foundation
///
/// func report(_ metrics: URLSessionTaskMetrics) {
///   for transaction in metrics.transactionMetrics {
///     print(transaction.remoteAddress ?? "none", transaction.networkProtocolName ?? "unknown")
///   }
/// }
/// ```
public final class URLSessionTaskMetrics: Sendable {
  /// Where a response came from. Source: Apple's documentation of
  /// `URLSessionTaskMetrics.ResourceFetchType`.
  ///
  /// ```swift
  /// let isFresh = URLSessionTaskMetrics.ResourceFetchType.networkLoad
  /// ```
  public enum ResourceFetchType: Int, Sendable {
    /// Not known.
    case unknown = 0
    /// From the network, as every response of the service.
    case networkLoad = 1
    /// Not used.
    case serverPush = 2
    /// Not used.
    case localCache = 3
  }

  /// One element for each request, in the order of their ends: redirects, retries, and each
  /// connection of a task with several. Of more than ten, the ten latest. Empty for a task that
  /// made no request.
  ///
  /// FoundationNetworking measures nothing. For its tasks, the only element is the last request,
  /// with the times at which its first and its last byte arrived.
  public let transactionMetrics: [URLSessionTaskTransactionMetrics]
  /// From the first start of the task to its end.
  public let taskInterval: DateInterval
  /// The number of redirects that were followed.
  public let redirectCount: Int

  init(
    transactionMetrics: [URLSessionTaskTransactionMetrics], taskInterval: DateInterval,
    redirectCount: Int
  ) {
    self.transactionMetrics = transactionMetrics
    self.taskInterval = taskInterval
    self.redirectCount = redirectCount
  }

  convenience init(_ handle: TaskHandle) {
    let (snapshot, request) = (handle.view.snapshot, handle.originalRequest)
    let status = snapshot?.task
    let measurements = status?.measurements ?? []
    let last = measurements.indices.last
    let start = (status?.startedAt ?? measurements.first?.startedAt ?? .now()).date
    self.init(
      transactionMetrics: request.map { request in
        measurements.enumerated().map { index, measurement in
          URLSessionTaskTransactionMetrics(
            measurement, request, response: index == last ? handle.response : nil)
        }
      } ?? [],
      taskInterval: DateInterval(
        start: start, end: max(start, snapshot?.finishedAt?.date ?? start)),
      redirectCount: status?.redirectCount ?? 0)
  }
}

extension URLSessionTaskMetrics: Hashable {
  /// Returns whether both are the same object, as `NSObject` does on Apple's systems.
  public static func == (left: URLSessionTaskMetrics, right: URLSessionTaskMetrics) -> Bool {
    left === right
  }

  /// Hashes the identity of the object.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// One request of a task and its response.
///
/// Times are nil for what did not happen: a reused connection has no name look-up, a connection
/// without TLS no secure connection. Source: Apple's documentation of
/// `URLSessionTaskTransactionMetrics`; the times are those of curl_easy_getinfo(3).
///
/// ```swift
/// import BackgroundTransfer
/// import Foundation
///
/// func delay(of transaction: URLSessionTaskTransactionMetrics) -> TimeInterval? {
///   guard let start = transaction.requestStartDate, let end = transaction.responseStartDate
///   else { return nil }
///   return end.timeIntervalSince(start)
/// }
/// ```
public final class URLSessionTaskTransactionMetrics: Sendable {
  private let measurement: AttemptMeasurement
  /// The request of the task, with the URL of this transaction.
  public let request: URLRequest
  /// The response; for all but the last transaction without headers. nil without a response.
  public let response: URLResponse?

  init(_ measurement: AttemptMeasurement, _ request: URLRequest, response: URLResponse?) {
    self.measurement = measurement
    var own = request
    if let url = URL(string: measurement.url) { own.url = url }
    self.request = own
    self.response =
      measurement.status.flatMap { status in
        response
          ?? TaskResponse(reply: ServerReply(url: measurement.url, status: status, headers: []))
      }
  }

  /// The date that lies the given time after the start.
  private func date(_ microseconds: Int64?) -> Date? {
    microseconds.map { measurement.startedAt.date + Double($0) / 1_000_000 }
  }

  /// When the service began with the request.
  public var fetchStartDate: Date? { measurement.startedAt.date }
  /// When the look-up of the name began.
  public var domainLookupStartDate: Date? { domainLookupEndDate == nil ? nil : fetchStartDate }
  /// When the address was known.
  public var domainLookupEndDate: Date? { date(measurement.nameLookupMicroseconds) }
  /// When the service began to connect.
  public var connectStartDate: Date? {
    measurement.connectMicroseconds == nil ? nil : domainLookupEndDate ?? fetchStartDate
  }
  /// When the TLS handshake began.
  public var secureConnectionStartDate: Date? {
    secureConnectionEndDate == nil ? nil : date(measurement.connectMicroseconds)
  }
  /// When the TLS handshake was complete.
  public var secureConnectionEndDate: Date? { date(measurement.secureConnectMicroseconds) }
  /// When the connection was established, including TLS.
  public var connectEndDate: Date? {
    secureConnectionEndDate ?? date(measurement.connectMicroseconds)
  }
  /// When the service began to send the request.
  public var requestStartDate: Date? { date(measurement.requestMicroseconds) }
  /// When the request was sent; nil for a request with a body, whose end libcurl does not report.
  public var requestEndDate: Date? {
    measurement.requestBodyByteCount > 0 ? nil : requestStartDate
  }
  /// When the first byte of the response arrived.
  public var responseStartDate: Date? { date(measurement.responseMicroseconds) }
  /// When the last byte of the response arrived.
  public var responseEndDate: Date? {
    responseStartDate == nil ? nil : date(measurement.totalMicroseconds)
  }

  /// The protocol by its name in ALPN (RFC 7301): `http/1.1`, `h2`.
  public var networkProtocolName: String? { measurement.protocolName }
  /// Whether the connection led to a proxy.
  public var isProxyConnection: Bool { measurement.isProxied }
  /// Whether the connection was left open by an earlier request.
  public var isReusedConnection: Bool { measurement.isReusedConnection }
  /// Where the response came from: `networkLoad`.
  public var resourceFetchType: URLSessionTaskMetrics.ResourceFetchType { .networkLoad }

  /// The number of bytes in the headers of the request.
  public var countOfRequestHeaderBytesSent: Int64 { measurement.requestHeaderByteCount }
  /// The number of bytes sent of the request's body.
  public var countOfRequestBodyBytesSent: Int64 { measurement.requestBodyByteCount }
  /// The same: the service does not encode the body.
  public var countOfRequestBodyBytesBeforeEncoding: Int64 { measurement.requestBodyByteCount }
  /// The number of bytes in the headers of the response.
  public var countOfResponseHeaderBytesReceived: Int64 { measurement.responseHeaderByteCount }
  /// The number of bytes received of the response's body.
  public var countOfResponseBodyBytesReceived: Int64 { measurement.responseBodyByteCount }
  /// The same: the service does not decode the body.
  public var countOfResponseBodyBytesAfterDecoding: Int64 { measurement.responseBodyByteCount }

  /// The address of this machine.
  public var localAddress: String? { measurement.localAddress }
  /// The port of this machine.
  public var localPort: Int? { measurement.localPort }
  /// The address of the server, or of the proxy.
  public var remoteAddress: String? { measurement.remoteAddress }
  /// The port of the server, or of the proxy.
  public var remotePort: Int? { measurement.remotePort }

  /// The version of TLS; nil without TLS, and on a reused connection.
  public var negotiatedTLSProtocolVersion: tls_protocol_version_t? {
    measurement.tlsVersion.flatMap(tls_protocol_version_t.init(name:))
  }
  /// The cipher suite; nil without TLS, on a reused connection, and for one that
  /// `tls_ciphersuite_t` does not have.
  public var negotiatedTLSCipherSuite: tls_ciphersuite_t? {
    measurement.cipherSuite.flatMap(tls_ciphersuite_t.init(name:))
  }

  /// Always false: Linux does not tell the kind of a network.
  public var isCellular: Bool { false }
  /// Always false: see `URLSessionConfiguration.allowsExpensiveNetworkAccess`.
  public var isExpensive: Bool { false }
  /// Always false: see `URLSessionConfiguration.allowsConstrainedNetworkAccess`.
  public var isConstrained: Bool { false }
  /// Always false: the service does not use Multipath TCP.
  public var isMultipath: Bool { false }
}

/// A version of TLS, by its number in the protocol. Source: Apple's documentation of
/// `tls_protocol_version_t`.
///
/// ```swift
/// let isCurrent = tls_protocol_version_t.TLSv13
/// ```
public enum tls_protocol_version_t: UInt16, Sendable {
  /// RFC 2246.
  case TLSv10 = 0x0301
  /// RFC 4346.
  case TLSv11 = 0x0302
  /// RFC 5246.
  case TLSv12 = 0x0303
  /// RFC 8446.
  case TLSv13 = 0x0304

  /// Returns the version that a TLS library names `TLSv1.3` (OpenSSL) or `TLS1.3` (GnuTLS).
  init?(name: String) {
    switch name.filter({ $0 != "v" }) {
    case "TLS1", "TLS1.0": self = .TLSv10
    case "TLS1.1": self = .TLSv11
    case "TLS1.2": self = .TLSv12
    case "TLS1.3": self = .TLSv13
    default: return nil
    }
  }
}

/// A cipher suite, by its number in IANA's registry; the suites that servers commonly choose.
/// Source: Apple's documentation of `tls_ciphersuite_t`.
///
/// ```swift
/// let suite = tls_ciphersuite_t.AES_256_GCM_SHA384
/// ```
public enum tls_ciphersuite_t: UInt16, Sendable {
  /// RFC 8446.
  case AES_128_GCM_SHA256 = 0x1301
  /// RFC 8446.
  case AES_256_GCM_SHA384 = 0x1302
  /// RFC 8446.
  case CHACHA20_POLY1305_SHA256 = 0x1303
  /// RFC 5289.
  case ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 = 0xC02B
  /// RFC 5289.
  case ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 = 0xC02C
  /// RFC 5289.
  case ECDHE_RSA_WITH_AES_128_GCM_SHA256 = 0xC02F
  /// RFC 5289.
  case ECDHE_RSA_WITH_AES_256_GCM_SHA384 = 0xC030
  /// RFC 7905.
  case ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 = 0xCCA8
  /// RFC 7905.
  case ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 = 0xCCA9

  /// Returns the suite with the name of OpenSSL or of GnuTLS.
  init?(name: String) {
    // `ECDHE-RSA-AES256-GCM-SHA384`, `ECDHE_RSA_AES_256_GCM_SHA384`, `TLS_AES_256_GCM_SHA384`.
    var key = name.uppercased().filter { $0 != "-" && $0 != "_" }
    if key.hasPrefix("TLS") { key.removeFirst(3) }
    switch key {
    case "AES128GCMSHA256": self = .AES_128_GCM_SHA256
    case "AES256GCMSHA384": self = .AES_256_GCM_SHA384
    case "CHACHA20POLY1305SHA256": self = .CHACHA20_POLY1305_SHA256
    case "ECDHEECDSAAES128GCMSHA256": self = .ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
    case "ECDHEECDSAAES256GCMSHA384": self = .ECDHE_ECDSA_WITH_AES_256_GCM_SHA384
    case "ECDHERSAAES128GCMSHA256": self = .ECDHE_RSA_WITH_AES_128_GCM_SHA256
    case "ECDHERSAAES256GCMSHA384": self = .ECDHE_RSA_WITH_AES_256_GCM_SHA384
    case "ECDHERSACHACHA20POLY1305", "ECDHERSACHACHA20POLY1305SHA256":
      self = .ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256
    case "ECDHEECDSACHACHA20POLY1305", "ECDHEECDSACHACHA20POLY1305SHA256":
      self = .ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256
    default: return nil
    }
  }
}
