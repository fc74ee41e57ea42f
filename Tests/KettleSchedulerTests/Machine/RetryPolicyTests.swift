import KettleModel
import KettleScheduler
import Testing

struct RetryPolicyTests {
  @Test func `delays double up to a minute`() {
    let policy = RetryPolicy()
    let delays = (0..<9).map { policy.delayMilliseconds(retryCount: $0, jitter: 0) }
    #expect(delays == [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
  }

  @Test func `jitter lengthens a delay by up to a quarter`() {
    let policy = RetryPolicy()
    #expect(policy.delayMilliseconds(retryCount: 2, jitter: 1) == 5000)
    #expect(policy.delayMilliseconds(retryCount: 2, jitter: 7) == 5000)
    #expect(policy.delayMilliseconds(retryCount: 2, jitter: -7) == 4000)
    #expect(policy.delayMilliseconds(retryCount: .max, jitter: 1) == 75_000)
    #expect(policy.delayMilliseconds(retryCount: -5, jitter: 0) == 1000)
  }

  @Test(arguments: TransferFailure.Code.allCases)
  func `every failure is either retried or given up`(_ code: TransferFailure.Code) {
    let transient: Set<TransferFailure.Code> = [
      .hostNotFound, .nameServerSilent, .connectionRefused, .connectionLost, .timedOut,
      .proxyFailed, .proxyUnreachable, .proxyLoginNeeded, .truncated, .rangeReplyWrong,
      .contradictoryReply, .protocolBroken, .noDataConnection, .storeUnavailable,
    ]
    let decision = RetryPolicy().decide(
      TransferFailure(code, on: "x", detail: "404"), retryCount: 0, hasBytes: true,
      retryAfter: nil, jitter: 0)
    if code == .networkDown {
      // An event ends the wait; the delay is for machines that report no change.
      #expect(decision == .retry(afterMilliseconds: 30_000, because: .network))
    } else if transient.contains(code) {
      #expect(decision == .retry(afterMilliseconds: 1000, because: .retry))
    } else {
      #expect(decision == .giveUp)
    }
  }

  // Fault 143
  @Test(
    arguments: [
      ("421 too many", .max - 1, true), ("425 no data", 0, true), ("426 aborted", 0, true),
      ("450 in use", 0, true), ("450 in use", 10, false), ("451 error", 0, true),
      ("550 no such file", 0, false), ("no such file", 0, false), ("421", .max - 1, true),
      ("530 Sorry, the maximum number of clients (2) are already connected", .max - 1, true),
      ("530 Login incorrect", 0, false),
    ] as [(String, Int, Bool)])
  func `temporary replies of an FTP server are retried, and a full one without end`(
    words: String, retryCount: Int, isRetried: Bool
  ) {
    let decision = RetryPolicy().decide(
      TransferFailure(.httpStatus, on: "ftp://h/f", detail: words), retryCount: retryCount,
      hasBytes: false, retryAfter: nil, jitter: 0)
    #expect((decision != .giveUp) == isRetried)
  }

  private func decide(
    _ status: Int, retryCount: Int = 0, retryAfter: RetryAfter? = nil
  ) -> RetryPolicy.Decision {
    RetryPolicy().decide(
      TransferFailure(.httpStatus, on: "http://h/f", detail: "\(status)"), retryCount: retryCount,
      hasBytes: false, retryAfter: retryAfter, jitter: 0)
  }

  // Fault 142
  @Test func `every HTTP status is retried or given up as the table of meanings says`() {
    for status in 100...599 {
      switch StatusMeaning(status: status, hasRetryAfter: false) {
      case .passing, .host:
        #expect(decide(status) == .retry(afterMilliseconds: 1000, because: .retry), "\(status)")
        #expect(decide(status, retryCount: 10) == .giveUp, "\(status)")
      case .network:
        let wait = RetryPolicy.Decision.retry(afterMilliseconds: 10_000, because: .network)
        #expect(decide(status, retryCount: .max) == wait)
      case .final, .user: #expect(decide(status) == .giveUp, "\(status)")
      }
    }
  }

  // Fault 142
  @Test func `a final refusal with Retry-After is waited for a limited number of times`() {
    let later = RetryAfter(milliseconds: 60_000)
    let wait = RetryPolicy.Decision.retry(afterMilliseconds: 60_000, because: .retryAfter)
    for status in [403, 404, 423] {
      #expect(decide(status, retryCount: 9, retryAfter: later) == wait)
      #expect(decide(status, retryCount: 10, retryAfter: later) == .giveUp)
    }
    for status in [202, 429, 503, 509] {
      #expect(decide(status, retryCount: 99, retryAfter: later) == wait)
    }
    #expect(decide(401, retryAfter: later) == .giveUp)
  }

  @Test func `a Retry-After of zero still waits a second`() {
    let decision = RetryPolicy().decide(
      TransferFailure(.httpStatus, on: "x", detail: "503"), retryCount: 99, hasBytes: false,
      retryAfter: RetryAfter(milliseconds: 0), jitter: 0)
    #expect(decision == .retry(afterMilliseconds: 1000, because: .retryAfter))
  }
}
