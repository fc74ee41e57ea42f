/// The run of a `QueueEstimate`: from one event to the next, where an event is the end of a
/// transfer, the time at which one may start, or the opening of a host.
struct QueueSimulation {
  /// A transfer that has a slot.
  private struct Active {
    /// An index of `items`.
    var item: Int
    var group: Int
    var host: Int
    var queue: Int?
    var missing: Double
    var speedMax: Double
    /// Bytes per millisecond.
    var pace: QueueEstimate.Pace
    var speed = 0.0
  }

  private let items: [QueueEstimate.Item]
  private let groups: [QueueEstimate.Group]
  private let transfersMax: Int
  private var totalSpeedMax: Double
  /// No known part of the total is larger: where hosts are as fast as it permits, how fast they
  /// would be beyond it is unknown.
  private let totalSpeedKnown: Double
  private let totalChanges: [QueueEstimate.TotalChange]
  private let opensAt: [Double]
  private let queues: [QueueEstimate.Queue]
  private(set) var times: [QueueEstimate.Times]

  private var now = 0.0
  private var active: [Active] = []
  /// How many of them have a limit of their own.
  private var limitedCount = 0
  /// How many of them have a pace of their own.
  private var pacedCount = 0
  /// Whether something happened that is only assumed.
  private var isGuessing = false
  /// How many times one of them was looked at.
  private(set) var stepCount = 0
  private var hosts: [HostShare]
  private var groupCounts: [Int]
  private var queueCounts: [Int]
  private var candidates = IndexHeap()
  /// The next item of the same group; nil at its end.
  private var next: [Int?]
  /// Candidates that wait for their host, their session or their queue to have fewer transfers.
  private var waitingForHost: [[Int]]
  private var waitingForGroup: [[Int]]
  private var waitingForQueue: [[Int]]
  /// Items that may start later, and hosts and queues that open later, the last first.
  private var later: [(at: Double, what: Later)] = []

  private enum Later {
    case item(Int)
    case host(Int)
    case queue(Int)
    case rise(Int)
    case total(Int)
  }

  init(_ input: QueueEstimate.Input) {
    items = input.running + input.queued
    groups = input.groups
    transfersMax = max(input.transfersMax, input.running.count)
    totalSpeedMax = input.bytesPerSecondMax.map { $0 / 1000 } ?? .infinity
    totalSpeedKnown = input.hosts.contains { $0.speed == .unlimited } ? totalSpeedMax : .infinity
    totalChanges = input.totalChanges
    opensAt = input.hosts.map { Double($0.closedMilliseconds) }
    times = Array(repeating: QueueEstimate.Times(), count: items.count)
    hosts = HostShare.all(input)
    queues = input.queues
    groupCounts = Array(repeating: 0, count: groups.count)
    queueCounts = Array(repeating: 0, count: queues.count)
    waitingForHost = Array(repeating: [], count: hosts.count)
    waitingForGroup = Array(repeating: [], count: groups.count)
    waitingForQueue = Array(repeating: [], count: queues.count)
    next = Array(repeating: nil, count: items.count)
    for item in input.running.indices { start(item) }
    linkQueue(from: input.running.count)
    for (host, at) in opensAt.enumerated() where at > 0 { later.append((at, .host(host))) }
    for (queue, one) in queues.enumerated() where one.closedMilliseconds > 0 {
      later.append((Double(one.closedMilliseconds), .queue(queue)))
    }
    for (host, one) in input.hosts.enumerated() {
      for rise in one.rises { later.append((Double(rise), .rise(host))) }
    }
    for (number, change) in totalChanges.enumerated() {
      later.append((Double(change.milliseconds), .total(number)))
    }
    later.sort { $0.at > $1.at }
  }

  /// Links the items of each group, so that each has one candidate at a time.
  private mutating func linkQueue(from first: Int) {
    var heads: [Int?] = Array(repeating: nil, count: groups.count)
    for item in (first..<items.count).reversed() {
      if items[item].notBeforeMilliseconds > 0 {
        later.append((Double(items[item].notBeforeMilliseconds), .item(item)))
      } else {
        next[item] = heads[items[item].group]
        heads[items[item].group] = item
      }
    }
    for head in heads { if let head { candidates.insert(head) } }
  }

  mutating func run() {
    fillSlots()
    while let step = stepToNextEvent() {
      now += step
      takeLater()
      advance(by: step)
      fillSlots()
    }
  }

  // MARK: Slots

