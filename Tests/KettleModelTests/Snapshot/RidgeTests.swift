import KettleModel
import Testing

struct RidgeTests {
  private func range(_ lower: Int64, _ upper: Int64) throws -> ByteRange {
    try #require(ByteRange(lower: lower, upper: upper))
  }

  @Test func `the height of a part is its share of the fastest`() throws {
    var speeds = ArrivalSpeeds()
    speeds.record(try range(0, 2400), bytesPerSecond: 1000, total: 4800)
    speeds.record(try range(2400, 4800), bytesPerSecond: 500, total: 4800)
    let ridge = try #require(speeds.ridge(ByteRangeSet(prefix: 4800), total: 4800))
    #expect(ridge.levels(count: 4) == [8, 8, 4, 4])
    #expect(ridge.levels(count: 96).count == 96)
  }

  @Test func `parts that have not arrived have no height`() throws {
    var speeds = ArrivalSpeeds()
    speeds.record(try range(0, 1200), bytesPerSecond: 1000, total: 4800)
    var arrived = ByteRangeSet(prefix: 1200)
    arrived.insert(try range(3600, 4800))
    let ridge = try #require(speeds.ridge(arrived, total: 4800))
    // The speed of the last quarter is not known.
    #expect(ridge.levels(count: 4) == [8, 0, 0, 4])
  }

  @Test func `the first bytes are visible`() throws {
    let ridge = try #require(ArrivalSpeeds().ridge(ByteRangeSet(prefix: 1), total: 1 << 40))
    #expect(ridge.levels(count: 10) == [1, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test func `nothing is drawn of an unknown or impossible file`() throws {
    var speeds = ArrivalSpeeds()
    speeds.record(try range(0, 10), bytesPerSecond: .max, total: 0)
    speeds.record(try range(5, .max), bytesPerSecond: .max, total: 10)
    #expect(speeds.ridge(ByteRangeSet(), total: 10) == nil)
    #expect(speeds.ridge(ByteRangeSet(prefix: .max), total: -1) == nil)
    #expect(speeds.ridge(ByteRangeSet(prefix: .max), total: 1)?.levels(count: 2) == [4, 4])
    #expect(speeds.ridge(ByteRangeSet(prefix: 1), total: 1)?.levels(count: 0) == [])
  }

  @Test func `the speeds of another file are forgotten`() throws {
    var speeds = ArrivalSpeeds()
    speeds.record(try range(0, 50), bytesPerSecond: 9000, total: 100)
    speeds.record(try range(0, 480), bytesPerSecond: 10, total: 480)
    #expect(speeds.ridge(ByteRangeSet(prefix: 480), total: 480)?.levels(count: 2) == [8, 8])
  }
}
