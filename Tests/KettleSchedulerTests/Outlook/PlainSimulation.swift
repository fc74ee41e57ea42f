import KettleScheduler

/// The queue of an estimate, simulated by looking at every transfer at every event.
struct PlainSimulation {
  private let input: QueueEstimate.Input
  private let items: [QueueEstimate.Item]
  private var missing: [Double]
  private var now = 0.0
  private var active: [Int] = []
  private var isStarted: [Bool]
  private(set) var starts: [Double?]
  private(set) var ends: [Double?]

  init(_ input: QueueEstimate.Input) {
    self.input = input
    items = input.running + input.queued
    missing = items.map { $0.missing ?? .infinity }
    isStarted = items.map { _ in false }
    starts = items.map { _ in nil }
    ends = starts
    for index in input.running.indices { start(index) }
    run()
  }

  private mutating func run() {
    fill()
    while true {
      let speeds = speeds()
      var step = Double.infinity
      for (index, speed) in zip(active, speeds) {
        if missing[index] < 1 { step = 0 }
        if speed > 0 { step = min(step, missing[index] / speed) }
      }
      for time in openings where time > now { step = min(step, time - now) }
      guard step < 3.2e12 else { return }
      for (index, speed) in zip(active, speeds) { missing[index] -= speed * step }
      now += step
      for index in active where missing[index] < 1 { ends[index] = now }
      active.removeAll { ends[$0] != nil }
      fill()
    }
  }

  /// When something that waits for a time may go on.
  private var openings: [Double] {
    items.indices.filter { !isStarted[$0] }.map { Double(items[$0].notBeforeMilliseconds) }
      + input.hosts.map { Double($0.closedMilliseconds) }
      + input.queues.map { Double($0.closedMilliseconds) }
  }

  private mutating func start(_ index: Int) {
    isStarted[index] = true
    starts[index] = now
    active.append(index)
  }

  private mutating func fill() {
    let slots = max(input.transfersMax, input.running.count)
    for index in items.indices where !isStarted[index] && active.count < slots {
      if mayStart(items[index]) { start(index) }
    }
  }

  private func mayStart(_ item: QueueEstimate.Item) -> Bool {
    let group = input.groups[item.group]
    let host = input.hosts[group.host]
    func count(_ isSame: (QueueEstimate.Item) -> Bool) -> Int {
      active.count { isSame(items[$0]) }
    }
    guard Double(item.notBeforeMilliseconds) <= now, Double(host.closedMilliseconds) <= now,
      count({ input.groups[$0.group].host == group.host }) < max(1, host.transfersMax),
      count({ $0.group == item.group }) < group.transfersMax ?? .max
    else { return false }
    guard let queue = group.queue else { return true }
    return Double(input.queues[queue].closedMilliseconds) <= now
      && count({ input.groups[$0.group].queue == queue })
        < input.queues[queue].transfersMax ?? .max
  }

  /// The speeds of the active ones, in bytes per millisecond.
  private func speeds() -> [Double] {
    let known = input.hosts.compactMap { host -> Double? in
      if case .bytesPerSecond(let speed) = host.speed { speed } else { nil }
    }
    let average = known.isEmpty ? 0 : known.reduce(0, +) / Double(known.count)
    let limits = active.map { items[$0].bytesPerSecondMax.map { $0 / 1000 } ?? .infinity }
    let hosts = active.map { input.groups[items[$0].group].host }
    var speeds = zip(hosts, limits).map { host, limit in
      let whole: Double =
        switch input.hosts[host].speed {
        case .bytesPerSecond(let speed): speed / 1000
        case .unlimited: .infinity
        case .unknown: average / 1000
        }
      let own = zip(hosts, limits).filter { $0.0 == host }.map(\.1)
      let low = own.filter { $0 < whole / Double(own.count) }
      let left = whole - low.reduce(0, +)
      return min(limit, own.count > low.count ? left / Double(own.count - low.count) : left)
    }
    var left = input.bytesPerSecondMax.map { $0 / 1000 } ?? .infinity
    guard speeds.reduce(0, +) > left else { return speeds }
    for (place, index) in speeds.indices.sorted(by: { speeds[$0] < speeds[$1] }).enumerated() {
      speeds[index] = min(speeds[index], left / Double(speeds.count - place))
      left -= speeds[index]
    }
    return speeds
  }
}
