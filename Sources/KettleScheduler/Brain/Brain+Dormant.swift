import KettleModel

/// The list in the store is longer than the one in memory. What is dormant is let go of when there
/// is much of it, and comes back when it is next in line or somebody asks for it.
extension Brain {
  /// How much is held in memory that need not be.
  package struct HoldLimits: Sendable, Hashable {
    /// So many transfers more than there were after the last time, and some go.
    package var restingCountMax = 512
    /// Of the line of each host so many stay, and more while there are few hosts.
    package var lineCount = 64
    /// Of all lines together.
    package var allLinesCountMax = 2048
    /// A host that is being fetched from is asked for when fewer than this stand in its line.
    package var runningShortCount = 16

    package init() {}
  }

  // MARK: Falling asleep

  /// Whether there is enough to be let go of to look for it.
  package var holdsMuch: Bool {
    lineRequest == nil && machines.count > heldCountAfterSleep + holdLimits.restingCountMax
  }

  /// Lets go of dormant transfers. The caller makes sure that nothing is being read from the store:
  /// an answer of the time before would bring back what was changed since.
  ///
  /// - Parameter isKept: whether the store has a transfer as it is in memory.
  /// - Returns: those that the store has alone from now on, by id.
  package mutating func letGo(where isKept: (TransferID) -> Bool) -> [TransferID] {
    guard holdsMuch else { return [] }
    let spareInLine = queue.spare(
      perLane: holdLimits.lineCount, countMax: holdLimits.allLinesCountMax)
    let resting = machines.values.filter { $0.isDormant && $0.state != .queued }.map(\.record.id)
    let ids = (resting + spareInLine.map(\.id)).filter { id in
      machines[id]?.isDormant == true && isKept(id)
    }
    for id in ids { letGo(id) }
    heldCountAfterSleep = machines.count
    return ids.sorted()
  }

  private mutating func letGo(_ id: TransferID) {
    guard let record = machines.removeValue(forKey: id)?.record else { return }
    order.remove(QueuePlace(record))
    queue.hide(id)
    alarms.remove(id)
    count(record, by: 1)
  }

  // MARK: Never awake

  /// Whether a new transfer that the store has need not come into memory: it would be let go of
  /// next, or stands in line where the memory does not reach.
  func staysAway(_ record: TransferRecord) -> Bool {
    // What is read of the line may be of the time before.
    guard record.isDormant, lineRequest == nil else { return false }
    return holdsMuch || (record.state == .queued && !queue.reaches(record))
  }

  /// The store alone has a new transfer.
  mutating func leave(_ record: TransferRecord) {
    queue.hide(record)
    count(record, by: 1)
  }

  // MARK: Waking up

  /// Takes transfers into memory that the store had alone; others are as they are.
  ///
  /// - Returns: those that were not in memory before.
  package mutating func wake(
    _ records: [TransferRecord], at now: Moment
  ) -> (woken: [TransferID], Turn) {
    var turn = Turn()
    return (wake(records, &turn, at: now), turn)
  }

  private mutating func wake(
    _ records: [TransferRecord], _ turn: inout Turn, at now: Moment
  ) -> [TransferID] {
    var woken: [TransferID] = []
    for record in records where machines[record.id] == nil && !arriving.contains(record.id) {
      hold(record, &turn, at: now)
      count(record, by: -1)
      woken.append(record.id)
    }
    return woken
  }

  /// Takes a transfer into memory as the store has it.
  mutating func hold(_ record: TransferRecord, _ turn: inout Turn, at now: Moment) {
    var machine = TransferMachine(recovering: record, at: now)
    holdBack(&machine)
    machines[record.id] = machine
    order.insert(QueuePlace(record))
    file(machine)
    // A crash may have left what no longer says anything, and conditions may have changed.
    if machine.durableRecord != record {
      turn.changes.append(.put(machine.durableRecord))
      turn.changed.append(record.id)
    }
  }

  private mutating func count(_ record: TransferRecord, by step: Int) {
    dormantCounts[record.state, default: 0] += step
    if isCleared(record) { dormantClearedCount += step }
    // A line that is all in memory again needs no curtains.
    if record.state == .queued, dormantQueuedCount <= 0 { queue.curtains.open() }
  }

  /// How many are in line that the store has alone.
  var dormantQueuedCount: Int { dormantCounts[.queued] ?? 0 }

  // MARK: Asking who is next

  /// The store has answered. Dormant transfers that it should have named and did not are not there.
  ///
  /// - Parameters:
  ///   - records: the first in line of those that were asked for, awake ones among them. Whether
  ///     they are all is told by their number, so those that are gone since stay in it.
  ///   - gone: who is on the list no more, and is not woken.
  package mutating func lineRead(
    _ request: LineRequest, _ records: [TransferRecord], gone: Set<TransferID> = [],
    at now: Moment
  ) -> (woken: [TransferID], Turn) {
    var turn = Turn()
    guard lineRequest == request else { return ([], turn) }
    lineRequest = nil
    let last = records.count < request.countMax ? nil : records.last.map { QueueKey($0) }
    let woken = wake(
      records.filter { $0.isDormant && $0.state == .queued && !gone.contains($0.id) }, &turn,
      at: now)
    if dormantQueuedCount > 0 {
      queue.curtains.lift(request, upTo: last, hosts: Set(records.map(\.spec.url.origin)))
    }
    fillSlots(&turn, at: now)
    return (woken, turn)
  }

  /// Asks for those that stand behind a curtain. The store names the awake ones as well, so they
  /// are added to the number.
  mutating func ask(_ asked: TransferQueue.Asked, _ turn: inout Turn) {
    guard lineRequest == nil else { return }
    let request: LineRequest =
      switch asked {
      case .host(let origin):
        .at(origin, countMax: holdLimits.lineCount + awakeCount { $0 == origin })
      case .others(let known):
        .elsewhere(than: known, countMax: holdLimits.lineCount + awakeCount { !known.contains($0) })
      }
    lineRequest = request
    turn.now.append(.readLine(request))
  }

  private func awakeCount(at isMeant: (Origin) -> Bool) -> Int {
    machines.values.count { isMeant($0.record.spec.url.origin) }
  }

  /// Before the last one in memory is started, so that nobody waits for the store.
  mutating func askAhead(_ turn: inout Turn) {
    guard lineRequest == nil, dormantQueuedCount > 0 else { return }
    if let origin = queue.hostRunningShort(below: holdLimits.runningShortCount) {
      ask(.host(origin), &turn)
    }
  }
}

extension TransferMachine {
  /// Whether the store alone may have it: it is at rest and nothing is under way.
  var isDormant: Bool {
    switch state {
    case .idle, .queued, .paused, .completed, .failed: record.isDormant
    case .scheduled, .running, .ending, .waiting, .verifying, .discarding, .placing, .removed:
      false
    }
  }
}
