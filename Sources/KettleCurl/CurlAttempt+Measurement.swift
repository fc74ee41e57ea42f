import CKettleCurl
import KettleModel

extension CurlAttempt {
  /// What libcurl has measured. `startedAt` is left to the receiver, who has the clock.
  var measurement: AttemptMeasurement {
    var made = AttemptMeasurement(
      url: url.text, startedAt: WallTime(millisecondsSince1970: 0))
    let reuses = number(CURLINFO_NUM_CONNECTS) == 0
    made.isReusedConnection = reuses && requestCount > 0
    if !reuses {
      made.nameLookupMicroseconds = microseconds(CURLINFO_NAMELOOKUP_TIME_T)
      made.connectMicroseconds = microseconds(CURLINFO_CONNECT_TIME_T)
      made.secureConnectMicroseconds = microseconds(CURLINFO_APPCONNECT_TIME_T)
    }
    if requestCount > 0 {
      made.requestMicroseconds = microseconds(CURLINFO_PRETRANSFER_TIME_T)
      made.responseMicroseconds = microseconds(CURLINFO_STARTTRANSFER_TIME_T)
    }
    made.totalMicroseconds = microseconds(CURLINFO_TOTAL_TIME_T) ?? 0
    made.status = number(CURLINFO_RESPONSE_CODE).flatMap { $0 > 0 ? Int($0) : nil }
    made.protocolName = protocolName
    made.localAddress = text(CURLINFO_LOCAL_IP)
    made.localPort = number(CURLINFO_LOCAL_PORT).flatMap { $0 > 0 ? Int($0) : nil }
    made.remoteAddress = text(CURLINFO_PRIMARY_IP)
    made.remotePort = number(CURLINFO_PRIMARY_PORT).flatMap { $0 > 0 ? Int($0) : nil }
    made.tlsVersion = handshake.agreement?.version
    made.cipherSuite = handshake.agreement?.cipherSuite
    made.requestHeaderByteCount = max(0, Int64(number(CURLINFO_REQUEST_SIZE) ?? 0))
    made.requestBodyByteCount = byteCount(CURLINFO_SIZE_UPLOAD_T)
    made.responseHeaderByteCount = max(0, Int64(number(CURLINFO_HEADER_SIZE) ?? 0))
    made.responseBodyByteCount = byteCount(CURLINFO_SIZE_DOWNLOAD_T)
    made.isProxied = proxy != nil
    return made
  }

  private var protocolName: String? {
    switch number(CURLINFO_HTTP_VERSION) {
    case kettle_http_1_0?: "http/1.0"
    case kettle_http_1_1?: "http/1.1"
    case kettle_http_2?: "h2"
    default: nil
    }
  }

  private func number(_ info: CURLINFO) -> CLong? {
    var value: CLong = 0
    return kettle_easy_get_long(easy, info, &value) == CURLE_OK ? value : nil
  }

  /// nil for 0: it did not happen.
  private func microseconds(_ info: CURLINFO) -> Int64? {
    let value = byteCount(info)
    return value > 0 ? value : nil
  }

  private func byteCount(_ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    kettle_easy_get_off(easy, info, &value)
    return max(0, Int64(value))
  }

  private func text(_ info: CURLINFO) -> String? {
    var value: UnsafePointer<CChar>?
    guard kettle_easy_get_text(easy, info, &value) == CURLE_OK, let value else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }
}
