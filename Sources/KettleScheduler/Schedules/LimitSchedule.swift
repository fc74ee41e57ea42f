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

  private mutating func make(at now: WallTime, in zone: LocalZone) {
    basis = .schedule
    effective = Effective(
      bytesPerSecond: schedule.limit(at: now, in: zone),
      until: schedule.nextChange(after: now, in: zone))
    madeAt = now
  }
}

/// The user's queues: their limits, their hours, and whether transfers of each may run now.
package struct NamedQueues: Sendable {
  /// What the user has set for one queue.
  package struct Settings: Hashable, Sendable {
    /// Concurrent transfers of the queue; nil means no limit of its own.
    package var transfersMax: Int?
    /// nil means at any time.
    package var hours: WeeklyHours?

    package init(transfersMax: Int? = nil, hours: WeeklyHours? = nil) {
      self.transfersMax = transfersMax
      self.hours = hours
    }
  }

  /// Whether a queue is within its hours, and until when.
  package struct Standing: Hashable, Sendable {
    package var isOpen: Bool
    /// nil if it stays so.
    package var until: WallTime?
  }

  package private(set) var settings: [QueueName: Settings] = [:]
  private var standings: [QueueName: Standing] = [:]
  /// When the standings were made.
  private var madeAt: WallTime?
  /// The first condition on which the user's transfers wait, whatever their queue.
  package private(set) var unmetCondition: TransferCondition?

  package init() {}

  package subscript(_ name: QueueName) -> Settings { settings[name] ?? Settings() }

  /// A queue without settings is always open.
  package func standing(of name: QueueName) -> Standing {
    standings[name] ?? Standing(isOpen: true)
  }

  /// Whether transfers of a queue may run now; nil is no queue of the user's.
  func isOpen(_ name: QueueName?) -> Bool {
    guard let name else { return true }
    return unmetCondition == nil && standing(of: name).isOpen
  }

  var areAllOpen: Bool { unmetCondition == nil && standings.values.allSatisfy(\.isOpen) }

  func transfersMax(of name: QueueName?) -> Int? { name.flatMap { settings[$0]?.transfersMax } }

  /// Whether a queue permits another of its transfers to start; nil is no queue of the user's.
  ///
  /// - Parameter runningCounts: how many transfers of each queue have a slot.
  func admits(_ name: QueueName?, _ runningCounts: [QueueName: Int]) -> Bool {
    guard let name else { return true }
    guard isOpen(name) else { return false }
    return transfersMax(of: name).map { runningCounts[name, default: 0] < $0 } ?? true
  }

  // MARK: Changes

  /// When `update` must be called next; nil when time changes nothing.
  var nextChange: WallTime? { standings.values.compactMap(\.until).min() }

  mutating func set(_ settings: [QueueName: Settings], at now: WallTime, in zone: LocalZone) {
    self.settings = settings
    standings = [:]
    madeAt = nil
    update(at: now, in: zone)
  }

  mutating func setUnmet(_ condition: TransferCondition?) { unmetCondition = condition }

  /// Brings the standings up to date. The clock may have been set in either direction.
  mutating func update(at now: WallTime, in zone: LocalZone) {
    let wasSetBack = madeAt.map { now < $0 } ?? true
    for (name, settings) in settings {
      guard let hours = settings.hours else { continue }
      let isOver = standings[name].map { $0.until.map { $0 <= now } ?? false } ?? true
      guard wasSetBack || isOver else { continue }
      standings[name] = Standing(
        isOpen: hours.contains(now, in: zone), until: hours.nextChange(after: now, in: zone))
    }
    madeAt = now
  }
}
