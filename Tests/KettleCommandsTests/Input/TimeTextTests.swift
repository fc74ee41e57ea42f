import KettleCommands
import KettleModel
import Testing

/// The clock is at 2026-11-21T12:00:00Z; local time is two hours ahead of UTC.
struct TimeTextTests {
  @Test(arguments: [
    ("2026-12-24T18:00:00Z", "2026-12-24T18:00:00Z"),
    ("2026-12-24t18:00:00z", "2026-12-24T18:00:00Z"),
    ("2026-12-24T18:00:00+02:00", "2026-12-24T16:00:00Z"),
    ("2026-12-24T18:00:00-0530", "2026-12-24T23:30:00Z"),
    ("2026-12-24T18:00+01", "2026-12-24T17:00:00Z"),
    ("2026-12-24T18:00:00.123Z", "2026-12-24T18:00:00Z"),
    ("2026-12-24T18:00", "2026-12-24T16:00:00Z"),
    ("2026-12-24 18:00:30", "2026-12-24T16:00:30Z"),
    ("2026-12-24", "2026-12-23T22:00:00Z"),
    ("2028-02-29T12:00Z", "2028-02-29T12:00:00Z"),
    ("+45s", "2026-11-21T12:00:45Z"), ("+90m", "2026-11-21T13:30:00Z"),
    ("+2h", "2026-11-21T14:00:00Z"), ("+1d", "2026-11-22T12:00:00Z"),
    ("+0s", "2026-11-21T12:00:00Z"),
  ])
  func `a time is parsed`(text: String, expected: String) {
    #expect(TimeText.parse(text, clock: FakeClock())?.iso8601 == expected)
  }

  @Test(arguments: [
    "", "now", "18:00", "2026", "2026-12", "2026-13-01", "2026-06-31", "2027-02-29",
    "2026-12-24T", "2026-12-24T18", "2026-12-24T24:00", "2026-12-24T18:60", "2026-12-24Z",
    "2026-12-24T18:00:00X", "2026-12-24T18:00:00Zx", "2026-12-24T18:00:00.Z",
    "2026-12-24T18:00+2", "2026-12-24T18:00+24:00", "26-12-24", "2026-1-2", "+", "+m", "+90",
    "+1.5h", "+-1h", "+1w", "+1h30m", "+9999999999d", "90m", "-90m",
  ])
  func `an invalid time is rejected`(text: String) {
    #expect(TimeText.parse(text, clock: FakeClock()) == nil)
  }

  @Test func `local time follows the machine's time zone`() throws {
    let clock = SystemCommandClock()
    let noon = CivilTime(year: 2026, month: 11, day: 21, hour: 12, minute: 34, second: 56)
    let time = try #require(clock.wallTime(ofLocal: noon))
    #expect(clock.localTime(of: time) == noon)
    #expect(clock.wallTime(ofLocal: CivilTime(year: 2026, month: 6, day: 31)) == nil)
  }
}