  private mutating func fillSlots() {
    while active.count < transfersMax, let item = candidates.removeFirst() {
      let group = items[item].group
      let host = groups[group].host
      if opensAt[host] > now || hosts[host].count >= hosts[host].countMax {
        waitingForHost[host].append(item)
      } else if let limit = groups[group].transfersMax, groupCounts[group] >= limit {
        waitingForGroup[group].append(item)
      } else if let queue = groups[group].queue, !admits(queue) {
        waitingForQueue[queue].append(item)
      } else {
        start(item)
        if let following = next[item] { candidates.insert(following) }
      }
    }
  }

  private func admits(_ queue: Int) -> Bool {
    Double(queues[queue].closedMilliseconds) <= now
      && queueCounts[queue] < queues[queue].transfersMax ?? .max
  }

  private mutating func start(_ item: Int) {
    let group = items[item].group
    let host = groups[group].host
    times[item].start = Int64(now)
    hosts[host].count += 1
    groupCounts[group] += 1
    if let queue = groups[group].queue { queueCounts[queue] += 1 }
    let speedMax = items[item].bytesPerSecondMax.map { $0 / 1000 } ?? .infinity
    if speedMax < .infinity { limitedCount += 1 }
    let pace = items[item].pace.perMillisecond
    if pace.isOwn { pacedCount += 1 }
    times[item].isGuess =
      isGuessing || (hosts[host].isGuess && !pace.isOwn && speedMax == .infinity)
    active.append(
      Active(
        item: item, group: group, host: host, queue: groups[group].queue,
        missing: items[item].missing ?? .infinity, speedMax: speedMax, pace: pace))
  }

  /// Moves the bytes of this time, and ends what is complete.
  private mutating func advance(by step: Double) {
    var index = 0
    while index < active.count {
      active[index].missing -= active[index].speed * step
      // Less than a byte is left of rounding.
      guard active[index].missing < 1 else {
        index += 1
        continue
      }
      let one = active[index]
      if one.speedMax < .infinity { limitedCount -= 1 }
      if one.pace.isOwn { pacedCount -= 1 }
      times[one.item].end = Int64(now.rounded(.up))
      if items[one.item].makesGuesses {
        times[one.item].isGuess = true
        isGuessing = true
      }
      hosts[one.host].count -= 1
      groupCounts[one.group] -= 1
      candidates.take(&waitingForHost[one.host])
      candidates.take(&waitingForGroup[one.group])
      if let queue = one.queue {
        queueCounts[queue] -= 1
        candidates.take(&waitingForQueue[queue])
      }
      // The last one has not moved yet.
      active.swapAt(index, active.count - 1)
      active.removeLast()
    }
  }

  private mutating func takeLater() {
    while let last = later.last, last.at <= now {
      later.removeLast()
      switch last.what {
      case .item(let item): candidates.insert(item)
      case .host(let host): candidates.take(&waitingForHost[host])
      case .queue(let queue): candidates.take(&waitingForQueue[queue])
      case .rise(let host):
        hosts[host].countMax += 1
        candidates.take(&waitingForHost[host])
      case .total(let number): changeTotal(to: totalChanges[number].bytesPerSecondMax)
      }
    }
  }

  private mutating func changeTotal(to bytesPerSecondMax: Double?) {
    let most = bytesPerSecondMax.map { $0 / 1000 } ?? .infinity
    totalSpeedMax = min(most, totalSpeedKnown)
    guard most > totalSpeedKnown else { return }
    isGuessing = true
    for one in active { times[one.item].isGuess = true }
  }

  // MARK: Time

  /// Sets the speeds and returns the milliseconds to the next event; nil when there is none.
  private mutating func stepToNextEvent() -> Double? {
    setSpeeds()
    var step = later.last.map { max(0, $0.at - now) } ?? .infinity
    for one in active {
      if one.missing < 1 { return 0 }
      if one.speed > 0 { step = min(step, one.missing / one.speed) }
    }
    // More than a hundred years is never.
    return step < 3.2e12 ? step : nil
  }

  private mutating func setSpeeds() {
    for one in active { hosts[one.host].beginSharing() }
    if pacedCount > 0 {
      for one in active { hosts[one.host].give(one.pace) }
    }
    if limitedCount > 0 {
      for one in active where !one.pace.isOwn { hosts[one.host].limit(to: one.speedMax) }
    }
    stepCount += active.count
    var sum = 0.0
    for index in active.indices {
      let one = active[index]
      active[index].speed = min(one.speedMax, hosts[one.host].speed(of: one.pace))
      sum += active[index].speed
    }
    if sum > totalSpeedMax { shareTotal() }
  }

