import KettleModel

/// Eviction: memory holds only a part of the list. When there are many dormant transfers, some are
/// evicted; they return when they are next in the queue or requested.
extension TransferScheduler {
  /// How many transfers may stay in memory without need.
  package struct HoldLimits: Sendable, Hashable {
    /// Eviction starts when memory has this many more transfers than after the last eviction.
    package var restingCountMax = 512
    /// How many queued transfers of each host stay in memory; more while there are few hosts.
    package var lineCount = 64
    /// The limit for all hosts together.
    package var allLinesCountMax = 2048
    /// Hosts with running transfers are read ahead when fewer queued ones are in memory.
    package var runningShortCount = 16

    package init() {}
  }

  // MARK: Falling asleep

  /// Whether memory contains enough transfers for an eviction to be worthwhile.
  package var holdsMuch: Bool {
    lineRequest == nil && machines.count > heldCountAfterSleep + holdLimits.restingCountMax
  }

  /// Evicts dormant transfers. The caller ensures that no read from the store is in progress: its
  /// stale result would undo later changes.
  ///
  /// - Parameter isKept: whether the store has the transfer exactly as it is in memory.
  /// - Returns: the evicted transfers, by id.
  package mutating func evict(where isKept: (TransferID) -> Bool) -> [TransferID] {
    guard holdsMuch else { return [] }
    let spareInLine = queue.spare(
      perLane: holdLimits.lineCount, countMax: holdLimits.allLinesCountMax)
    let resting = machines.values.filter { $0.isDormant && $0.state != .queued }.map(\.record.id)
    let ids = (resting + spareInLine.map(\.id)).filter { id in
      machines[id]?.isDormant == true && isKept(id)
    }
    for id in ids { evict(id) }
    heldCountAfterSleep = machines.count
    return ids.sorted()
  }

  private mutating func evict(_ id: TransferID) {
    guard let record = machines.removeValue(forKey: id)?.record else { return }
    order.remove(QueuePosition(record))
    queue.hide(id)
    alarms.remove(id)
    count(record, by: 1)
  }

  // MARK: Never awake

  /// Whether a new transfer that is in the store can stay out of memory: it would be evicted next,
  /// or its place in the queue is past what memory covers.
  func staysAway(_ record: TransferRecord) -> Bool {
    // The pending read of the queue may predate this transfer.
    guard record.isDormant, lineRequest == nil else { return false }
    return holdsMuch || (record.state == .queued && !queue.reaches(record))
  }

  /// Records that a new transfer is only in the store.
  mutating func leave(_ record: TransferRecord) {
    queue.hide(record)
    count(record, by: 1)
  }

  // MARK: Waking up

  /// Loads transfers that were only in the store; those already in memory are unchanged.
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

  /// Loads a transfer into memory as the store has it.
  mutating func hold(_ record: TransferRecord, _ turn: inout Turn, at now: Moment) {
    var machine = TransferMachine(recovering: record, at: now)
    holdBack(&machine)
    machines[record.id] = machine
    order.insert(QueuePosition(record))
    file(machine)
    // A crash may have left stale fields, and conditions may have changed.
    if machine.durableRecord != record {
      turn.changes.append(.put(machine.durableRecord))
      turn.changed.append(record.id)
    }
  }

  private mutating func count(_ record: TransferRecord, by step: Int) {
    dormantCounts[record.state, default: 0] += step
    if isCleared(record) { dormantClearedCount += step }
    // When the whole queue is in memory again, the curtains are not needed.
    if record.state == .queued, dormantQueuedCount <= 0 { queue.curtains.open() }
  }

  /// How many queued transfers are only in the store.
  var dormantQueuedCount: Int { dormantCounts[.queued] ?? 0 }

  // MARK: Asking who is next

  /// Accepts the store's result. Dormant transfers that it should contain and does not are gone.
  ///
  /// - Parameters:
  ///   - records: the first queued transfers of the requested part, awake ones included. Their
  ///     number shows whether the part is complete, so deleted ones are counted too.
  ///   - gone: transfers no longer on the list; they are not loaded.
  package mutating func lineRead(
    _ request: QueueRead, _ records: [TransferRecord], gone: Set<TransferID> = [],
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

  /// Requests the transfers behind a curtain. The store returns awake ones too, so the requested
  /// count is increased by their number.
  mutating func ask(_ asked: TransferQueue.Asked, _ turn: inout Turn) {
    guard lineRequest == nil else { return }
    let request: QueueRead =
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

  /// Reads ahead before the last transfer in memory starts, so that no start waits for the store.
  mutating func askAhead(_ turn: inout Turn) {
    guard lineRequest == nil, dormantQueuedCount > 0 else { return }
    if let origin = queue.hostRunningShort(below: holdLimits.runningShortCount) {
      ask(.host(origin), &turn)
    }
  }
}

extension TransferMachine {
  /// Whether it may exist only in the store: it is at rest and no operation is in progress.
  var isDormant: Bool {
    switch state {
    case .idle, .queued, .paused, .completed, .failed: record.isDormant
    case .scheduled, .running, .ending, .waiting, .verifying, .discarding, .placing, .removed:
      false
    }
  }
}
