import KettleModel
import Testing

@testable import KettleTerminal

struct TickScheduleTests {
  private func time(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(milliseconds: milliseconds)
  }

  @Test func `events that come more often than ticks do not put them off`() {
    var schedule = TickSchedule()
    var tickCount = 0
    for milliseconds in stride(from: Int64(0), through: 3000, by: 250) {
      if schedule.takeIfDue(at: time(milliseconds)) { tickCount += 1 }
      schedule.request(afterMilliseconds: 1000, at: time(milliseconds))
    }
    #expect(tickCount == 3)
  }

  @Test func `an earlier request brings the tick forward, and no request cancels it`() {
    var schedule = TickSchedule()
    schedule.request(afterMilliseconds: 1000, at: time(0))
    schedule.request(afterMilliseconds: 200, at: time(100))
    #expect(schedule.milliseconds(from: time(150)) == 150)
    #expect(schedule.milliseconds(from: time(900)) == 0)
    schedule.request(afterMilliseconds: nil, at: time(150))
    #expect(schedule.milliseconds(from: time(150)) == nil)
    let isDue = schedule.takeIfDue(at: time(9999))
    #expect(!isDue)
  }
}
