import Testing
import TransferModel

@testable import CurlTransport

struct SpeedLimitTests {
  /// Takes `piece` bytes whenever it may, and answers how many were taken in `seconds`.
  private func taken(limit: Int64, piece: Int, seconds: Int64, lateBy: Int64 = 0) throws -> Int {
    var limit = try #require(SpeedLimit(bytesPerSecond: limit))
    var now: Int64 = 5_000
    var sum = 0
    while now < 5_000 + seconds * 1000 {
      let time = MonotonicTime(milliseconds: now)
      if let wait = limit.wait(at: time) {
        #expect(wait > time)
        now = wait.milliseconds + lateBy
      } else {
        limit.take(piece, at: time)
        sum += piece
      }
    }
    return sum
  }

  @Test(arguments: [
    (Int64(1_000), 1_000), (30_000, 3_750), (1_000_000, 16_384), (50_000_000, 16_384),
    (3, 1_024), (1 << 40, 16_384),
  ])
  func `the mean is the limit`(limit: Int64, piece: Int) throws {
    // A terabyte a second is not taken a piece at a time in a test.
    let seconds: Int64 = limit > 1 << 30 ? 0 : limit < 10 ? 10_000 : 20
    let sum = try taken(limit: limit, piece: piece, seconds: seconds)
    let right = Double(limit) * Double(seconds)
    #expect(abs(Double(sum) - right) <= Double(limit) / 4 + 2 * Double(piece))
  }

  @Test func `a late wake-up is caught up with`() throws {
    let sum = try taken(limit: 1_000_000, piece: 16_384, seconds: 20, lateBy: 20)
    #expect(Double(sum) > 19_500_000)
  }

  @Test func `a rest is not saved up`() throws {
    var limit = try #require(SpeedLimit(bytesPerSecond: 1_000_000))
    limit.take(16_384, at: MonotonicTime(milliseconds: 0))
    let late = MonotonicTime(milliseconds: 3_600_000)
    var sum = 0
    while limit.wait(at: late) == nil {
      limit.take(16_384, at: late)
      sum += 16_384
    }
    #expect(sum < 300_000)
  }

  @Test func `numbers at the ends of their range do no harm`() throws {
    var limit = try #require(SpeedLimit(bytesPerSecond: 1))
    limit.take(.max, at: MonotonicTime(milliseconds: .max))
    #expect(limit.wait(at: MonotonicTime(milliseconds: .max)) == nil)
    limit.take(1 << 40, at: MonotonicTime(milliseconds: 1))
    #expect(limit.wait(at: MonotonicTime(milliseconds: 2)) != nil)
  }

  @Test(arguments: [nil, 0, -1])
  func `no limit is none`(limit: Int64?) {
    #expect(SpeedLimit(bytesPerSecond: limit) == nil)
  }
}
