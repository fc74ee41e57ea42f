import Foundation
import Testing

@testable import KettleModel

struct MomentTests {
  @Test func `wall time stays within its range`() {
    let zero = WallTime(millisecondsSince1970: 0)
    #expect(zero.advanced(byMilliseconds: -5).millisecondsSince1970 == -5)
    let (last, first) = (
      WallTime(millisecondsSince1970: .max), WallTime(millisecondsSince1970: .min)
    )
    #expect(last.advanced(byMilliseconds: 1) == last)
    #expect(first.advanced(byMilliseconds: -1) == first)
    #expect(last.advanced(byMilliseconds: -1) < last)
  }

  @Test func `monotonic time stays within its range`() {
    let (last, first) = (MonotonicTime(milliseconds: .max), MonotonicTime(milliseconds: .min))
    #expect(last.advanced(byMilliseconds: 1) == last)
    #expect(first.advanced(byMilliseconds: -1) == first)
    #expect(last.milliseconds(since: first) == .max)
    #expect(first.milliseconds(since: last) == .min)
    #expect(last.advanced(byMilliseconds: -7).milliseconds(since: last) == -7)
  }

  @Test func `wall time is coded as milliseconds`() throws {
    let data = try JSONEncoder().encode([WallTime(millisecondsSince1970: -5)])
    #expect(String(decoding: data, as: UTF8.self) == "[-5]")
    #expect(
      try JSONDecoder().decode([WallTime].self, from: data)
        == [WallTime(millisecondsSince1970: -5)])
  }
}
