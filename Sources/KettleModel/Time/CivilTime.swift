/// A calendar date and time of day without a time zone.
package struct CivilTime: Hashable, Sendable {
  package var year: Int64
  package var month: Int64
  package var day: Int64
  package var hour: Int64
  package var minute: Int64
  package var second: Int64

  package init(
    year: Int64, month: Int64, day: Int64, hour: Int64 = 0, minute: Int64 = 0, second: Int64 = 0
  ) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// This time read as UTC; nil if the date does not exist.
  package var inUTC: WallTime? {
    WallTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
  }
}
