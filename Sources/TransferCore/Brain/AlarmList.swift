import TransferModel

/// When which transfer wants to be woken, on the clock that it named.
struct AlarmList: Sendable {
  private var monotonic: [TransferID: MonotonicTime] = [:]
  private var wall: [TransferID: WallTime] = [:]

  /// The wall clock can be set while nobody looks, so its alarms are looked at this often.
  static let wallCheckMilliseconds: Int64 = 60_000

  mutating func set(_ id: TransferID, _ wakeUp: TransferMachine.WakeUp?) {
    remove(id)
    switch wakeUp {
    case .monotonic(let time): monotonic[id] = time
    case .wall(let time): wall[id] = time
    case nil: break
    }
  }

  mutating func remove(_ id: TransferID) {
    monotonic[id] = nil
    wall[id] = nil
  }

  /// Takes out those that are due, in the order of their ids.
  mutating func due(at now: Moment) -> [TransferID] {
    let rung =
      monotonic.filter { $0.value <= now.monotonic }.map(\.key)
      + wall.filter { $0.value <= now.wall }.map(\.key)
    for id in rung { remove(id) }
    return rung.sorted()
  }

  func next(at now: Moment) -> MonotonicTime? {
    var earliest = monotonic.values.min()
    if let date = wall.values.min() {
      let distance = date.millisecondsSince1970.subtractingReportingOverflow(
        now.wall.millisecondsSince1970)
      let milliseconds =
        distance.overflow
        ? Self.wallCheckMilliseconds
        : min(max(distance.partialValue, 0), Self.wallCheckMilliseconds)
      let time = now.monotonic.advanced(byMilliseconds: milliseconds)
      earliest = earliest.map { min($0, time) } ?? time
    }
    return earliest
  }
}
