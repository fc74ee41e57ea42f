import TransferModel

/// Tells when an attempt has had its share of bytes.
///
/// libcurl's own limit (CURLOPT_MAX_RECV_SPEED_LARGE) is no limit in 7.88: with 1 MB/s, 6 MB came
/// in 0.4 s.
struct SpeedLimit {
  /// Bytes come in bursts of that much time, so that a fast limit does not mean a wake-up for each
  /// 16 KiB; and as much may be caught up with after a late wake-up.
  private static let burstMicroseconds: Int64 = 125_000

  let bytesPerSecond: Int64
  /// When the bytes that came are paid for, on the monotonic clock; nil before the first.
  private var paidAt: Int64?

  /// Answers nil when there is no limit.
  init?(bytesPerSecond: Int64?) {
    guard let bytesPerSecond, bytesPerSecond > 0 else { return nil }
    self.bytesPerSecond = bytesPerSecond
  }

  /// A buffer is worth a burst. 1 KiB is the least that libcurl takes.
  var bufferByteCount: Int64 { max(bytesPerSecond / 8, 1024) }

  /// When the next bytes may be taken; nil for at once.
  func wait(at now: MonotonicTime) -> MonotonicTime? {
    let (time, isFar) = now.milliseconds.multipliedReportingOverflow(by: 1000)
    guard let paidAt, !isFar, paidAt - time > Self.burstMicroseconds else { return nil }
    return MonotonicTime(milliseconds: paidAt / 1000 + 1)
  }

  mutating func take(_ byteCount: Int, at now: MonotonicTime) {
    let (time, isFar) = now.milliseconds.multipliedReportingOverflow(by: 1000)
    let (scaled, isLarge) = Int64(byteCount).multipliedReportingOverflow(by: 1_000_000)
    guard !isFar, !isLarge else { return }
    let start = max(paidAt ?? time, time - Self.burstMicroseconds)
    let (end, isLate) = start.addingReportingOverflow(scaled / bytesPerSecond)
    paidAt = isLate ? .max : end
  }
}
