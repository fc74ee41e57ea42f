import KettleModel
import SeededNumbers
import Testing

/// Hours of the week in local time, also where clocks are changed.
struct WeeklyHoursTests {
  /// Monday, 2026-03-23T00:00:00Z.
  private let monday: Int64 = 1_774_224_000_000

  /// Berlin in 2026: summer time from 29 March, 01:00 UTC, to 25 October, 01:00 UTC.
  private let berlin = LocalZone { time in
    let isSummer = (1_774_746_000_000..<1_792_890_000_000).contains(time.millisecondsSince1970)
    return isSummer ? 7200 : 3600
  }

  private func time(
    day: Int64 = 0, _ hour: Int64, _ minute: Int64 = 0, second: Int64 = 0
  ) -> WallTime {
    let minutes = (day * 24 + hour) * 60 + minute
    return WallTime(millisecondsSince1970: monday + (minutes * 60 + second) * 1000)
  }

  private func hours(_ text: String, _ days: Set<WeeklyHours.Weekday> = []) throws -> WeeklyHours {
    try #require(WeeklyHours(text, days: days))
  }

  @Test(arguments: [
    ("01:00-06:00", "01:00-06:00"), ("1:00-6:00", "01:00-06:00"), ("22:00-24:00", "22:00-24:00"),
    ("22:00-00:00", "22:00-24:00"), ("23:30-01:15", "23:30-01:15"), ("08:00-08:00", "08:00-08:00"),
  ])
  func `hours are read and written`(text: String, written: String) throws {
    #expect(try hours(text).hoursText == written)
  }

  @Test(arguments: [
    "", "1-6", "01:00", "01:00-", "24:00-06:00", "01:00-24:01", "25:00-26:00", "01:60-02:00",
    "01:00-06:00-07:00", "+1:00-06:00", "001:00-06:00", "01:0-06:00", "01:00 - 06:00",
  ])
  func `other texts are not hours`(text: String) {
    #expect(WeeklyHours(text) == nil)
  }

  @Test func `the days follow the hours if they are not all`() throws {
    #expect(try hours("01:00-06:00").text == "01:00-06:00")
    #expect(try hours("01:00-06:00", [.sunday, .monday]).text == "01:00-06:00 mon sun")
  }

  @Test func `the start is inside and the end is outside`() throws {
    let hours = try hours("01:00-06:00")
    #expect(!hours.contains(time(0, 59, second: 59), in: .utc))
    #expect(hours.contains(time(1), in: .utc))
    #expect(hours.contains(time(5, 59, second: 59), in: .utc))
    #expect(!hours.contains(time(6), in: .utc))
  }

  @Test func `hours past midnight belong to the day on which they begin`() throws {
    let hours = try hours("22:00-06:00", [.sunday])
    #expect(hours.contains(time(day: 6, 23), in: .utc))
    #expect(hours.contains(time(day: 7, 5, 59), in: .utc))
    #expect(!hours.contains(time(day: 7, 6), in: .utc))
    #expect(!hours.contains(time(day: 6, 5), in: .utc))
    #expect(hours.nextChange(after: time(day: 6, 23), in: .utc) == time(day: 7, 6))
    #expect(hours.nextChange(after: time(day: 7, 6), in: .utc) == time(day: 13, 22))
  }

  @Test func `the whole week never changes`() throws {
    #expect(try hours("00:00-24:00").nextChange(after: time(3), in: .utc) == nil)
    #expect(try hours("08:00-08:00").nextChange(after: time(3), in: .utc) == nil)
  }

  @Test func `a change is at a whole minute after the time`() throws {
    let hours = try hours("01:00-06:00")
    #expect(hours.nextChange(after: time(0, 59, second: 59), in: .utc) == time(1))
    #expect(hours.nextChange(after: time(1), in: .utc) == time(6))
    #expect(hours.nextChange(after: time(day: 3, 7, 30), in: .utc) == time(day: 4, 1))
  }

  /// On 29 March clocks in Berlin go from 02:00 to 03:00.
  @Test func `hours that do not exist on the day of a change are left out`() throws {
    let hours = try hours("02:00-03:00")
    // Saturday, 27 March, 02:00 in Berlin is 01:00 UTC.
    #expect(hours.nextChange(after: time(day: 4, 12), in: berlin) == time(day: 5, 1))
    #expect(hours.nextChange(after: time(day: 5, 1), in: berlin) == time(day: 5, 2))
    // On Sunday there is no 02:00, and on Monday it is 00:00 UTC.
    #expect(hours.nextChange(after: time(day: 5, 2), in: berlin) == time(day: 7, 0))
  }

  @Test func `hours begin with the change if clocks go past their start`() throws {
    let hours = try hours("02:30-06:00")
    // 02:30 does not exist; 03:00 in summer time is 01:00 UTC, and 06:00 is 04:00 UTC.
    #expect(hours.nextChange(after: time(day: 6, 0), in: berlin) == time(day: 6, 1))
    #expect(hours.nextChange(after: time(day: 6, 1), in: berlin) == time(day: 6, 4))
  }

  /// On 25 October clocks in Berlin go from 03:00 back to 02:00.
  @Test func `hours that come twice hold twice`() throws {
    let hours = try hours("02:00-02:30")
    let sunday = WallTime(millisecondsSince1970: 1_792_886_400_000)
    func after(minutes: Int64) -> WallTime {
      sunday.advanced(byMilliseconds: minutes * 60_000)
    }
    #expect(hours.nextChange(after: sunday.advanced(byMilliseconds: -1), in: berlin) == sunday)
    #expect(hours.nextChange(after: sunday, in: berlin) == after(minutes: 30))
    #expect(hours.nextChange(after: after(minutes: 30), in: berlin) == after(minutes: 60))
    #expect(hours.nextChange(after: after(minutes: 60), in: berlin) == after(minutes: 90))
  }

  @Test func `times before 1970 and at the ends of the calendar are answered`() throws {
    let hours = try hours("01:00-06:00")
    let before = WallTime(millisecondsSince1970: -86_400_000)
    #expect(hours.nextChange(after: before, in: .utc)?.millisecondsSince1970 == -82_800_000)
    for end in [Int64.min, .max] {
      _ = hours.contains(WallTime(millisecondsSince1970: end), in: berlin)
      _ = hours.nextChange(after: WallTime(millisecondsSince1970: end), in: berlin)
    }
  }

  @Test func `the next change is the one that a look at each minute finds`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let days = WeeklyHours.Weekday.allCases.filter { _ in Bool.random(using: &random) }
      let hours = try #require(
        WeeklyHours(
          days: Set(days), from: Int.random(in: 0...1439, using: &random),
          until: Int.random(in: 0...1440, using: &random)))
      // Around both changes of the clocks.
      let around: Int64 = Bool.random(using: &random) ? 1_774_746_000 : 1_792_890_000
      let start = WallTime(
        millisecondsSince1970: (around + .random(in: -400_000...200_000, using: &random)) * 1000)
      let now = hours.contains(start, in: berlin)
      let first = start.millisecondsSince1970 / 60_000 + 1
      let expected = (first..<(first + 8 * 1440)).lazy
        .map { WallTime(millisecondsSince1970: $0 * 60_000) }
        .first { hours.contains($0, in: berlin) != now }
      #expect(hours.nextChange(after: start, in: berlin) == expected, "seed \(seed), \(hours)")
    }
  }
}
