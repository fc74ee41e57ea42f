/// How far local time is ahead of UTC at each moment. It changes when clocks are set for summer.
package struct LocalZone: Sendable {
  private let offset: @Sendable (WallTime) -> Int64

  /// - Parameter offset: returns the seconds by which local time is ahead of UTC.
  package init(offsetSeconds offset: @escaping @Sendable (WallTime) -> Int64) {
    self.offset = offset
  }

  package static let utc = LocalZone { _ in 0 }

  package func offsetSeconds(at time: WallTime) -> Int64 { offset(time) }

  /// The minutes since the last Monday began, in local time: 0 to 10,079.
  package func minuteOfWeek(at time: WallTime) -> Int {
    let seconds = Self.floored(time.millisecondsSince1970, by: 1000)
    let (local, overflow) = seconds.addingReportingOverflow(offset(time))
    // 1970 began on a Thursday.
    let week = Int64(WeeklyHours.minutesPerWeek)
    let minutes = Self.floored(overflow ? seconds : local, by: 60) % week
    return Int((minutes + 3 * 1440 + week) % week)
  }

  private static func floored(_ value: Int64, by divisor: Int64) -> Int64 {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
