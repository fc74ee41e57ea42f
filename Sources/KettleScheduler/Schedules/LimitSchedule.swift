import KettleModel

/// The speed limit for all transfers together over the week.
package struct LimitSchedule: Hashable, Sendable {
  /// One part of the week with its own limit.
  package struct Entry: Hashable, Sendable {
    package var hours: WeeklyHours
    /// nil means no limit.
    package var bytesPerSecond: Int64?

    package init(hours: WeeklyHours, bytesPerSecond: Int64?) {
      self.hours = hours
      self.bytesPerSecond = bytesPerSecond
    }
  }

  /// The first one that contains the time counts.
  package var entries: [Entry]
  /// At all other times; nil means no limit.
  package var bytesPerSecond: Int64?

  package init(entries: [Entry] = [], bytesPerSecond: Int64? = nil) {
    self.entries = entries
    self.bytesPerSecond = bytesPerSecond
  }

  package func limit(at time: WallTime, in zone: LocalZone) -> Int64? {
    let entry = entries.first { $0.hours.contains(time, in: zone) }
    return entry.map(\.bytesPerSecond) ?? bytesPerSecond
  }

  /// When the limit changes next; nil if it never does.
  package func nextChange(after time: WallTime, in zone: LocalZone) -> WallTime? {
    let now = limit(at: time, in: zone)
    var time = time
    // Entries may overlap or have the same limit, so not each of their boundaries is a change.
    for _ in 0..<(16 * (entries.count + 1)) {
      let next = entries.compactMap { $0.hours.nextChange(after: time, in: zone) }.min()
      guard let next else { return nil }
      if limit(at: next, in: zone) != now { return next }
      time = next
    }
    return nil
  }
}

/// The limit for all transfers together: by the schedule, or chosen by the user until the schedule
/// changes it.
package struct TotalLimit: Sendable {
  /// The limit that applies, and until when.
  package struct Effective: Hashable, Sendable {
    /// nil means no limit.
    package var bytesPerSecond: Int64?
    /// When the schedule changes it; nil if it stays.
    package var until: WallTime?

    package init(bytesPerSecond: Int64? = nil, until: WallTime? = nil) {
      self.bytesPerSecond = bytesPerSecond
      self.until = until
    }
  }

  private var schedule = LimitSchedule()
  package private(set) var effective = Effective()
  /// When `effective` was made.
  private var madeAt: WallTime?
  private var basis = Basis.schedule

  private enum Basis {
    case schedule
    /// The user's choice.
    case choice
  }

  package init() {}

  /// Follows another schedule. A limit that the user has chosen ends.
  mutating func follow(_ schedule: LimitSchedule, at now: WallTime, in zone: LocalZone) {
    self.schedule = schedule
    make(at: now, in: zone)
  }

  /// Applies the user's choice until the schedule changes the limit.
  mutating func choose(bytesPerSecond: Int64?, at now: WallTime, in zone: LocalZone) {
    basis = .choice
    effective = Effective(
      bytesPerSecond: bytesPerSecond, until: schedule.nextChange(after: now, in: zone))
    madeAt = now
  }

  /// Evaluates the schedule again after a change of the clock or the time zone.
  mutating func readHours(at now: WallTime, in zone: LocalZone) {
    switch basis {
    case .schedule: make(at: now, in: zone)
    case .choice: choose(bytesPerSecond: effective.bytesPerSecond, at: now, in: zone)
    }
  }

  /// Follows the schedule as time passes. The clock may have been set in either direction.
  ///
  /// - Returns: whether the limit or its end changed.
  mutating func update(at now: WallTime, in zone: LocalZone) -> Bool {
    let before = effective
    let wasSetBack = madeAt.map { now < $0 } ?? false
    let isOver = effective.until.map { $0 <= now } ?? false
    if isOver {
      make(at: now, in: zone)
    } else if wasSetBack {
      readHours(at: now, in: zone)
    }
    return effective != before
  }

  /// A change of the limit by the schedule.
  struct Change: Hashable, Sendable {
    var at: WallTime
    /// nil means no limit.
    var bytesPerSecond: Int64?
  }

  /// More changes are not looked for.
  private static let changeCountMax = 16

  /// Returns the next changes, in order.
  func nextChanges(in zone: LocalZone) -> [Change] {
    var changes: [Change] = []
    var next = effective.until
    while let time = next, changes.count < Self.changeCountMax {
      changes.append(Change(at: time, bytesPerSecond: schedule.limit(at: time, in: zone)))
      next = schedule.nextChange(after: time, in: zone)
    }
    return changes
  }

  private mutating func make(at now: WallTime, in zone: LocalZone) {
    basis = .schedule
    effective = Effective(
      bytesPerSecond: schedule.limit(at: now, in: zone),
      until: schedule.nextChange(after: now, in: zone))
    madeAt = now
  }
}
