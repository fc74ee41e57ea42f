/// A point in time as people and servers count it: milliseconds since 1970-01-01T00:00:00Z.
///
/// It can jump. It is for dates that are kept, shown or given by a server, never for durations.
public struct WallTime: Hashable, Comparable, Sendable {
  public var millisecondsSince1970: Int64

  public init(millisecondsSince1970: Int64) {
    self.millisecondsSince1970 = millisecondsSince1970
  }

  public static func < (left: WallTime, right: WallTime) -> Bool {
    left.millisecondsSince1970 < right.millisecondsSince1970
  }

  /// Adds without trapping: a date out of range stays at the end of the range.
  public func advanced(byMilliseconds milliseconds: Int64) -> WallTime {
    let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
    if overflow { return WallTime(millisecondsSince1970: milliseconds < 0 ? .min : .max) }
    return WallTime(millisecondsSince1970: sum)
  }
}

extension WallTime: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(millisecondsSince1970: try decoder.singleValueContainer().decode(Int64.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(millisecondsSince1970)
  }
}

/// A point in time that only goes forward, also while the machine sleeps (CLOCK_BOOTTIME):
/// milliseconds since the machine started. It means nothing after a reboot.
public struct MonotonicTime: Hashable, Comparable, Sendable {
  public var milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// Adds without trapping, as `WallTime` does.
  public func advanced(byMilliseconds count: Int64) -> MonotonicTime {
    let (sum, overflow) = milliseconds.addingReportingOverflow(count)
    if overflow { return MonotonicTime(milliseconds: count < 0 ? .min : .max) }
    return MonotonicTime(milliseconds: sum)
  }

  public func milliseconds(since earlier: MonotonicTime) -> Int64 {
    let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
    if overflow { return milliseconds < earlier.milliseconds ? .min : .max }
    return difference
  }
}

/// The current time on both clocks, read once for each turn of the engine.
///
/// One reading per turn keeps cause before effect: two readings in one turn can disagree.
public struct Moment: Hashable, Sendable {
  public var monotonic: MonotonicTime
  public var wall: WallTime

  public init(monotonic: MonotonicTime, wall: WallTime) {
    self.monotonic = monotonic
    self.wall = wall
  }
}
