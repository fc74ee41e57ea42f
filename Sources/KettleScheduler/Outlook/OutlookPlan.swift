import KettleModel

/// What an outlook is made from, collected from the scheduler at one moment. The outlook itself
/// takes longer and is made elsewhere.
package struct OutlookPlan: Sendable {
  /// A running transfer and its progress.
  package struct Running: Sendable, Hashable {
    package var id: TransferID
    package var bytesReceived: Int64
    package var bytesExpected: Int64?
    package var pace: RunningPace

    package init(
      id: TransferID, bytesReceived: Int64, bytesExpected: Int64?, pace: RunningPace = .unknown
    ) {
      self.id = id
      self.bytesReceived = bytesReceived
      self.bytesExpected = bytesExpected
      self.pace = pace
    }
  }

  /// Transfers with at least this part of the highest speed count as equally fast.
  private static let equalPart = 0.75

  private let now: Moment
  private let limits: TransferQueue.Limits
  private let hosts: HostTable
  private let rules: SessionRules
  private let named: NamedQueues
  private let zone: LocalZone
  /// Whether all transfers are held back for an unknown time.
  private let isHeldBack: Bool
  private let measurements: HostMeasurements
  private let totalMax: Double?
  private let totalChanges: [QueueEstimate.TotalChange]
  /// The limit of all transfers, or the capacity of the line, if it is reached; nil if it is not.
  private let reachedTotal: Double?
  /// The speed of each transfer of the host whose transfers are fastest.
  private let fastest: Double
  private var running: [QueueEntry] = []
  private var runningAt: [Origin: [QueueEntry]] = [:]
  /// The running transfers without a limit of their own.
  private var unlimitedCount = 0
  private var queued: [QueueEntry] = []
  private var unpredictableCount = 0
  /// Transfers that a reading of the store must not count again.
  package let inMemory: Set<TransferID>

  init(
    _ scheduler: TransferScheduler, running progress: [Running], _ measurements: HostMeasurements,
    judgement: SpeedJudgement, at now: Moment
  ) {
    self.now = now
    limits = scheduler.queue.limits
    hosts = scheduler.hosts
    rules = scheduler.rules
    named = scheduler.queue.named
    zone = scheduler.environment.zone
    isHeldBack = scheduler.environment.unreadConfiguration != nil
    self.measurements = measurements
    inMemory = Set(scheduler.machines.keys)
    let limit = scheduler.limitBytesPerSecond.map(Double.init)
    let speed = Set(progress.compactMap { scheduler.machines[$0.id]?.spec.url.origin })
      .reduce(0.0) { $0 + Double(measurements.presentBytesPerSecond(of: $1)) }
    let isLimitReached = limit.map { speed >= $0 * SpeedJudgement.usedPart } ?? false
    for one in progress {
      guard let machine = scheduler.machines[one.id] else { continue }
      // How fast the store takes it is not known.
      if machine.isBeingStored {
        unpredictableCount += 1
        continue
      }
      var entry = QueueEntry(machine.record)
      entry.bytesReceived = one.bytesReceived
      entry.bytesExpected = one.bytesExpected
      entry.pace = QueueEstimate.Pace(one.pace, limit: entry.bytesPerSecondMax)
      running.append(entry)
    }
    unlimitedCount = running.count { $0.bytesPerSecondMax == nil }
    let line =
      judgement.lineBytesPerSecond.map(Double.init) ?? Self.sharedTotal(running, measurements)
    reachedTotal = isLimitReached ? limit : line
    totalMax = reachedTotal ?? limit
    totalChanges = scheduler.totalLimit.nextChanges(in: zone).map { change in
      QueueEstimate.TotalChange(
        milliseconds: Self.milliseconds(until: change.at, from: now),
        bytesPerSecondMax: change.bytesPerSecond.map(Double.init))
    }
    // Where all share a total, the others make up for one that ends.
    if reachedTotal != nil { for index in running.indices { running[index].shareTotal() } }
    runningAt = Dictionary(grouping: running, by: \.origin)
    fastest = Self.each(running, measurements).values.max() ?? 0
    let runningIDs = Set(progress.map(\.id))
    for machine in scheduler.machines.values where !runningIDs.contains(machine.id) {
      take(machine)
    }
  }

  /// Takes a transfer that does not run.
  private mutating func take(_ machine: TransferMachine) {
    switch machine.visibleState {
    case .queued where isHeldBack, .scheduled where isHeldBack, .waiting where isHeldBack:
      unpredictableCount += 1
    case .queued: queued.append(QueueEntry(machine.record))
    case .scheduled, .waiting:
      guard let start = machine.state.predictedStart else {
        unpredictableCount += 1
        return
      }
      var entry = QueueEntry(machine.record)
      let (distance, overflow) = start.millisecondsSince1970.subtractingReportingOverflow(
        now.wall.millisecondsSince1970)
      entry.notBeforeMilliseconds = overflow ? .max : max(1, distance)
      queued.append(entry)
    case .idle, .running, .paused, .verifying, .completed, .failed: break
    }
  }

  /// Makes the outlook.
  ///
  /// - Parameters:
  ///   - stored: queued transfers from the store; those in memory are left out here.
  ///   - furtherCount: how many more the store has.
  package func outlook(stored: StoredQueue, furtherCount: Int = 0) -> QueueOutlook {
    if isHeldBack {
      let storedCount = stored.items.count { !inMemory.contains($0.key.id) }
      return outlookHeldBack(storedCount: storedCount + furtherCount)
    }
    var builder = EstimateBuilder(
      measurements, itemCount: running.count + queued.count + stored.count)
    for entry in running { builder.add(entry) }
    let keys = addQueue(stored, isCut: furtherCount > 0, to: &builder)
    var input = builder.input(runningCount: running.count) { [rules, now] in
      rules.connectionLimit(of: $0, at: now.monotonic)
    }
    input.transfersMax = min(limits.runningMax, limits.connectionsMax)
    input.bytesPerSecondMax = totalMax
    input.totalChanges = totalChanges
    input.queues = builder.queues.map(queue)
    input.hosts = builder.hosts.map(host)
    return QueueOutlook(
      input, running: running.map(\.id), keys: keys, furtherCount: furtherCount,
      unpredictableCount: unpredictableCount, at: now)
  }

  /// The outlook while nothing may start: no time is known.
  private func outlookHeldBack(storedCount: Int) -> QueueOutlook {
    QueueOutlook(
      QueueEstimate.Input(), running: [], keys: [], furtherCount: 0,
      unpredictableCount: unpredictableCount + storedCount, at: now)
  }

  /// Adds the queue in its order, and returns its keys.
  ///
  /// - Parameter isCut: whether the store has more than `stored`. The places of transfers behind
  ///   those are not known.
  private func addQueue(
    _ stored: StoredQueue, isCut: Bool, to builder: inout EstimateBuilder
  ) -> [QueueKey] {
    var keys: [QueueKey] = []
    keys.reserveCapacity(queued.count + stored.count)
    var rest = queued.sorted { $0.key < $1.key }[...]
    func add(_ entry: QueueEntry) {
      builder.add(entry)
      keys.append(entry.key)
    }
    // By the stored group: its number in the estimate.
    var numbers: [Int?] = Array(repeating: nil, count: stored.groups.count)
    for item in stored.items where !inMemory.contains(item.key.id) {
      while let first = rest.first, first.key < item.key {
        add(first)
        rest.removeFirst()
      }
      let number = numbers[item.group] ?? builder.number(of: stored.groups[item.group])
      numbers[item.group] = number
      builder.add(item, group: number)
      keys.append(item.key)
    }
    if !isCut { rest.forEach(add) }
    return keys
  }

  /// The speed of each running transfer of a host.
  private static func each(
    _ running: [QueueEntry], _ measurements: HostMeasurements
  ) -> [Origin: Double] {
    let counts = running.reduce(into: [Origin: Double]()) { $0[$1.origin, default: 0] += 1 }
    return counts.reduce(into: [:]) { speeds, one in
      speeds[one.key] = Double(measurements.presentBytesPerSecond(of: one.key)) / one.value
    }
  }

  /// What all transfers receive together if the fastest ones of several hosts are equally fast:
  /// they probably share a line. nil if they are not.
  private static func sharedTotal(
    _ running: [QueueEntry], _ measurements: HostMeasurements
  ) -> Double? {
    // A limit of their own would make them equally fast as well.
    let free = running.filter { $0.bytesPerSecondMax == nil }
    let speeds = each(free.filter { measurements.isSteady($0.origin) }, measurements)
    guard let fastest = speeds.values.max(), fastest > 0 else { return nil }
    let equal = Set(speeds.filter { $0.value >= fastest * 0.9 }.keys)
    // Two that are equally fast only by chance have different paces.
    let paces = free.filter { equal.contains($0.origin) }.compactMap(\.measuredPace)
    guard equal.count > 1, paces.min() ?? 0 >= (paces.max() ?? 0) * equalPart else { return nil }
    let limits = running.compactMap(\.bytesPerSecondMax).reduce(0.0) { $0 + Double($1) }
    return Set(free.map(\.origin)).reduce(limits) {
      $0 + Double(measurements.presentBytesPerSecond(of: $1))
    }
  }

  private func queue(_ name: QueueName) -> QueueEstimate.Queue {
    let standing = named.standing(of: name)
    var queue = QueueEstimate.Queue(transfersMax: named.transfersMax(of: name))
    if named.unmetCondition != nil {
      // Until when is unknown.
      queue.closedMilliseconds = .max
    } else if standing.isOpen {
      queue.closesAfterMilliseconds = standing.until.map(milliseconds)
    } else {
      queue.closedMilliseconds = standing.until.map(milliseconds) ?? .max
      queue.closesAfterMilliseconds = standing.until
        .flatMap { named[name].hours?.nextChange(after: $0, in: zone) }.map(milliseconds)
    }
    return queue
  }

  private func milliseconds(until time: WallTime) -> Int64 {
    Self.milliseconds(until: time, from: now)
  }

  private static func milliseconds(until time: WallTime, from now: Moment) -> Int64 {
    max(1, time.millisecondsSince1970 - now.wall.millisecondsSince1970)
  }

  private func host(_ origin: Origin) -> QueueEstimate.Host {
    let learned = hosts.connectionsMax(at: origin, now.monotonic) ?? .max
    let sessions = Set((runningAt[origin] ?? []).map(\.session))
    let allowed =
      sessions.compactMap {
        rules.connectionLimit(
          of: TransferQueue.OriginSession(origin: origin, session: $0), at: now.monotonic)
      }.max() ?? 0
    let opening = hosts.closedUntil(origin, at: now.monotonic)
    let most = max(limits.connectionsMax(at: origin), allowed)
    var host = QueueEstimate.Host(
      transfersMax: min(most, learned), speed: speed(of: origin),
      closedMilliseconds: opening?.milliseconds(since: now.monotonic) ?? 0)
    host.rises = hosts.rises(at: origin, upTo: most, now.monotonic)
    return host
  }

  /// Where all transfers together reach a limit, those that it slows down are equally fast, and
  /// would be faster without the others. A host whose transfers are slower than that is not slowed
  /// down by it.
  private func speed(of origin: Origin) -> QueueEstimate.Speed {
    let own = runningAt[origin] ?? []
    // A host is as fast as its transfers are in the long run.
    let paces = own.compactMap(\.measuredPace)
    if reachedTotal == nil, !paces.isEmpty { return .bytesPerSecond(paces.reduce(0, +)) }
    guard let measured = measurements.bytesPerSecond(of: origin).map(Double.init) else {
      return reachedTotal == nil ? .unknown : .unlimited
    }
    if reachedTotal != nil {
      let present = Double(measurements.presentBytesPerSecond(of: origin))
      let each = present / Double(max(1, own.count))
      return own.isEmpty || each < fastest * Self.equalPart
        ? .bytesPerSecond(measured) : .unlimited
    }
    let isLimited = !own.isEmpty && own.allSatisfy { $0.bytesPerSecondMax != nil }
    let othersRun = unlimitedCount > own.count { $0.bytesPerSecondMax == nil }
    return isLimited && othersRun ? .unknown : .bytesPerSecond(measured)
  }
}