  /// Divides the total evenly; transfers that cannot use their part leave it to the others.
  private mutating func shareTotal() {
    let first = active.first?.speed
    if active.allSatisfy({ $0.speed == first }) { return shareTotal(in: active.indices) }
    // Sorting takes about as long as this many looks at each.
    stepCount += active.count * 8
    shareTotal(in: active.indices.sorted { active[$0].speed < active[$1].speed })
  }

  /// - Parameter order: all indices, those of the slowest first.
  private mutating func shareTotal(in order: some Collection<Int>) {
    var left = totalSpeedMax
    for (position, index) in order.enumerated() {
      active[index].speed = min(active[index].speed, left / Double(order.count - position))
      left -= active[index].speed
    }
  }
}

/// How the transfers of one host divide its speed.
private struct HostShare {
  var countMax: Int
  /// Bytes per millisecond.
  private let speed: Double
  /// Whether its speed is only assumed.
  let isGuess: Bool
  var count = 0
  private var left = 0.0
  private var sharerCount = 0
  /// The speed of those with a measured pace together.
  private var measured = 0.0

  /// The speed of each transfer without a lower limit of its own.
  private var each: Double {
    guard sharerCount > 0 else { return left }
    // One that starts beside others with a pace of their own gets some speed all the same.
    let least = speed * Double(sharerCount) / Double(max(count, 1))
    return max(left, measured > 0 ? least : 0) / Double(sharerCount)
  }

  mutating func beginSharing() {
    left = speed
    sharerCount = count
    measured = 0
  }

  /// A transfer with a pace of its own leaves the rest to the others.
  mutating func give(_ pace: QueueEstimate.Pace) {
    switch pace {
    case .shared, .silent: return
    case .limited: break
    case .measured(let own):
      left -= own
      measured += own
    }
    sharerCount -= 1
  }

  /// One with a measured pace keeps it when others end: whether it is its line or its server that
  /// holds it back is not known, and a time that is too early is worse.
  func speed(of pace: QueueEstimate.Pace) -> Double {
    switch pace {
    case .shared, .silent: each
    case .limited(let own), .measured(let own): own
    }
  }

  /// A transfer with a limit below its part leaves the rest to the others.
  mutating func limit(to most: Double) {
    guard most < speed / Double(max(count, 1)) else { return }
    left -= most
    sharerCount -= 1
  }

  static func all(_ input: QueueEstimate.Input) -> [HostShare] {
    let known = input.hosts.compactMap { host -> Double? in
      if case .bytesPerSecond(let speed) = host.speed { speed } else { nil }
    }
    let average = known.isEmpty ? 0 : known.reduce(0, +) / Double(known.count)
    return input.hosts.map { host in
      let speed =
        switch host.speed {
        case .bytesPerSecond(let speed): speed
        case .unlimited: Double.infinity
        case .unknown: average
        }
      return HostShare(
        countMax: max(1, host.transfersMax), speed: speed / 1000, isGuess: host.speed == .unknown)
    }
  }
}

extension QueueEstimate.Pace {
  fileprivate var perMillisecond: QueueEstimate.Pace {
    switch self {
    case .shared, .silent: self
    case .measured(let speed): .measured(speed / 1000)
    case .limited(let speed): .limited(speed / 1000)
    }
  }
}

/// The smallest of some numbers, as a binary heap.
struct IndexHeap {
  private var heap: [Int] = []

  mutating func insert(_ number: Int) {
    heap.append(number)
    var index = heap.count - 1
    while index > 0, heap[index] < heap[(index - 1) / 2] {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Moves all numbers of an array into the heap.
  mutating func take(_ numbers: inout [Int]) {
    for number in numbers { insert(number) }
    numbers.removeAll(keepingCapacity: true)
  }

  mutating func removeFirst() -> Int? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    if heap.isEmpty { return first }
    heap[0] = last
    var index = 0
    while let child = smallerChild(of: index), heap[child] < heap[index] {
      heap.swapAt(child, index)
      index = child
    }
    return first
  }

  private func smallerChild(of index: Int) -> Int? {
    let (left, right) = (2 * index + 1, 2 * index + 2)
    guard left < heap.count else { return nil }
    return right < heap.count && heap[right] < heap[left] ? right : left
  }
}
