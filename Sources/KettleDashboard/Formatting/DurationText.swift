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

  /// As in `retry in 12 s`: seconds with their unit, longer times as a clock.
  package static func countdown(_ seconds: Int64) -> String {
    seconds < 60 ? "\(max(0, seconds)) s" : clock(seconds)
  }

  static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
