import KettleModel
import Testing

@testable import KettleCurl

struct TokenBucketTests {
  private func bucket(_ bytesPerSecond: Int64) throws -> TokenBucket {
    try #require(TokenBucket(bytesPerSecond: bytesPerSecond, at: time(0)))
  }

  private func time(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(milliseconds: milliseconds)
  }

  @Test func `a bucket starts empty and fills over time`() throws {
    var bucket = try bucket(10_000)
    #expect(bucket.available == 0)
    bucket.count(until: time(100))
    #expect(bucket.available == 1000)
    bucket.consume(400)
    bucket.count(until: time(101))
    #expect(bucket.available == 610)
  }

  @Test func `idle time is not saved up`() throws {
    var bucket = try bucket(1_000_000)
    bucket.count(until: time(3_600_000))
    #expect(bucket.available == 187_000)
  }

  @Test func `fractions of a byte are not lost`() throws {
    var bucket = try bucket(3)
    var taken: Int64 = 0
    for millisecond in 1...10_000 {
      bucket.count(until: time(Int64(millisecond)))
      taken += bucket.available
      bucket.consume(bucket.available)
    }
    #expect(taken == 30)
  }

  @Test func `no more bytes are consumed than are available`() throws {
    var bucket = try bucket(1000)
    bucket.count(until: time(50))
    bucket.consume(1 << 40)
    #expect(bucket.available == 0)
    bucket.consume(-5)
    #expect(bucket.available == 0)
    bucket.refund(1 << 40)
    #expect(bucket.available == 187)
  }

  @Test(arguments: [1, 10, 16_384, 1_000_000, 209_715_200, Int64.max])
  func `a bucket reports when resuming is worthwhile`(bytesPerSecond: Int64) throws {
    var bucket = try bucket(bytesPerSecond)
    #expect(!bucket.isWorthResuming)
    let then = bucket.worthResumingAt
    #expect((1...1000).contains(then.milliseconds))
    bucket.count(until: time(then.milliseconds - 1))
    #expect(!bucket.isWorthResuming)
    bucket.count(until: then)
    #expect(bucket.isWorthResuming)
  }

  @Test func `a changed rate keeps the stored bytes that fit`() throws {
    var old = try bucket(1_000_000)
    old.count(until: time(100))
    let slower = try #require(TokenBucket(bytesPerSecond: 1000, after: old, at: time(100)))
    #expect(slower.available == 187)
    let faster = try #require(TokenBucket(bytesPerSecond: 2_000_000, after: old, at: time(110)))
    #expect(faster.available == 110_000)
  }

  @Test func `extreme numbers are harmless`() throws {
    var bucket = try bucket(.max)
    bucket.count(until: time(.max))
    #expect(bucket.isWorthResuming)
    bucket.count(until: time(.min))
    bucket.refund(.max)
    bucket.consume(.max)
    #expect(bucket.available == 0)
  }

  @Test(arguments: [nil, 0, -1])
  func `no limit means no bucket`(limit: Int64?) {
    #expect(TokenBucket(bytesPerSecond: limit, at: time(0)) == nil)
  }
}
