import KettleModel
import KettleScheduler
import Testing

struct RetryAfterTests {
  private func retryAfter(_ value: String, date: String? = nil) -> Int64? {
    var headers = ["Retry-After": value]
    headers["Date"] = date
    return RetryAfter(SchedulerScript.head(503, headers), at: SchedulerScript().now)?.milliseconds
  }

  @Test func `Retry-After in seconds`() {
    #expect(retryAfter("120") == 120_000)
    #expect(retryAfter("0") == 0)
    #expect(retryAfter("9223372036854775807") == .max)
    for rubbish in ["-1", "1.5", "soon", "", "99999999999999999999999"] {
      #expect(retryAfter(rubbish) == nil, "\(rubbish)")
    }
  }

  @Test func `Retry-After as a date is measured by the server's clock`() {
    let later = "Sun, 06 Nov 1994 08:50:37 GMT"
    #expect(retryAfter(later, date: "Sun, 06 Nov 1994 08:49:37 GMT") == 60_000)
    #expect(retryAfter(later, date: "Sun, 06 Nov 1994 08:59:37 GMT") == 0)
    // Without a Date our own clock is used, and this date is long past.
    #expect(retryAfter(later) == 0)
  }
}
