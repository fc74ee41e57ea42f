import KettleModel

/// Times as the user's wall clock shows them.
package struct ClockText: Hashable, Sendable {
  package var utcOffsetSeconds: Int

  package init(utcOffsetSeconds: Int) { self.utcOffsetSeconds = utcOffsetSeconds }

  /// `14:02` today, `24 Dec` on another day of this year, otherwise `2027-12-24`.
  package func short(_ time: WallTime, now: WallTime) -> String {
    let (then, today) = (Parts(local(time)), Parts(local(now)))
    if then.date == today.date { return then.hourAndMinute }
    return then.year == today.year ? then.dayAndMonth : then.date
  }

  /// Like `short`, with the time of day added on other days.
  package func long(_ time: WallTime, now: WallTime) -> String {
    let then = Parts(local(time))
    let short = short(time, now: now)
    return short == then.hourAndMinute ? short : short + " " + then.hourAndMinute
  }

  /// `today`, `yesterday`, `24 Dec`, or `2027-12-24` in another year.
  func day(_ time: WallTime, now: WallTime) -> String {
    if isSameDay(time, now) { return Strings.today }
    let yesterday = now.advanced(byMilliseconds: -86_400_000)
    return isSameDay(time, yesterday) ? Strings.yesterday : short(time, now: now)
  }

  /// The beginning of the day in local time.
  func midnight(before time: WallTime) -> WallTime {
    let day: Int64 = 86_400_000
    let local = time.advanced(byMilliseconds: Int64(utcOffsetSeconds) * 1000)
    let sinceMidnight = (local.millisecondsSince1970 % day + day) % day
    return time.advanced(byMilliseconds: -sinceMidnight)
  }

  func isSameDay(_ time: WallTime, _ other: WallTime) -> Bool {
    Parts(local(time)).date == Parts(local(other)).date
  }

  /// `14:02`, whatever the day is.
  func timeOfDay(_ time: WallTime) -> String { Parts(local(time)).hourAndMinute }

  /// `2026-12-24 18:00:05`, for lists in which every line has the same form.
  package func full(_ time: WallTime) -> String {
    let parts = Parts(local(time))
    return parts.date + " " + parts.timeOfDay
  }

  /// `18:00:05`.
  package func withSeconds(_ time: WallTime) -> String { Parts(local(time)).timeOfDay }

  /// Dates from outside can be anything; the years 1970 to 9999 are shown.
  private func local(_ time: WallTime) -> String {
    let shifted = time.advanced(byMilliseconds: Int64(utcOffsetSeconds) * 1000)
    let milliseconds = min(max(shifted.millisecondsSince1970, 0), 253_402_300_799_000)
    return WallTime(millisecondsSince1970: milliseconds).iso8601
  }

  /// An ISO 8601 date of `WallTime`, split into its parts.
  private struct Parts {
    var date: String
    var timeOfDay: String

    init(_ iso8601: String) {
      let halves = iso8601.split(separator: "T", maxSplits: 1)
      date = halves.first.map(String.init) ?? ""
      timeOfDay = halves.count > 1 ? String(halves[1].dropLast()) : ""
    }

    var year: Substring { date.dropLast(6) }
    var hourAndMinute: String { String(timeOfDay.prefix(5)) }

    var dayAndMonth: String {
      let day = Int(date.suffix(2)) ?? 0
      let month = Int(date.dropLast(3).suffix(2)) ?? 0
      let name = Strings.months.indices.contains(month - 1) ? Strings.months[month - 1] : "?"
      return "\(day) \(name)"
    }
  }
}

/// Human-readable durations.
package enum DurationText {
  /// For example `0:21`, `1:02:03`, `2 d 3 h`.
  package static func clock(_ seconds: Int64) -> String {
    let seconds = max(0, seconds)
    let (days, hours) = (seconds / 86_400, seconds / 3600)
    if days >= 1000 { return "> 999 d" }
    if days >= 10 { return "\(days) d" }
    if days >= 1 { return "\(days) d \(hours % 24) h" }
    let minutes = seconds / 60 % 60
    if hours >= 1 { return "\(hours):\(twoDigits(minutes)):\(twoDigits(seconds % 60))" }
    return "\(minutes):\(twoDigits(seconds % 60))"
  }

  /// In at most six columns, for example `59:59`, `9:59 h`, `23 h`, `12 d`.
  static func brief(_ seconds: Int64) -> String {
    let seconds = max(0, seconds)
    let (days, hours) = (seconds / 86_400, seconds / 3600)
    if days >= 1 { return "\(min(days, 999)) d" }
    if hours >= 10 { return "\(hours) h" }
    return hours >= 1 ? "\(hours):\(twoDigits(seconds / 60 % 60)) h" : clock(seconds)
  }

  /// As in `retry in 12 s`: seconds with their unit, longer times as a clock.
  package static func countdown(_ seconds: Int64) -> String {
    seconds < 60 ? "\(max(0, seconds)) s" : clock(seconds)
  }

  /// The time that is left, as a clock. Milliseconds that have begun count as a second.
  package static func left(until time: WallTime, now: WallTime) -> String {
    clock(seconds(until: time, now: now))
  }

  /// Like `left`, as a countdown.
  package static func countdown(until time: WallTime, now: WallTime) -> String {
    countdown(seconds(until: time, now: now))
  }

  private static func seconds(until time: WallTime, now: WallTime) -> Int64 {
    let (distance, overflow) = time.millisecondsSince1970.subtractingReportingOverflow(
      now.millisecondsSince1970)
    let milliseconds = overflow ? Int64.max : max(0, distance)
    return milliseconds / 1000 + (milliseconds % 1000 > 0 ? 1 : 0)
  }

  /// How long something took: tenths below ten seconds, otherwise as `countdown`.
  package static func spent(milliseconds: Int64) -> String {
    let tenths = max(0, milliseconds) / 100
    guard tenths < 100 else { return countdown(tenths / 10) }
    return "\(tenths / 10).\(tenths % 10) s"
  }

  static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
