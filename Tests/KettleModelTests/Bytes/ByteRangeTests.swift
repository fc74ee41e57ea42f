import Testing

@testable import KettleModel

struct ByteRangeTests {
  @Test func `a range knows its byte count and last byte`() throws {
    let range = try #require(ByteRange(lower: 100, upper: 200))
    #expect(range.byteCount == 100)
    #expect(range.lastByte == 199)
    #expect(!range.isEmpty)
    #expect(try #require(ByteRange(lower: 0, upper: .max)).byteCount == .max)
  }

  @Test func `an empty range is allowed anywhere`() throws {
    for position in [0, 5, Int64.max] {
      #expect(try #require(ByteRange(lower: position, upper: position)).isEmpty)
    }
  }

  @Test func `a range that ends before it begins or begins before the file is rejected`() {
    #expect(ByteRange(lower: 2, upper: 1) == nil)
    #expect(ByteRange(lower: -1, upper: 1) == nil)
    #expect(ByteRange(lower: .min, upper: .max) == nil)
  }
}
