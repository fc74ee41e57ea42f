import CKettleCurl
import KettleModel

/// How often a connection was opened again because it was not established in time.
///
/// The kernel repeats an unanswered request for a connection after 1, 3, 7 and 15 seconds. When the
/// path works again in between, a new request is answered at once.
struct EstablishingTries {
  private let milliseconds: Int64
  private let endsAt: MonotonicTime
  private var begunAt: MonotonicTime
  private var count: Int64 = 0

  /// A slow path gets more time after so many tries.
  private static let triesPerStep: Int64 = 4

  /// - Parameters:
  ///   - milliseconds: how long the first tries may take.
  ///   - total: how long all of them may take.
  init(milliseconds: Int64, total: Int64, at now: MonotonicTime) {
    self.milliseconds = max(milliseconds, 1)
    begunAt = now
    endsAt = now.advanced(byMilliseconds: total)
  }

  private var nextAt: MonotonicTime {
    let factor = 1 + min(count / Self.triesPerStep, 10)
    let (span, overflow) = milliseconds.multipliedReportingOverflow(by: factor)
    return begunAt.advanced(byMilliseconds: overflow ? .max : span)
  }

  func isDue(at now: MonotonicTime) -> Bool { nextAt <= now && now < endsAt }

  /// Begins another try. Returns how many milliseconds are left for it and all that follow.
  mutating func begin(at now: MonotonicTime) -> Int64 {
    count += 1
    begunAt = now
    return max(endsAt.milliseconds(since: now), 1)
  }
}

extension CurlAttempt {
  /// Whether the connection is to be opened again: the address is known, and nothing has answered.
  func mustEstablishAgain(at now: MonotonicTime) -> Bool {
    guard case .connecting = phase, let tries, tries.isDue(at: now) else { return false }
    return time(CURLINFO_NAMELOOKUP_TIME_T) > 0 && !isEstablished
  }

  /// Whether an address has accepted the connection.
  var isEstablished: Bool { time(CURLINFO_CONNECT_TIME_T) > 0 }

  /// Whether the handshake of TLS or SSH is over.
  var isSecured: Bool { time(CURLINFO_APPCONNECT_TIME_T) > 0 }

  /// Prepares the handle for another try. It is not part of the multi handle meanwhile.
  func establishAgain(at now: MonotonicTime) {
    guard let left = tries?.begin(at: now) else { return }
    _ = kettle_easy_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, Int(Int32(clamping: left)))
  }

  /// How many milliseconds a packet takes to the server and back: as long as the connection took to
  /// be established, or the first byte of the head after the request; nil when unknown.
  var roundTripMilliseconds: Int64? {
    var newConnectionCount: CLong = 0
    kettle_easy_get_long(easy, CURLINFO_NUM_CONNECTS, &newConnectionCount)
    if proxy == nil, newConnectionCount > 0 {
      let established = time(CURLINFO_CONNECT_TIME_T) - time(CURLINFO_NAMELOOKUP_TIME_T)
      if established > 0 { return (established + 999) / 1000 }
    }
    guard let headStartedAt, let firstHeadByteAt else { return nil }
    return max(0, firstHeadByteAt.milliseconds(since: headStartedAt))
  }

  /// A time of the exchange in microseconds since its begin; 0 when that has not happened.
  private func time(_ info: CURLINFO) -> Int64 {
    var microseconds: curl_off_t = 0
    kettle_easy_get_off(easy, info, &microseconds)
    return Int64(microseconds)
  }
}
