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

  @Test func `it starts empty and fills with the time`() throws {
    var bucket = try bucket(10_000)
    #expect(bucket.available == 0)
    bucket.count(until: time(100))
    #expect(bucket.available == 1000)
    bucket.take(400)
    bucket.count(until: time(101))
    #expect(bucket.available == 610)
  }

  @Test func `a rest is not saved up`() throws {
    var bucket = try bucket(1_000_000)
    bucket.count(until: time(3_600_000))
    #expect(bucket.available == 187_000)
  }

  @Test func `parts of a byte are not lost`() throws {
    var bucket = try bucket(3)
    var taken: Int64 = 0
    for millisecond in 1...10_000 {
      bucket.count(until: time(Int64(millisecond)))
      taken += bucket.available
      bucket.take(bucket.available)
    }
    #expect(taken == 30)
  }

  @Test func `no more is taken than is there`() throws {
    var bucket = try bucket(1000)
    bucket.count(until: time(50))
    bucket.take(1 << 40)
    #expect(bucket.available == 0)
    bucket.take(-5)
    #expect(bucket.available == 0)
    bucket.putBack(1 << 40)
    #expect(bucket.available == 187)
  }

  @Test(arguments: [1, 10, 16_384, 1_000_000, 209_715_200, Int64.max])
  func `it says when it is worth to come again`(bytesPerSecond: Int64) throws {
    var bucket = try bucket(bytesPerSecond)
    #expect(!bucket.isWorthTaking)
    let then = bucket.worthTakingAt
    #expect((1...1000).contains(then.milliseconds))
    bucket.count(until: time(then.milliseconds - 1))
    #expect(!bucket.isWorthTaking)
    bucket.count(until: then)
    #expect(bucket.isWorthTaking)
  }

  @Test func `another rate keeps what fits into it`() throws {
    var old = try bucket(1_000_000)
    old.count(until: time(100))
    let slower = try #require(TokenBucket(bytesPerSecond: 1000, after: old, at: time(100)))
    #expect(slower.available == 187)
    let faster = try #require(TokenBucket(bytesPerSecond: 2_000_000, after: old, at: time(110)))
    #expect(faster.available == 110_000)
  }

  @Test func `numbers at the ends of their range do no harm`() throws {
    var bucket = try bucket(.max)
    bucket.count(until: time(.max))
    #expect(bucket.isWorthTaking)
    bucket.count(until: time(.min))
    bucket.putBack(.max)
    bucket.take(.max)
    #expect(bucket.available == 0)
  }

  @Test(arguments: [nil, 0, -1])
  func `no limit is none`(limit: Int64?) {
    #expect(TokenBucket(bytesPerSecond: limit, at: time(0)) == nil)
  }
}
