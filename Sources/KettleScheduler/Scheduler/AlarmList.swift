import KettleModel

/// Maps each transfer to the time at which it wants to be woken, on the clock that it chose.
struct AlarmList: Sendable {
  private var monotonic: [TransferID: MonotonicTime] = [:]
  private var wall: [TransferID: WallTime] = [:]
  /// The deadlines of tasks. Nearly every task has one and most never expire, so the list is
  /// scanned only when one may be due.
  private var deadlines: [TransferID: WallTime] = [:]
  /// A lower bound of all deadlines.
  private var earliestDeadline: WallTime?

  /// The wall clock can be set at any time, so its alarms are checked at this interval.
  static let wallCheckMilliseconds: Int64 = 60_000

  mutating func set(
    _ id: TransferID, _ wakeUp: TransferMachine.WakeUp?, deadline: WallTime? = nil
  ) {
    remove(id)
    if let deadline {
      deadlines[id] = deadline
      earliestDeadline = min(earliestDeadline ?? deadline, deadline)
    }
    switch wakeUp {
    case .monotonic(let time): monotonic[id] = time
    case .wall(let time): wall[id] = time
    case nil: break
    }
  }

  mutating func remove(_ id: TransferID) {
    monotonic[id] = nil
    wall[id] = nil
    deadlines[id] = nil
    if deadlines.isEmpty { earliestDeadline = nil }
  }

  /// Removes the transfers whose alarms are due and returns them, sorted by id.
  mutating func due(at now: Moment) -> [TransferID] {
    var rung = Set(monotonic.filter { $0.value <= now.monotonic }.keys)
    rung.formUnion(wall.filter { $0.value <= now.wall }.keys)
    let mayBeOver = earliestDeadline.map { $0 <= now.wall } ?? false
    if mayBeOver { rung.formUnion(deadlines.filter { $0.value <= now.wall }.keys) }
    for id in rung { remove(id) }
    if mayBeOver { earliestDeadline = deadlines.values.min() }
    return rung.sorted()
  }

  func next(at now: Moment) -> MonotonicTime? {
    let date = [wall.values.min(), earliestDeadline].compactMap { $0 }.min()
    let time = date.map { Self.time(of: $0, at: now) }
    return [monotonic.values.min(), time].compactMap { $0 }.min()
  }

  /// Returns when to check the wall clock for a date.
  static func time(of date: WallTime, at now: Moment) -> MonotonicTime {
    let (distance, overflow) = date.millisecondsSince1970.subtractingReportingOverflow(
      now.wall.millisecondsSince1970)
    let milliseconds =
      overflow ? wallCheckMilliseconds : min(max(distance, 0), wallCheckMilliseconds)
    return now.monotonic.advanced(byMilliseconds: milliseconds)
  }
}
