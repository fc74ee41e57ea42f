import KettleModel
import Testing

@testable import KettleScheduler

/// The limit for all transfers together by the time of day.
struct LimitScheduleTests {
  /// Monday, 2026-03-23T00:00:00Z.
  private let monday: Int64 = 1_774_224_000_000

  private func time(_ hour: Int64, _ minute: Int64 = 0) -> WallTime {
    WallTime(millisecondsSince1970: monday + (hour * 60 + minute) * 60_000)
  }

  private func schedule() throws -> LimitSchedule {
    LimitSchedule(
      entries: [
        .init(hours: try #require(WeeklyHours("08:00-18:00")), bytesPerSecond: 100),
        .init(hours: try #require(WeeklyHours("16:00-20:00")), bytesPerSecond: 500),
        .init(hours: try #require(WeeklyHours("20:00-22:00")), bytesPerSecond: nil),
      ], bytesPerSecond: 900)
  }

  private func script(at hour: Int64) throws -> SchedulerScript {
    var script = SchedulerScript()
    script.now.wall = time(hour)
    script.run(script.scheduler.follow(try schedule(), at: script.now))
    return script
  }

  @Test func `the first entry that contains the time counts`() throws {
    let schedule = try schedule()
    let limits = [7, 8, 17, 18, 20, 22].map { schedule.limit(at: time($0), in: .utc) }
    #expect(limits == [900, 100, 100, 500, nil, 900])
  }

  @Test func `a boundary that changes nothing is no change`() throws {
    let schedule = try schedule()
    #expect(schedule.nextChange(after: time(9), in: .utc) == time(18))
    #expect(schedule.nextChange(after: time(18), in: .utc) == time(20))
    #expect(schedule.nextChange(after: time(22), in: .utc) == time(32))
    let constant = LimitSchedule(
      entries: [.init(hours: try #require(WeeklyHours("08:00-18:00")), bytesPerSecond: 5)],
      bytesPerSecond: 5)
    #expect(constant.nextChange(after: time(9), in: .utc) == nil)
    #expect(LimitSchedule(bytesPerSecond: 5).nextChange(after: time(9), in: .utc) == nil)
  }

  @Test func `the limit follows the clock`() throws {
    var script = try script(at: 17)
    #expect(script.scheduler.totalLimit.effective == .init(bytesPerSecond: 100, until: time(18)))
    let wakeUp = try #require(script.scheduler.nextWakeUp(at: script.now))
    // The clock is looked at once a minute, because it may be set.
    #expect(wakeUp.milliseconds(since: script.now.monotonic) == 60_000)
    script.advance(milliseconds: 3_600_000)
    let output = script.scheduler.handle(.timePassed, at: script.now)
    #expect(output.totalLimit == .init(bytesPerSecond: 500, until: time(20)))
    #expect(script.scheduler.handle(.timePassed, at: script.now).totalLimit == nil)
  }

  @Test func `the user's choice lasts until the schedule changes the limit`() throws {
    var script = try script(at: 17)
    let chosen = script.scheduler.limitAll(toBytesPerSecond: 7, at: script.now)
    #expect(chosen.totalLimit == .init(bytesPerSecond: 7, until: time(18)))
    script.advance(milliseconds: 1_800_000)
    #expect(script.scheduler.handle(.timePassed, at: script.now).totalLimit == nil)
    script.advance(milliseconds: 1_800_000)
    #expect(script.scheduler.handle(.timePassed, at: script.now).totalLimit?.bytesPerSecond == 500)
  }

  @Test func `without a schedule the user's choice stays`() {
    var script = SchedulerScript()
    let output = script.scheduler.limitAll(toBytesPerSecond: 7, at: script.now)
    #expect(output.totalLimit == .init(bytesPerSecond: 7))
    script.advance(milliseconds: 90 * 86_400_000)
    #expect(script.scheduler.handle(.timePassed, at: script.now).totalLimit == nil)
    #expect(script.scheduler.nextWakeUp(at: script.now) == nil)
  }

  @Test func `another schedule replaces the user's choice`() throws {
    var script = try script(at: 17)
    _ = script.scheduler.limitAll(toBytesPerSecond: 7, at: script.now)
    let output = script.scheduler.follow(LimitSchedule(bytesPerSecond: 3), at: script.now)
    #expect(output.totalLimit == .init(bytesPerSecond: 3))
  }

  @Test func `a clock that is set back or forward is followed`() throws {
    var script = try script(at: 19)
    script.now.wall = time(9)
    #expect(
      script.scheduler.handle(.timePassed, at: script.now).totalLimit
        == .init(bytesPerSecond: 100, until: time(18)))
    script.now.wall = time(21)
    #expect(
      script.scheduler.handle(.timePassed, at: script.now).totalLimit
        == .init(bytesPerSecond: nil, until: time(22)))
    // A choice of the user keeps its value, with its new end.
    _ = script.scheduler.limitAll(toBytesPerSecond: 7, at: script.now)
    script.now.wall = time(9)
    #expect(
      script.scheduler.handle(.timePassed, at: script.now).totalLimit
        == .init(bytesPerSecond: 7, until: time(18)))
  }
}