extension QueueEstimate.Pace {
  /// A limit that is nearly used is what a transfer will get; before that is known, it is the best
  /// guess.
  fileprivate init(_ pace: RunningPace, limit: Int64?) {
    let limit = limit.map { Double(max(1, $0)) }
    switch pace {
    case .unknown: self = limit.map { QueueEstimate.Pace.limited($0) } ?? .shared
    case .silent: self = .silent
    case .bytesPerSecond(let speed):
      if let limit, Double(speed) >= limit * SpeedJudgement.usedPart {
        self = .limited(limit)
      } else {
        self = speed > 0 ? .measured(Double(speed)) : .silent
      }
    }
  }
}

extension QueueEntry {
  fileprivate var measuredPace: Double? {
    switch pace {
    case .measured(let speed): speed
    case .shared, .limited, .silent: nil
    }
  }

  fileprivate mutating func shareTotal() {
    switch pace {
    case .measured: pace = .shared
    case .shared, .limited, .silent: break
    }
  }
}

extension TransferMachine.State {
  /// When a transfer that waits will be in the queue again; nil if that depends on something that
  /// cannot be predicted.
  fileprivate var predictedStart: WallTime? {
    switch waiting?.reason {
    case nil, .retry, .retryAfter: continuesAt
    case .network, .hostUnreachable, .proxy, .diskSpace, .discretionary, .needsLink, .needsLogin,
      .needsDecision, .members:
      nil
    }
  }
}

extension TransferScheduler {
  /// Collects what an outlook is made from.
  ///
  /// - Parameter running: the transfers that run or are verified, with their progress.
  package func outlookPlan(
    running: [OutlookPlan.Running], _ measurements: HostMeasurements, judgement: SpeedJudgement,
    at now: Moment
  ) -> OutlookPlan {
    OutlookPlan(self, running: running, measurements, judgement: judgement, at: now)
  }
}
