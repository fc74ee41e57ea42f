/// A calendar time: milliseconds since 1970-01-01T00:00:00Z.
///
/// The clock behind it can jump, so it serves for dates that are stored, displayed or received from
/// a server, and never for durations.
public struct WallTime: Hashable, Comparable, Sendable {
  public var millisecondsSince1970: Int64

  public init(millisecondsSince1970: Int64) {
    self.millisecondsSince1970 = millisecondsSince1970
  }

  public static func < (left: WallTime, right: WallTime) -> Bool {
    left.millisecondsSince1970 < right.millisecondsSince1970
  }

  /// Saturates instead of overflowing.
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

/// Milliseconds since the machine started, including the time it was suspended (CLOCK_BOOTTIME).
/// Never decreases, and has no meaning after a reboot.
public struct MonotonicTime: Hashable, Comparable, Sendable {
  public var milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// Saturates instead of overflowing.
  public func advanced(byMilliseconds count: Int64) -> MonotonicTime {
    let (sum, overflow) = milliseconds.addingReportingOverflow(count)
    if overflow { return MonotonicTime(milliseconds: count < 0 ? .min : .max) }
    return MonotonicTime(milliseconds: sum)
  }

  /// The duration since an earlier time. Saturates instead of overflowing.
  public func milliseconds(since earlier: MonotonicTime) -> Int64 {
    let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
    if overflow { return milliseconds < earlier.milliseconds ? .min : .max }
    return difference
  }
}

/// The time on both clocks, read once for each event that the engine handles, because two readings
/// for one event could disagree.
public struct Moment: Hashable, Sendable {
  public var monotonic: MonotonicTime
  public var wall: WallTime

  public init(monotonic: MonotonicTime, wall: WallTime) {
    self.monotonic = monotonic
    self.wall = wall
  }
}
