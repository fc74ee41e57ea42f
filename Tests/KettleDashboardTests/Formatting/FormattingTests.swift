import KettleDashboard
import KettleModel
import Testing

struct FormattingTests {
  @Test(
    arguments: [
      (0, "0 B"), (1, "1 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (10_239, "10 KiB"),
      (10_188, "9.9 KiB"), (1_048_063, "1023 KiB"), (1_048_064, "1.0 MiB"),
      (11 << 20, "11 MiB"), (182 << 30, "182 GiB"), (Int64.max, "8.0 EiB"), (-5, "0 B"),
    ] as [(Int64, String)])
  func `a size has one decimal under ten`(byteCount: Int64, text: String) {
    #expect(ByteText.size(byteCount) == text)
  }

  @Test(
    arguments: [
      (0, "0 B/s"), (512, "512 B/s"), (12_687_770, "12.1 MiB/s"), (102_297, "99.9 KiB/s"),
      (102_400, "100 KiB/s"), (40_055_603, "38.2 MiB/s"), (Int64.max, "8.0 EiB/s"),
    ] as [(Int64, String)])
  func `a speed has one decimal under a hundred`(speed: Int64, text: String) {
    #expect(ByteText.speed(speed) == text)
  }

  @Test(
    arguments: [
      (402 << 20, 659 << 20, "402/659 MiB"), (0, 1_288_490_188, "0/1.2 GiB"),
      ((659 << 20) - 1, 659 << 20, "658/659 MiB"), (6 << 20, 29 << 20, "6/29 MiB"),
      (3 << 20, 9 << 20, "3.0/9.0 MiB"), (858_993_459, 20 << 30, "0.7/20 GiB"),
      (12 << 30, 20 << 30, "12.0/20 GiB"),
      (33 << 20, 20 << 30, "0.03/20 GiB"), (33 << 20, 3 << 30, "0/3.0 GiB"),
      (1 << 20, 20 << 30, "0/20 GiB"), (-1, -1, "0/0 B"),
      (Int64.max, 1, "1000000000000000/1 B"),
    ] as [(Int64, Int64, String)])
  func `progress uses the unit of the total and rounds down`(
    done: Int64, total: Int64, text: String
  ) {
    #expect(ByteText.progress(done, of: total) == text)
  }

  @Test(
    arguments: [
      (0, "0:00"), (21, "0:21"), (599, "9:59"), (3723, "1:02:03"), (86_399, "23:59:59"),
      (183_600, "2 d 3 h"), (864_000, "10 d"), (86_400_000, "> 999 d"), (Int64.max, "> 999 d"),
      (-7, "0:00"),
    ] as [(Int64, String)])
  func `durations are shown as a clock, and long ones in days`(seconds: Int64, text: String) {
    #expect(DurationText.clock(seconds) == text)
    #expect(text.count <= 8)
  }

  @Test func `a countdown under a minute shows the unit of its seconds`() {
    #expect(DurationText.countdown(12) == "12 s")
    #expect(DurationText.countdown(60) == "1:00")
    #expect(DurationText.countdown(-1) == "0 s")
  }

  @Test func `a short work has tenths of seconds`() {
    #expect(DurationText.spent(milliseconds: 450) == "0.4 s")
    #expect(DurationText.spent(milliseconds: 9999) == "9.9 s")
    #expect(DurationText.spent(milliseconds: 10_000) == "10 s")
    #expect(DurationText.spent(milliseconds: 91_000) == "1:31")
    #expect(DurationText.spent(milliseconds: .min) == "0.0 s")
  }

  @Test func `100 percent is shown only when complete`() {
    #expect(PercentageText.text(61, of: 100, isWhole: false) == "61%")
    #expect(PercentageText.text(100, of: 100, isWhole: false) == "99%")
    #expect(PercentageText.text(999, of: 1000, isWhole: false) == "99%")
    #expect(PercentageText.text(0, of: 0, isWhole: true) == "100%")
    #expect(PercentageText.text(.max, of: 1, isWhole: false) == "99%")
    #expect(PercentageText.text(.min, of: .max, isWhole: false) == "0%")
  }

  @Test func `the short format shows the time for today and the date for other days`() {
    let clock = ClockText(utcOffsetSeconds: 3600)
    let now = Sample.now.wall
    #expect(clock.short(now, now: now) == "13:00")
    #expect(clock.short(Sample.time(seconds: 86_400), now: now) == "22 Nov")
    #expect(clock.short(Sample.time(seconds: 86_400 * 365), now: now) == "2027-11-21")
    #expect(clock.long(Sample.time(seconds: 86_400), now: now) == "22 Nov 13:00")
    #expect(clock.full(now) == "2026-11-21 13:00:00")
  }

  @Test func `the UTC offset can change the day`() {
    let late = Sample.time(seconds: 11 * 3600 + 1800)
    #expect(ClockText(utcOffsetSeconds: 0).full(late) == "2026-11-21 23:30:00")
    #expect(ClockText(utcOffsetSeconds: 3600).full(late) == "2026-11-22 00:30:00")
  }

  @Test(arguments: [Int64.min, -1, 0, .max])
  func `arbitrary dates do not trap`(milliseconds: Int64) {
    let time = WallTime(millisecondsSince1970: milliseconds)
    let clock = ClockText(utcOffsetSeconds: -86_400)
    #expect(clock.full(time).count == 19)
    #expect(!clock.short(time, now: Sample.now.wall).isEmpty)
  }
}
