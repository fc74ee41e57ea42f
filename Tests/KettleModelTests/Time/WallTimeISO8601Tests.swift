import Foundation
import SeededNumbers
import Testing

@testable import KettleModel

struct WallTimeISO8601Tests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"),
      (999, "1970-01-01T00:00:00Z"),
      (1_000, "1970-01-01T00:00:01Z"),
      (-1, "1969-12-31T23:59:59Z"),
      (-1_000, "1969-12-31T23:59:59Z"),
      (-1_001, "1969-12-31T23:59:58Z"),
      (951_782_400_000, "2000-02-29T00:00:00Z"),
      (951_868_799_999, "2000-02-29T23:59:59Z"),
      (951_868_800_000, "2000-03-01T00:00:00Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00Z"),
      (4_107_456_000_000, "2100-02-28T00:00:00Z"),
      (1_709_164_800_000, "2024-02-29T00:00:00Z"),
      (1_798_135_200_000, "2026-12-24T18:00:00Z"),
      (253_402_300_799_000, "9999-12-31T23:59:59Z"),
      (-62_135_596_800_000, "0001-01-01T00:00:00Z"),
      (-62_135_596_801_000, "0000-12-31T23:59:59Z"),
      (-62_198_755_200_000, "-0001-01-01T00:00:00Z"),
      (.min, "-292275055-05-16T16:47:04Z"),
      (.max, "292278994-08-17T07:12:55Z"),
    ] as [(Int64, String)])
  func `a time is formatted in the civil calendar`(milliseconds: Int64, text: String) {
    #expect(WallTime(millisecondsSince1970: milliseconds).iso8601 == text)
  }

  @Test func `every day of 800 years is followed by the next`() throws {
    var day = try #require(
      WallTime(year: 1600, month: 1, day: 1, hour: 0, minute: 0, second: 0))
    for year in 1600...2399 as ClosedRange<Int64> {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      for (index, length) in lengths.enumerated() {
        let month = Int64(index + 1)
        for date in [1, length] {
          let made = WallTime(
            year: year, month: month, day: date, hour: 0, minute: 0, second: 0)
          #expect(made == day.advanced(byMilliseconds: (date - 1) * 86_400_000))
        }
        #expect(
          WallTime(year: year, month: month, day: length + 1, hour: 0, minute: 0, second: 0) == nil)
        day = day.advanced(byMilliseconds: length * 86_400_000)
      }
    }
  }

  @Test func `formatted times agree with Foundation at random times`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let seconds = Int64.random(in: -11_000_000_000...200_000_000_000, using: &random)
      let expected = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
      let text = WallTime(millisecondsSince1970: seconds * 1_000).iso8601
      #expect(text == expected, "seed \(seed)")
    }
  }

  @Test(
    arguments: [
      (0, 1, 1, 0, 0, 0), (10_000, 1, 1, 0, 0, 0), (2026, 0, 1, 0, 0, 0), (2026, 13, 1, 0, 0, 0),
      (2026, 1, 0, 0, 0, 0), (2026, 1, 32, 0, 0, 0), (2026, 6, 31, 0, 0, 0), (2026, 2, 29, 0, 0, 0),
      (2100, 2, 29, 0, 0, 0), (2026, 1, 1, 24, 0, 0), (2026, 1, 1, 0, 60, 0),
      (2026, 1, 1, 0, 0, 61),
      (2026, 1, 1, -1, 0, 0), (Int64.max, 1, 1, 0, 0, 0), (2026, Int64.min, 1, 0, 0, 0),
    ] as [(Int64, Int64, Int64, Int64, Int64, Int64)])
  func `a date that does not exist is rejected`(
    year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64
  ) {
    #expect(
      WallTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        == nil)
  }

  @Test func `a leap second becomes the first second of the next minute`() {
    let leap = WallTime(year: 2016, month: 12, day: 31, hour: 23, minute: 59, second: 60)
    #expect(leap?.iso8601 == "2017-01-01T00:00:00Z")
  }
}
